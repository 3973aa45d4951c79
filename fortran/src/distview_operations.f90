! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_operations: operations of the program that combine two elements. Programs use module distview.
module distview_operations
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int32
    use distview_base
    implicit none
    private
    public :: distview_combine, distview_operation_create, distview_operation_free

    abstract interface
        ! Sets *here = op(*here, *incoming) for elements of type `element`, such as distview_float64; c_f_pointer converts
        ! the addresses to pointers. stat is 0 at entry; the procedure sets it by distview_fail() if it fails.
        !
        ! Several threads of the library run it concurrently: it must call nothing else of the library.
        subroutine distview_combine(here, incoming, element, stat)
            import :: c_ptr, int32
            type(c_ptr), intent(in) :: here, incoming
            integer(int32), intent(in) :: element
            integer, intent(inout) :: stat
        end subroutine
    end interface

    type :: combine_call
        procedure(distview_combine), pointer, nopass :: combine => null()
        integer(c_int) :: operation = 0
        type(combine_call), pointer :: next => null()
    end type
    ! All operations in use: the C face keeps their addresses.
    type(combine_call), pointer, save :: first => null()

    interface
        integer(c_int) function c_operation_create(callee, user, operation) &
            bind(C, name="distview_operation_create")
            import :: c_funptr, c_int, c_ptr
            type(c_funptr), value :: callee
            type(c_ptr), value :: user
            integer(c_int), intent(inout) :: operation
        end function
        subroutine c_operation_free(operation) bind(C, name="distview_operation_free")
            import :: c_int
            integer(c_int), value :: operation
        end subroutine
    end interface

contains

    ! Makes a number for an operation of the program; procedures accept it as an operation. Only one thread at a time may
    ! call this.
    subroutine distview_operation_create(combine, operation, stat, errmsg)
        procedure(distview_combine) :: combine
        integer, intent(out) :: operation
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(combine_call), pointer :: made
        integer(c_int) :: status
        allocate(made)
        made%combine => combine
        status = c_operation_create(c_funloc(call_combine), c_loc(made), made%operation)
        operation = made%operation
        if (status == distview_success) then
            made%next => first
            first => made
        else
            deallocate(made)
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! Frees the number, which must not be used any more. Ignores unknown numbers.
    subroutine distview_operation_free(operation)
        integer, intent(in) :: operation
        type(combine_call), pointer :: at, before
        call c_operation_free(int(operation, c_int))
        before => null()
        at => first
        do while (associated(at))
            if (at%operation == operation) then
                if (associated(before)) then
                    before%next => at%next
                else
                    first => at%next
                end if
                deallocate(at)
                return
            end if
            before => at
            at => at%next
        end do
    end subroutine

    integer(c_int) function call_combine(here, incoming, element, user) bind(C, name="") result(status)
        type(c_ptr), value :: here, incoming, user
        integer(c_int32_t), value :: element
        type(combine_call), pointer :: to
        integer :: stat
        call c_f_pointer(user, to)
        stat = distview_success
        call to%combine(here, incoming, element, stat)
        status = stat
    end function
end module
