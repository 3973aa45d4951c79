! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_axes: axes as programs describe them, converted for the C face. Programs use module distview.
module distview_axes
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64
    use distview_base
    implicit none
    private
    public :: distview_distribution
    public :: c_axis_of, c_permutation, c_slices ! for the other modules

    ! One axis of a layout. bounds: the first global index of each process's block, then the last index plus one. For
    ! unstructured axes, counts: number of labels of each process; labels: all labels, one process after the other;
    ! ghosts: number of labels at the end of each process's labels that are ghosts.
    type, public :: distview_axis
        integer(int64) :: extent = 0
        integer :: kind = distview_block
        logical :: periodic = .false.
        integer(int64) :: padding(2) = 0   ! low and high
        integer(int64) :: boundary(2) = -1 ! at the ends of the array; -1: as wide as padding
        integer(int64) :: block_size = 1   ! for cyclic axes
        integer(int64), allocatable :: bounds(:), counts(:), labels(:), ghosts(:)
        integer(int64), allocatable :: paddings(:, :) ! for distview_block_bounds: low and high padding of each process
        logical :: one_to_one = .false.               ! for labels: promises that none occurs twice
        procedure(distview_distribution), pointer, nopass :: distribution => null() ! for distview_user
    end type

    abstract interface
        ! A distribution of the program: sets the `process`, and the local number `position`, from 1, in its section, of
        ! cell `index` of an axis, from 1. stat is 0 at entry; the procedure sets it by distview_fail() if it fails.
        subroutine distview_distribution(index, process, position, stat)
            import :: int64
            integer(int64), intent(in) :: index
            integer, intent(out) :: process
            integer(int64), intent(out) :: position
            integer, intent(inout) :: stat
        end subroutine
    end interface
    type, public :: distribution_call
        procedure(distview_distribution), pointer, nopass :: distribution => null()
    end type

    ! Picks `count` cells of an axis, every step-th from `begin` on; count -1: as many as possible.
    type, public :: distview_slice
        integer(int64) :: begin = 1
        integer(int64) :: count = -1
        integer(int64) :: step = 1
    end type

    ! distview_axis and distview_slice of C.
    type, bind(C), public :: c_axis
        integer(c_int32_t) :: kind = 0, periodic = 0
        integer(c_int64_t) :: extent = 0, padding_low = 0, padding_high = 0, boundary_low = 0, &
            boundary_high = 0
        integer(c_int32_t) :: own_boundary = 0, one_to_one = 0
        integer(c_int64_t) :: block_size = 0
        type(c_ptr) :: bounds = c_null_ptr, paddings = c_null_ptr, counts = c_null_ptr, &
            labels = c_null_ptr, ghosts = c_null_ptr
        integer(c_int32_t) :: known_process = 0, unused = 0
        type(c_funptr) :: distribution = c_null_funptr
        type(c_ptr) :: user = c_null_ptr
    end type
    type, bind(C), public :: c_slice
        integer(c_int64_t) :: begin = 0, count = -1, step = 1
    end type
    type, public :: axis_lists
        integer(c_int64_t), allocatable :: bounds(:), paddings(:, :), counts(:), labels(:), ghosts(:)
    end type

contains

    ! Converts an axis for the C face. Its lists are kept elsewhere.
    integer(c_int) function c_axis_of(axis, processes, to, kept, user) result(status)
        type(distview_axis), intent(in) :: axis
        integer, intent(in) :: processes
        type(c_axis), intent(inout) :: to
        type(axis_lists), intent(inout), target :: kept
        type(distribution_call), intent(inout), target :: user
        to%kind = int(axis%kind, c_int32_t)
        to%periodic = merge(1, 0, axis%periodic)
        to%extent = axis%extent
        to%padding_low = axis%padding(1)
        to%padding_high = axis%padding(2)
        to%own_boundary = merge(1, 0, any(axis%boundary >= 0))
        to%boundary_low = merge(axis%boundary(1), axis%padding(1), axis%boundary(1) >= 0)
        to%boundary_high = merge(axis%boundary(2), axis%padding(2), axis%boundary(2) >= 0)
        to%block_size = axis%block_size
        to%one_to_one = merge(1, 0, axis%one_to_one)
        status = distview_success
        if (axis%kind == distview_block_bounds) then
            if (.not. allocated(axis%bounds)) then
                status = failure(distview_layout_error, "distview_layout: expected bounds of blocks, " // &
                                 "got none")
            else if (size(axis%bounds) /= processes + 1) then
                status = failure(distview_layout_error, "distview_layout: expected " // &
                                 decimal(processes + 1) // " bounds, got " // decimal(size(axis%bounds)))
            else
                kept%bounds = axis%bounds - 1
                to%bounds = c_loc(kept%bounds)
            end if
            if (allocated(axis%paddings) .and. status == distview_success) then
                if (any(shape(axis%paddings) /= [2, processes])) &
                    status = failure(distview_layout_error, "distview_layout: expected 2 paddings for each of " // &
                                     decimal(processes) // " processes, got " // decimal(size(axis%paddings)))
                kept%paddings = axis%paddings
                to%paddings = c_loc(kept%paddings)
            end if
        else if (axis%kind == distview_unstructured) then
            if (.not. (allocated(axis%counts) .and. allocated(axis%labels))) then
                status = failure(distview_layout_error, "distview_layout: expected counts and labels, " // &
                                 "got none")
            else if (size(axis%counts) /= processes .or. sum(axis%counts) /= size(axis%labels)) then
                status = failure(distview_layout_error, "distview_layout: expected " // &
                                 decimal(processes) // " counts, in sum " // decimal(size(axis%labels)) // &
                                 ", got " // decimal(size(axis%counts)) // ", in sum " // &
                                 decimal(int(sum(axis%counts))))
            else
                if (allocated(axis%ghosts)) then
                    if (size(axis%ghosts) /= processes) &
                        status = failure(distview_layout_error, "distview_layout: expected " // decimal(processes) // &
                                         " numbers of ghosts, got " // decimal(size(axis%ghosts)))
                end if
                kept%counts = axis%counts
                kept%labels = axis%labels - 1
                to%counts = c_loc(kept%counts)
                to%labels = c_loc(kept%labels)
                if (allocated(axis%ghosts)) then
                    kept%ghosts = axis%ghosts
                    to%ghosts = c_loc(kept%ghosts)
                end if
            end if
        else if (axis%kind == distview_user .and. associated(axis%distribution)) then
            user%distribution => axis%distribution
            to%distribution = c_funloc(call_distribution)
            to%user = c_loc(user)
        end if
    end function

    integer(c_int) function call_distribution(index, process, position, user) bind(C, name="") result(status)
        integer(c_int64_t), value :: index
        integer(c_int), intent(out) :: process
        integer(c_int64_t), intent(out) :: position
        type(c_ptr), value :: user
        type(distribution_call), pointer :: to
        integer :: of_process, stat
        integer(int64) :: local
        call c_f_pointer(user, to)
        stat = distview_success
        of_process = -1
        local = 0
        call to%distribution(index + 1, of_process, local, stat)
        process = of_process
        position = local - 1
        status = stat
    end function

    ! Converts axes from 1 in Fortran's order to axes from 0 in C's order.
    pure function c_permutation(permutation) result(reversed)
        integer, intent(in) :: permutation(:)
        integer(c_int) :: reversed(size(permutation))
        reversed = int(size(permutation) - permutation(size(permutation):1:-1), c_int)
    end function

    pure function c_slices(slices) result(reversed)
        type(distview_slice), intent(in) :: slices(:)
        type(c_slice) :: reversed(size(slices))
        integer :: d, n
        n = size(slices)
        do d = 1, n
            reversed(n + 1 - d) = c_slice(slices(d)%begin - 1, slices(d)%count, slices(d)%step)
        end do
    end function
end module
