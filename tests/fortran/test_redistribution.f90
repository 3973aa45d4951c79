! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Redistribution of plain arrays with all options. Oracle: formulas of the global indices.
program test_redistribution
    use, intrinsic :: iso_fortran_env, only: int32, int64
    use check_support
    use distview
    implicit none
    integer, parameter :: nx = 10, ny = 7
    character(400) :: errmsg
    integer :: stat

    call begin_checks()
    call transposed()
    call started()
    call slices()
    call other_ranks()
    call no_cells()
    call scaled()
    call options()
    call errors()
    call end_checks()
contains
    ! Blocks with padding 1, and cells dealt out cyclically in blocks of 2 x 3.
    subroutine make(blocks, cyclic)
        type(distview_layout), intent(inout) :: blocks, cyclic
        call blocks%create([nx, ny], distview_balanced_grid(ranks, 2), padding=1)
        call cyclic%create([nx, ny], distview_balanced_grid(ranks, 2), kinds=[distview_cyclic, distview_cyclic], &
                           block_sizes=[2, 3])
    end subroutine

    subroutine allocate_for(layout, u)
        type(distview_layout), intent(in) :: layout
        real(8), allocatable, intent(out) :: u(:, :)
        integer(int64), allocatable :: b(:, :)
        b = layout%local_bounds(rank)
        allocate(u(b(1, 1):b(2, 1), b(1, 2):b(2, 2)), source=-1d0)
    end subroutine

    pure real(8) function value(i, j)
        integer(int64), intent(in) :: i, j
        value = 100 * i + j
    end function

    subroutine set(layout, u)
        type(distview_layout), intent(in) :: layout
        real(8), allocatable, intent(inout) :: u(:, :)
        integer(int64), allocatable :: b(:, :)
        integer(int64) :: i, j
        b = layout%local_interior(rank)
        u = -1
        do j = b(1, 2), b(2, 2)
            do i = b(1, 1), b(2, 1)
                u(i, j) = value(layout%to_global(rank, 1, i), layout%to_global(rank, 2, j))
            end do
        end do
    end subroutine

    ! Whether interior cells of `u` are factor * value of their global indices, swapped if transposed.
    logical function is_right(layout, u, factor, is_transposed)
        type(distview_layout), intent(in) :: layout
        real(8), allocatable, intent(in) :: u(:, :)
        real(8), intent(in) :: factor
        logical, intent(in) :: is_transposed
        integer(int64), allocatable :: b(:, :)
        integer(int64) :: i, j, g(2)
        b = layout%local_interior(rank)
        is_right = .true.
        do j = b(1, 2), b(2, 2)
            do i = b(1, 1), b(2, 1)
                g = [layout%to_global(rank, 1, i), layout%to_global(rank, 2, j)]
                if (is_transposed) g = g(2:1:-1)
                is_right = is_right .and. u(i, j) == factor * value(g(1), g(2))
            end do
        end do
    end function

    subroutine transposed()
        type(distview_layout) :: blocks, cyclic, swapped
        type(distview_redistribution_plan) :: plan, back, turn, same
        real(8), allocatable :: u(:, :), v(:, :), w(:, :)
        integer :: time
        call make(blocks, cyclic)
        swapped = cyclic%permuted([2, 1])
        call allocate_for(blocks, u)
        call allocate_for(cyclic, v)
        call allocate_for(swapped, w)
        call plan%create(comm, blocks, cyclic)
        call back%create(comm, cyclic, blocks, fill_padding=.true.)
        call turn%create(comm, blocks, swapped, permutation=[2, 1])
        same = plan
        do time = 1, 3
            call set(blocks, u)
            v = 0
            if (time < 3) call plan%execute(u, v)
            if (time == 3) call same%execute(u, v)
            call check(is_right(cyclic, v, 1d0, .false.), "blocks to cyclic")
            u = 0
            call back%execute(v, u)
            call check(is_right(blocks, u, 1d0, .false.), "and back")
            call turn%execute(u, w)
            call check(is_right(swapped, w, 1d0, .true.), "transposed")
        end do
        ! fill_padding has also filled the padding between sections.
        call check_padding(blocks, u)
        call check(turn%workspace_bytes() >= 0 .and. len(turn%describe()) > 20, "a plan says what it does")
    end subroutine

    ! Two plans in flight at once; an exchange in flight cannot be started again, nor finished twice.
    subroutine started()
        type(distview_layout) :: blocks, cyclic
        type(distview_redistribution_plan) :: plan, back
        type(distview_exchange) :: there, other, again
        real(8), allocatable, target, asynchronous :: u(:, :), v(:, :), w(:, :), x(:, :)
        integer :: time
        logical :: is_there
        call make(blocks, cyclic)
        call allocate_for(blocks, u)
        call allocate_for(cyclic, v)
        call allocate_for(cyclic, w)
        call allocate_for(blocks, x)
        call plan%create(comm, blocks, cyclic)
        call back%create(comm, cyclic, blocks)
        call set(cyclic, w)
        do time = 1, 3
            call set(blocks, u)
            v = 0
            x = 0
            call plan%start(there, u, v)
            call back%start(other, w, x)
            is_there = there%can_finish()
            if (time == 1) then
                call plan%start(again, u, v, stat=stat, errmsg=errmsg)
                call check_error(stat, errmsg, distview_usage_error, "in flight")
            end if
            call there%finish()
            call other%finish()
            call check(is_right(cyclic, v, 1d0, .false.), "started and finished")
            call check(is_right(blocks, x, 1d0, .false.), "the second one of two")
        end do
        call there%finish(stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "called twice")
    end subroutine

    subroutine check_padding(layout, u)
        type(distview_layout), intent(in) :: layout
        real(8), allocatable, intent(in) :: u(:, :)
        integer(int64), allocatable :: b(:, :)
        integer(int64) :: i, j
        b = layout%global_bounds(rank)
        do j = max(b(1, 2), 1_int64), min(b(2, 2), int(ny, int64))
            do i = max(b(1, 1), 1_int64), min(b(2, 1), int(nx, int64))
                call check(u(lbound(u, 1) + i - b(1, 1), lbound(u, 2) + j - b(1, 2)) == value(i, j), "padding is filled")
            end do
        end do
    end subroutine

    ! From every second row of the source, with columns reversed, into a corner of the target.
    subroutine slices()
        type(distview_layout) :: blocks, cyclic
        type(distview_redistribution_plan) :: plan
        real(8), allocatable :: u(:, :), v(:, :)
        integer(int64), allocatable :: b(:, :)
        integer(int64) :: i, j, g(2)
        real(8) :: expected
        call make(blocks, cyclic)
        call allocate_for(blocks, u)
        call allocate_for(cyclic, v)
        call plan%create(comm, blocks, cyclic, from_slice=[distview_slice(2, 4, 2), distview_slice(6, 5, -1)], &
                         to_slice=[distview_slice(3, 4, 1), distview_slice(2, 5, 1)])
        call set(blocks, u)
        v = -7
        call plan%execute(u, v)
        b = cyclic%local_interior(rank)
        do j = b(1, 2), b(2, 2)
            do i = b(1, 1), b(2, 1)
                g = [cyclic%to_global(rank, 1, i), cyclic%to_global(rank, 2, j)]
                expected = -7
                if (g(1) >= 3 .and. g(1) < 7 .and. g(2) >= 2 .and. g(2) < 7) &
                    expected = value(2 + 2 * (g(1) - 3), 6 - (g(2) - 2))
                call check(v(i, j) == expected, "slices")
            end do
        end do
    end subroutine

    ! From the last rank alone to all ranks in reverse order.
    subroutine other_ranks()
        type(distview_layout) :: alone, blocks
        type(distview_redistribution_plan) :: plan
        real(8), allocatable :: u(:, :), v(:, :)
        integer(int64), allocatable :: b(:, :), n(:)
        integer(int64) :: i, j
        integer :: r, process
        call alone%create([nx, ny], [1, 1])
        call blocks%create([nx, ny], distview_balanced_grid(ranks, 2))
        process = ranks - 1 - rank
        b = blocks%global_interior(process)
        n = blocks%local_shape(process)
        allocate(v(n(1), n(2)), source=0d0)
        if (rank == ranks - 1) then
            allocate(u(nx, ny))
            do j = 1, ny
                do i = 1, nx
                    u(i, j) = value(i, j)
                end do
            end do
        end if
        call plan%create(comm, alone, blocks, from_ranks=[ranks - 1], to_ranks=[(r, r=ranks - 1, 0, -1)])
        call plan%execute(u, v) ! on other ranks u is not allocated, hence absent
        do j = 1, n(2)
            do i = 1, n(1)
                call check(v(i, j) == value(b(1, 1) + i - 1, b(1, 2) + j - 1), "from the last rank alone")
            end do
        end do
    end subroutine

    ! From the one rank that has rows: the other ranks have nothing to allocate.
    subroutine no_cells()
        type(distview_layout) :: rows, columns
        type(distview_redistribution_plan) :: plan
        real(8), allocatable :: u(:, :), v(:, :), w(:, :)
        integer(int64), allocatable :: n(:)
        integer :: time
        call rows%create([1, 6], [ranks, 1])
        call columns%create([1, 6], [1, ranks])
        n = columns%local_shape(rank)
        if (rank == 0) allocate(u(1, 6), source=3d0)
        allocate(v(n(1), n(2)))
        call plan%create(comm, rows, columns)
        do time = 1, 3
            v = 0
            call plan%execute(u, v)
            call check(all(v == 3), "from the rank that has cells")
            ! The target, which has cells here, is not allocated.
            if (time == 1) then
                call plan%execute(u, w, stat=stat, errmsg=errmsg)
                call check_error(stat, errmsg, distview_usage_error, "allocated, got one that is not")
            end if
        end do
        call plan%execute_scaled(2d0, u, 1d0, v)
        call check(all(v == 9), "added, twice")
    end subroutine

    subroutine scaled()
        type(distview_layout) :: blocks, cyclic
        type(distview_redistribution_plan) :: plan
        real(8), allocatable :: u(:, :), v(:, :)
        call make(blocks, cyclic)
        call allocate_for(blocks, u)
        call allocate_for(cyclic, v)
        call set(blocks, u)
        call set(cyclic, v)
        call plan%create(comm, blocks, cyclic)
        call plan%execute_scaled(2d0, u, -3d0, v)
        call check(is_right(cyclic, v, -1d0, .false.), "beta * target + alpha * source")
        call plan%combine(distview_sum, u, v)
        call check(is_right(cyclic, v, 0d0, .false.), "added")
        call plan%combine(distview_maximum, u, v)
        call check(is_right(cyclic, v, 1d0, .false.), "the greater ones")
    end subroutine

    subroutine options()
        type(distview_layout) :: row, dealt, few
        type(distview_redistribution_plan) :: plan
        type(distview_axis) :: axes(1)
        complex(8), allocatable :: u(:), v(:)
        complex(8), allocatable :: shared(:)
        integer(int64), allocatable :: b(:, :), n(:)
        integer(int64) :: i
        call row%create([24], [ranks])
        call dealt%create([24], [ranks], kinds=[distview_cyclic])
        b = row%global_interior(rank)
        n = dealt%local_shape(rank)
        allocate(u(b(1, 1):b(2, 1)), v(n(1)))
        u = [(cmplx(i, -i, 8), i=b(1, 1), b(2, 1))]
        call plan%create(comm, row, dealt, conjugate=.true.)
        v = 0
        call plan%execute(u, v)
        do i = 1, n(1)
            call check(v(i) == cmplx(1, 1, 8) * dealt%to_global(rank, 1, i), "conjugated")
        end do
        ! Source and target in one array, with a small buffer.
        allocate(shared(max(size(u, kind=int64), n(1))))
        shared(:size(u)) = u
        call plan%create(comm, row, dealt, in_place=.true., buffer_bytes=4096_int64, moving=.true.)
        call plan%execute(shared(:size(u)), shared(:n(1)))
        do i = 1, n(1)
            call check(shared(i) == cmplx(1, -1, 8) * dealt%to_global(rank, 1, i), "in place")
        end do
        ! A target with labels that the source lacks; elements with such labels keep their values.
        axes(1)%kind = distview_unstructured
        axes(1)%counts = [(4_int64, i=1, ranks)]
        axes(1)%labels = [(2 * i, i=1, 4 * ranks)]
        axes(1)%extent = 0
        call few%create(axes, [ranks])
        call plan%create(comm, row, few, allow_missing_indices=.true., stat=stat, errmsg=errmsg)
        call check(stat == 0, "missing indices are allowed: " // trim(errmsg))
    end subroutine

    subroutine errors()
        type(distview_layout) :: blocks, cyclic, no_layout
        type(distview_redistribution_plan) :: plan, none
        real(8), allocatable :: u(:, :), v(:, :)
        integer(int32), allocatable :: other(:, :)
        call make(blocks, cyclic)
        call allocate_for(blocks, u)
        call allocate_for(cyclic, v)
        allocate(other(size(v, 1), size(v, 2)), source=0)
        call plan%create(comm, blocks, cyclic, permutation=[1], stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_layout_error, "expected 2 axes of a permutation, got 1")
        call plan%create(comm, blocks, cyclic, permutation=[2, 1], stat=stat, errmsg=errmsg)
        call check(stat == distview_layout_error, "axes that do not fit: " // trim(errmsg))
        call plan%create(comm, blocks, no_layout, permutation=[2, 1], stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "expected a target's layout, got a null pointer")
        call none%execute(u, v, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "not created")
        call plan%create(comm, blocks, cyclic)
        call plan%execute(u, other, stat=stat, errmsg=errmsg)
        call check(stat == distview_shape_error, "other elements: " // trim(errmsg))
        call plan%execute_scaled(2.0, u, 1d0, v, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_shape_error, "alpha and beta of the element type")
    end subroutine
end program
