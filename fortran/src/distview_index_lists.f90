! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_index_lists: elements by their global numbers. Programs use module distview.
module distview_index_lists
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int32, int64
    use distview_base
    implicit none
    private
    public :: c_box ! for the other modules

    ! A list of elements. Each element has one global number per axis, from 1; on an unstructured axis it is a label.
    type, public :: distview_index_list
        type(c_ptr) :: handle = c_null_ptr ! of the C face
        integer, private :: rank = 0
    contains
        procedure :: create => index_list_create
        procedure, private :: add_int32, add_int64, add_all_int32, add_all_int64
        generic :: add => add_int32, add_int64, add_all_int32, add_all_int64
        procedure, private :: add_box_int32, add_box_int64
        generic :: add_box => add_box_int32, add_box_int64
        procedure :: size => index_list_size
        procedure :: release => index_list_release
        procedure, private :: index_list_assign
        generic :: assignment(=) => index_list_assign
        final :: index_list_final
    end type

    interface
        integer(c_int) function c_index_list_create(rank, result) bind(C, name="distview_index_list_create")
            import :: c_int, c_ptr
            integer(c_int), value :: rank
            type(c_ptr), intent(inout) :: result
        end function
        function c_index_list_retain(list) bind(C, name="distview_index_list_retain") result(same)
            import :: c_ptr
            type(c_ptr), value :: list
            type(c_ptr) :: same
        end function
        subroutine c_index_list_release(list) bind(C, name="distview_index_list_release")
            import :: c_ptr
            type(c_ptr), value :: list
        end subroutine
        integer(c_int) function c_index_list_add(list, count, indices) bind(C, name="distview_index_list_add")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: list
            integer(c_int64_t), value :: count
            integer(c_int64_t), intent(in) :: indices(*)
        end function
        integer(c_int) function c_index_list_add_box(list, begin, end, step) &
            bind(C, name="distview_index_list_add_box")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: list
            integer(c_int64_t), intent(in) :: begin(*), end(*), step(*)
        end function
        integer(c_int) function c_index_list_size(list, size) bind(C, name="distview_index_list_size")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: list
            integer(c_int64_t), intent(inout) :: size
        end function
    end interface

contains

    ! An empty list of elements of arrays with `rank` axes.
    subroutine index_list_create(self, rank, stat, errmsg)
        class(distview_index_list), intent(inout) :: self
        integer, intent(in) :: rank
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_ptr) :: made
        integer(c_int) :: status
        made = c_null_ptr
        status = c_index_list_create(int(rank, c_int), made)
        if (status == distview_success) then
            call self%release()
            self%handle = made
            self%rank = rank
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! Appends elements: the first element's numbers along each axis, then the second's, and so on; or as an array with
    ! indices(:, k) of element k.
    !
    ! Errors: distview_usage_error unless each element has a number for each axis
    subroutine add_int64(self, indices, stat, errmsg)
        class(distview_index_list), intent(inout) :: self
        integer(int64), intent(in) :: indices(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t), allocatable :: reversed(:, :)
        integer(c_int) :: status
        integer(int64) :: n, numbers
        n = max(self%rank, 1)
        numbers = size(indices, kind=int64)
        if (mod(numbers, n) /= 0) then
            status = failure(distview_usage_error, "distview_index_list%add: expected " // decimal(self%rank) // &
                             " numbers for each element, got " // decimal(numbers))
        else
            reversed = reshape(indices - 1, [n, numbers / n])
            reversed = reversed(n:1:-1, :)
            status = c_index_list_add(self%handle, numbers / n, reversed)
        end if
        call settle(status, stat, errmsg)
    end subroutine

    subroutine add_int32(self, indices, stat, errmsg)
        class(distview_index_list), intent(inout) :: self
        integer(int32), intent(in) :: indices(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call add_int64(self, int(indices, int64), stat, errmsg)
    end subroutine

    subroutine add_all_int64(self, indices, stat, errmsg)
        class(distview_index_list), intent(inout) :: self
        integer(int64), intent(in) :: indices(:, :)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        if (size(indices, 1) /= self%rank) then
            status = failure(distview_usage_error, "distview_index_list%add: expected " // decimal(self%rank) // &
                             " numbers for each element, got " // decimal(size(indices, 1)))
            call settle(status, stat, errmsg)
            return
        end if
        call add_int64(self, reshape(indices, [size(indices, kind=int64)]), stat, errmsg)
    end subroutine

    subroutine add_all_int32(self, indices, stat, errmsg)
        class(distview_index_list), intent(inout) :: self
        integer(int32), intent(in) :: indices(:, :)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call add_all_int64(self, int(indices, int64), stat, errmsg)
    end subroutine

    ! Appends the elements of a box, the first axis fastest: lower(d), lower(d) + step(d), ... up to upper(d), as in a
    ! loop do i = lower(d), upper(d), step(d).
    !
    ! Errors: distview_usage_error for a step of 0, or unless lower, upper and step have a number for each axis
    subroutine add_box_int64(self, lower, upper, step, stat, errmsg)
        class(distview_index_list), intent(inout) :: self
        integer(int64), intent(in) :: lower(:), upper(:)
        integer(int64), intent(in), optional :: step(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t), allocatable :: begin(:), end(:), steps(:)
        integer(c_int) :: status
        integer :: n
        n = self%rank
        status = c_box(n, lower, upper, "distview_index_list%add_box", begin, end)
        allocate(steps(n), source=1_c_int64_t)
        if (present(step)) then
            if (size(step) == n) then
                steps = step(n:1:-1)
                where (steps < 0) end = end - 2
            else if (status == distview_success) then
                status = failure(distview_usage_error, "distview_index_list%add_box: expected " // decimal(n) // &
                                 " steps, got " // decimal(size(step)))
            end if
        end if
        if (status == distview_success) status = c_index_list_add_box(self%handle, begin, end, steps)
        call settle(status, stat, errmsg)
    end subroutine

    subroutine add_box_int32(self, lower, upper, step, stat, errmsg)
        class(distview_index_list), intent(inout) :: self
        integer(int32), intent(in) :: lower(:), upper(:)
        integer(int32), intent(in), optional :: step(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        if (present(step)) then
            call add_box_int64(self, int(lower, int64), int(upper, int64), int(step, int64), stat, errmsg)
        else
            call add_box_int64(self, int(lower, int64), int(upper, int64), stat=stat, errmsg=errmsg)
        end if
    end subroutine

    ! Converts the box lower(d) : upper(d) of `rank` axes for C: half-open, from 0, in C's order.
    integer(c_int) function c_box(rank, lower, upper, name, begin, end) result(status)
        integer, intent(in) :: rank
        integer(int64), intent(in) :: lower(:), upper(:)
        character(*), intent(in) :: name
        integer(c_int64_t), allocatable, intent(out) :: begin(:), end(:)
        status = distview_success
        allocate(begin(rank), end(rank), source=0_c_int64_t)
        if (size(lower) == rank .and. size(upper) == rank) then
            begin = lower(rank:1:-1) - 1
            end = upper(rank:1:-1)
        else
            status = failure(distview_usage_error, name // ": expected bounds along " // decimal(rank) // " axes, got " // &
                             decimal(size(lower)) // " lower and " // decimal(size(upper)) // " upper ones")
        end if
    end function

    integer(int64) function index_list_size(self, stat, errmsg) result(elements)
        class(distview_index_list), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: answer
        answer = 0
        call settle(c_index_list_size(self%handle, answer), stat, errmsg)
        elements = answer
    end function

    subroutine index_list_release(self)
        class(distview_index_list), intent(inout) :: self
        if (c_associated(self%handle)) call c_index_list_release(self%handle)
        self%handle = c_null_ptr
    end subroutine

    impure elemental subroutine index_list_assign(self, other)
        class(distview_index_list), intent(inout) :: self
        type(distview_index_list), intent(in) :: other
        type(c_ptr) :: same
        integer :: rank
        same = c_index_list_retain(other%handle)
        rank = other%rank
        call self%release()
        self%handle = same
        self%rank = rank
    end subroutine

    impure elemental subroutine index_list_final(self)
        type(distview_index_list), intent(inout) :: self
        call self%release()
    end subroutine
end module
