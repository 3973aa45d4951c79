! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_exchanges: executions of plans in flight. Programs use module distview.
module distview_exchanges
    use, intrinsic :: iso_c_binding
    use distview_base
    implicit none
    private

    ! An execution of a plan in flight. Until a padding exchange is finished, the program must not write owned elements,
    ! nor read or write padding.
    type, public :: distview_exchange
        type(c_ptr) :: handle = c_null_ptr ! of the C face
    contains
        procedure :: finish => exchange_finish
        procedure :: can_finish => exchange_can_finish
        procedure :: release => exchange_release
        procedure, private :: exchange_assign
        generic :: assignment(=) => exchange_assign
        final :: exchange_final
    end type

    interface
        integer(c_int) function c_exchange_finish(exchange) bind(C, name="distview_exchange_finish")
            import :: c_int, c_ptr
            type(c_ptr), value :: exchange
        end function
        integer(c_int) function c_exchange_can_finish(exchange, can_finish) &
            bind(C, name="distview_exchange_can_finish")
            import :: c_int, c_ptr
            type(c_ptr), value :: exchange
            integer(c_int), intent(inout) :: can_finish
        end function
        function c_exchange_retain(exchange) bind(C, name="distview_exchange_retain") result(same)
            import :: c_ptr
            type(c_ptr), value :: exchange
            type(c_ptr) :: same
        end function
        subroutine c_exchange_release(exchange) bind(C, name="distview_exchange_release")
            import :: c_ptr
            type(c_ptr), value :: exchange
        end subroutine
    end interface

contains

    ! Waits for elements of other ranks, writes the padding, and waits until the other ranks have read this section.
    !
    ! Collective: over the plan's communicator; all ranks finish exchanges of several plans in the same order
    ! Errors:     distview_usage_error if called twice, or if another rank has abandoned the exchange; distview_mpi_error
    subroutine exchange_finish(self, stat, errmsg)
        class(distview_exchange), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call settle(c_exchange_finish(self%handle), stat, errmsg)
    end subroutine

    ! Whether finish can write the padding without waiting.
    logical function exchange_can_finish(self, stat, errmsg) result(can_finish)
        class(distview_exchange), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: answer
        answer = 0
        call settle(c_exchange_can_finish(self%handle, answer), stat, errmsg)
        can_finish = answer /= 0
    end function

    subroutine exchange_release(self)
        class(distview_exchange), intent(inout) :: self
        if (c_associated(self%handle)) call c_exchange_release(self%handle)
        self%handle = c_null_ptr
    end subroutine

    impure elemental subroutine exchange_assign(self, other)
        class(distview_exchange), intent(inout) :: self
        type(distview_exchange), intent(in) :: other
        type(c_ptr) :: same
        same = c_exchange_retain(other%handle)
        call self%release()
        self%handle = same
    end subroutine

    impure elemental subroutine exchange_final(self)
        type(distview_exchange), intent(inout) :: self
        call self%release()
    end subroutine
end module
