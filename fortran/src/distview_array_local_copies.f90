! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Cells of distributed arrays as one plain array for a procedure of the program.
submodule(distview_arrays) distview_array_local_copies
    implicit none

    type, bind(C) :: c_plain_array
        type(c_ptr) :: data
        integer(c_int32_t) :: element, rank
        integer(c_int64_t) :: extents(distview_max_rank), leading_dimension
        integer(c_int32_t) :: order, is_copy
    end type
    type, bind(C) :: c_local_copy_options
        integer(c_int32_t) :: intent = 0
        integer(c_int32_t) :: order = 0 ! row-major, of C's reversed axes
        integer(c_int32_t) :: cells = 0, takes_leading_dimension = 1, writes_all = 0, unused = 0
    end type
    type :: local_call
        procedure(distview_local_procedure), pointer, nopass :: work => null()
    end type

    interface
        integer(c_int) function c_with_local_copy(array, options, callee, user, bytes) &
            bind(C, name="distview_with_local_copy")
            import :: c_funptr, c_int, c_local_copy_options, c_ptr, distview_copied_bytes
            type(c_ptr), value :: array, user
            type(c_local_copy_options), intent(in) :: options
            type(c_funptr), value :: callee
            type(distview_copied_bytes), intent(inout) :: bytes
        end function
        integer(c_int) function c_with_local_copy_of_box(array, begin, end, options, callee, user, bytes) &
            bind(C, name="distview_with_local_copy_of_box")
            import :: c_funptr, c_int, c_int64_t, c_local_copy_options, c_ptr, distview_copied_bytes
            type(c_ptr), value :: array, user
            integer(c_int64_t), intent(in) :: begin(*), end(*)
            type(c_local_copy_options), intent(in) :: options
            type(c_funptr), value :: callee
            type(distview_copied_bytes), intent(inout) :: bytes
        end function
        integer(c_int) function c_with_local_copy_of_whole(array, root, options, callee, user, bytes) &
            bind(C, name="distview_with_local_copy_of_whole")
            import :: c_funptr, c_int, c_local_copy_options, c_ptr, distview_copied_bytes
            type(c_ptr), value :: array, user
            integer(c_int), value :: root
            type(c_local_copy_options), intent(in) :: options
            type(c_funptr), value :: callee
            type(distview_copied_bytes), intent(inout) :: bytes
        end function
    end interface

contains

    module procedure array_with_local_copy
        type(local_call), target :: user
        type(distview_copied_bytes) :: copied
        integer(c_int) :: status
        user%work => work
        status = c_with_local_copy(self%handle, local_options_of(intent, packed, writes_all, owned), c_funloc(call_local), &
                                   c_loc(user), copied)
        if (present(bytes)) bytes = copied
        call settle(status, stat, errmsg)
    end procedure

    module procedure array_with_local_copy_of_box
        type(local_call), target :: user
        type(distview_copied_bytes) :: copied
        integer(c_int64_t), allocatable :: begin(:), end(:)
        character(*), parameter :: name = "distview_array%with_local_copy_of_box"
        integer(c_int) :: status
        user%work => work
        status = c_box(rank_of(self), lower, upper, name, begin, end)
        if (status == distview_success) then
            status = c_with_local_copy_of_box(self%handle, begin, end, local_options_of(intent, packed, writes_all), &
                                              c_funloc(call_local), c_loc(user), copied)
        else
            status = tell_others(self%comm, name, status)
        end if
        if (present(bytes)) bytes = copied
        call settle(status, stat, errmsg)
    end procedure

    module procedure array_with_local_copy_of_whole
        type(local_call), target :: user
        type(distview_copied_bytes) :: copied
        integer(c_int) :: status
        user%work => work
        status = c_with_local_copy_of_whole(self%handle, int(root, c_int), local_options_of(intent, packed, writes_all), &
                                            c_funloc(call_local), c_loc(user), copied)
        if (present(bytes)) bytes = copied
        call settle(status, stat, errmsg)
    end procedure

    type(c_local_copy_options) function local_options_of(intent, packed, writes_all, owned) result(options)
        integer, intent(in) :: intent
        logical, intent(in), optional :: packed, writes_all, owned
        options%intent = int(intent, c_int32_t)
        if (present(packed)) options%takes_leading_dimension = merge(0, 1, packed)
        if (present(writes_all)) options%writes_all = merge(1, 0, writes_all)
        if (present(owned)) options%cells = merge(1, 0, owned)
    end function

    integer(c_int) function call_local(array, user) bind(C, name="") result(status)
        type(c_plain_array), intent(in) :: array
        type(c_ptr), value :: user
        type(distview_plain_array) :: a
        type(local_call), pointer :: to
        integer :: stat, n
        call c_f_pointer(user, to)
        n = array%rank
        a%data = array%data
        a%element = array%element
        a%rank = n
        a%extents(:n) = array%extents(n:1:-1)
        a%leading_dimension = array%leading_dimension
        a%is_copy = array%is_copy /= 0
        stat = distview_success
        call to%work(a, stat)
        status = stat
    end function
end submodule
