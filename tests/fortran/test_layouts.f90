! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Layouts of all kinds of axes and any number of processes, against formulas; each rank queries all processes.
module distributions
    use, intrinsic :: iso_fortran_env, only: int64
    use distview
    implicit none
    integer :: dealers = 1

contains

    ! A distribution of the program's own: cyclic, with the processes in reverse order.
    subroutine backwards(index, process, position, stat)
        integer(int64), intent(in) :: index
        integer, intent(out) :: process
        integer(int64), intent(out) :: position
        integer, intent(inout) :: stat
        process = dealers - 1 - int(mod(index - 1, int(dealers, int64)))
        position = (index - 1) / dealers + 1
        if (index < 1) stat = distview_other_error
    end subroutine

    subroutine refusing(index, process, position, stat)
        integer(int64), intent(in) :: index
        integer, intent(out) :: process
        integer(int64), intent(out) :: position
        integer, intent(inout) :: stat
        process = 0
        position = index
        if (index == 7) call distview_fail(stat, distview_layout_error, "refusing: expected no seven")
    end subroutine
end module

program test_layouts
    use, intrinsic :: iso_c_binding, only: c_null_ptr
    use, intrinsic :: iso_fortran_env, only: int64
    use check_support
    use distributions
    use distview
    use mpi
    implicit none
    character(300) :: errmsg
    integer :: stat

    call begin_checks()
    call blocks()
    call grids()
    call kinds()
    call lists()
    call functions()
    call placed()
    call errors()
    call end_checks()
contains
    ! 10 cells on 4 processes: 3, 3, 2, 2; padding 1 and 2, with another width at the ends.
    subroutine blocks()
        type(distview_layout) :: layout
        type(distview_axis) :: axes(1)
        integer(int64), parameter :: first(4) = [1, 4, 7, 9], last(4) = [3, 6, 8, 10]
        integer(int64), allocatable :: b(:, :)
        integer(int64) :: low, high, i
        integer :: p
        axes(1)%extent = 10
        axes(1)%padding = [1, 2]
        axes(1)%boundary = [3, 0]
        call layout%create(axes, [4])
        call check(layout%rank() == 1 .and. layout%process_count() == 4 .and. layout%size() == 10, "what it is made of")
        do p = 0, 3
            low = merge(3, 1, p == 0)
            high = merge(0, 2, p == 3)
            b = layout%global_interior(p)
            call check(b(1, 1) == first(p + 1) .and. b(2, 1) == last(p + 1), "cells of a block")
            b = layout%global_bounds(p)
            call check(b(1, 1) == first(p + 1) - low .and. b(2, 1) == last(p + 1) + high, "with all padding")
            b = layout%global_owned(p)
            call check(b(1, 1) == first(p + 1) - merge(3, 0, p == 0) .and. b(2, 1) == last(p + 1), "with its own padding")
            b = layout%local_bounds(p)
            call check(b(1, 1) == 1 - low .and. b(2, 1) == last(p + 1) - first(p + 1) + 1 + high, "local bounds")
            b = layout%local_owned(p)
            call check(b(1, 1) == 1 - merge(3, 0, p == 0), "local bounds of its own")
            do i = first(p + 1), last(p + 1)
                call check(layout%owner([i]) == p, "owner of a cell")
                call check(layout%to_global(p, 1, layout%to_local(p, 1, i)) == i, "there and back")
            end do
        end do
        call check(layout%to_local(0, 1, 10) == -huge(0_int64), "a cell that a section does not hold")
    end subroutine

    ! Ranks are numbered along the first axis of the grid fastest.
    subroutine grids()
        type(distview_layout) :: layout, turned
        integer :: p
        call layout%create([12, 10, 7], [3, 2, 1], periodic=[.true., .false., .false.])
        call check(all(layout%grid() == [3, 2, 1]) .and. all(layout%extents() == [12, 10, 7]), "grid and extents")
        do p = 0, 5
            call check(all(layout%coordinates(p) == [mod(p, 3), p / 3, 0]), "coordinates")
            call check(layout%owner([4 * mod(p, 3) + 1, 5 * (p / 3) + 1, 7]) == p, "owner in a grid")
            call check(all(layout%local_shape(p) == [4, 5, 7]), "shape of a section")
        end do
        turned = layout%permuted([3, 1, 2])
        call check(all(turned%extents() == [7, 12, 10]) .and. all(turned%grid() == [1, 3, 2]), "permuted")
        call check(.not. turned == layout .and. turned%fingerprint() /= layout%fingerprint(), "another layout")
        turned = turned%permuted([2, 3, 1])
        call check(turned == layout .and. turned%fingerprint() == layout%fingerprint(), "and back")
        call check(all(distview_balanced_grid(6, 2) == [2, 3]) .or. all(distview_balanced_grid(6, 2) == [3, 2]), &
                   "a balanced grid")
    end subroutine

    subroutine kinds()
        type(distview_layout) :: layout
        type(distview_axis) :: axes(2)
        integer(int64) :: i, j
        integer(int64), allocatable :: b(:, :)
        axes(1)%kind = distview_cyclic
        axes(1)%extent = 11
        axes(1)%block_size = 2
        axes(2)%kind = distview_block_bounds
        axes(2)%bounds = [1, 3, 3, 9]
        axes(2)%paddings = reshape([0, 1, 0, 0, 1, 0], [2, 3])
        call layout%create(axes, [2, 3])
        call check(all(layout%extents() == [11, 8]), "extents from bounds")
        do j = 1, 8
            do i = 1, 11
                call check(layout%owner([i, j]) == mod((i - 1) / 2, 2_int64) + merge(0, 4, j < 3), "owner of a pair")
            end do
        end do
        b = layout%global_interior(4, stat, errmsg)
        call check(stat == distview_usage_error, "cyclic cells do not follow each other")
        b = layout%local_bounds(0)
        call check(all(b(2, :) == [6, 3]), "padding of a process of its own")
        b = layout%local_bounds(2)
        call check(b(2, 2) == 0, "a process without cells")
        call layout%create([10], [4], kinds=[distview_regular_block])
        call check(all(layout%local_shape(3) == [1]), "regular blocks: 3, 3, 3, 1")
        call layout%create([8, 8], [2, 2], padding=1, kinds=[distview_block, distview_cyclic])
        call check(all(layout%local_shape(0) == [6, 4]), "padding along blocks")
        call layout%create([8], [2], padding=1, kinds=[distview_cyclic], stat=stat, errmsg=errmsg)
        call check(stat == distview_layout_error .and. index(errmsg, "padding only along axes of blocks, got a width of 1") > 0, &
                   "padding along a cyclic axis")
    end subroutine

    subroutine lists()
        type(distview_layout) :: layout
        type(distview_axis) :: axes(1)
        axes(1)%kind = distview_unstructured
        axes(1)%counts = [3, 2]
        axes(1)%labels = [5, 1, 2, 4, 3]
        axes(1)%one_to_one = .true.
        call layout%create(axes, [2])
        call check(layout%owner([2]) == 0 .and. layout%owner([3]) == 1, "owners of labels")
        call check(layout%to_global(0, 1, 1) == 5 .and. layout%to_local(1, 1, 3) == 2, "labels and positions")
        axes(1)%counts = [4, 2]
        axes(1)%labels = [5, 1, 2, 4, 3, 4]
        axes(1)%ghosts = [1, 0]
        axes(1)%one_to_one = .false.
        call layout%create(axes, [2])
        call check(layout%owner([4]) == 1 .and. all(layout%local_shape(0) == [4]), "a ghost belongs to another")
    end subroutine

    subroutine functions()
        type(distview_layout) :: layout
        type(distview_axis) :: axes(1)
        integer(int64) :: i
        axes(1)%kind = distview_user
        axes(1)%extent = 11
        axes(1)%distribution => backwards
        dealers = 3
        call layout%create(axes, [3])
        do i = 1, 11
            call check(layout%owner([i]) == 2 - mod(i - 1, 3_int64), "owner by a function")
            call check(layout%to_local(layout%owner([i]), 1, i) == (i - 1) / 3 + 1, "position by a function")
        end do
        axes(1)%distribution => refusing
        call layout%create(axes, [1], stat, errmsg)
        call check_error(stat, errmsg, distview_layout_error, "refusing: expected no seven")
        call check(distview_error_class() == "LayoutError", "class of an error")
        call check(all(layout%extents() == [11]), "what failed has changed nothing")
        axes(1)%distribution => null()
        call layout%create(axes, [1], stat, errmsg)
        call check_error(stat, errmsg, distview_usage_error, "a distribution of an axis")
    end subroutine

    ! Ranks dealt out cyclically to two nodes of 8 ranks each: the ranks of a node become neighbours. One node: no change.
    subroutine placed()
        type(distview_axis) :: axes(2)
        integer :: grid(2), ranks_of(16), r, own, turned, ierr
        integer(int64) :: between, balanced
        integer, allocatable :: nodes(:), order(:)
        axes%extent = [128_int64, 32_int64]
        axes(1)%padding = 1
        axes(2)%padding = 1
        call distview_place_on_nodes([(mod(r, 2), r=0, 15)], axes, grid, ranks_of, between_nodes=between, &
                                     between_nodes_of_balanced=balanced)
        call check(product(grid) == 16 .and. grid(1) > grid(2), "more processes along the longer axis")
        call check(between > 0 .and. between < balanced, "less goes between nodes")
        call check(all([(any(ranks_of == r), r=0, 15)]), "every rank is one process")
        call distview_place_on_nodes([0, 0], axes, grid(:1), ranks_of, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_layout_error, "room for a grid of 2 axes, got 1")
        call distview_place_on_nodes([0, 0], axes, grid, ranks_of, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_layout_error, "room for 2 ranks, got 16")
        axes(2)%kind = distview_block_bounds
        axes(2)%bounds = [1, 33]
        call distview_place_on_nodes([0, 0], axes, grid, ranks_of(:2), stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_layout_error, "got the kind 2")
        nodes = comm%nodes()
        call check(size(nodes) == ranks .and. all(nodes == 0), "one node")
        order = [(r, r=ranks - 1, 0, -1)]
        call comm%order_ranks(order, turned)
        call MPI_Comm_rank(turned, own, ierr)
        call check(own == ranks - 1 - rank, "ranks in reverse")
        call MPI_Comm_free(turned, ierr)
        call comm%order_ranks([order, 0], turned, stat=stat, errmsg=errmsg)
        call check(stat == distview_usage_error, "one too many")
    end subroutine

    subroutine errors()
        type(distview_layout) :: layout, none, turned
        type(distview_axis) :: axes(1)
        type(distview_memory) :: memory
        call layout%create([-1], [1], stat=stat, errmsg=errmsg)
        call check(stat == distview_layout_error, "a negative extent")
        call layout%create([10, 10], [1, 1], periodic=[.true.], stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_layout_error, "expected 2 periodic, one for each axis, got 1")
        call layout%create([10, 10], [1, 1], paddings=reshape([1, 1], [1, 2]), stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_layout_error, "low and high")
        axes(1)%kind = distview_block_bounds
        call layout%create(axes, [1], stat, errmsg)
        call check_error(stat, errmsg, distview_layout_error, "expected bounds of blocks, got none")
        axes(1)%bounds = [1, 5, 3]
        call layout%create(axes, [1], stat, errmsg)
        call check_error(stat, errmsg, distview_layout_error, "expected 2 bounds, got 3")
        axes(1)%kind = distview_unstructured
        call layout%create(axes, [1], stat, errmsg)
        call check_error(stat, errmsg, distview_layout_error, "expected counts and labels")
        axes(1)%counts = [2, 2]
        axes(1)%labels = [1, 2, 3, 2]
        axes(1)%ghosts = [0]
        call layout%create(axes, [2], stat, errmsg)
        call check_error(stat, errmsg, distview_layout_error, "expected 2 numbers of ghosts, got 1")
        axes(1)%kind = 99
        call layout%create(axes, [1], stat, errmsg)
        call check(stat == distview_usage_error, "no such kind: " // trim(errmsg))
        call layout%create([10], [2])
        if (layout%owner([99], stat, errmsg) == 0) continue
        call check(stat == distview_usage_error .and. index(errmsg, "98") > 0, "outside: " // trim(errmsg))
        if (layout%to_global(0, 3, 1, stat, errmsg) == 0) continue
        call check_error(stat, errmsg, distview_usage_error, "expected an axis from 1 to 1, got 3")
        memory = distview_memory_at(c_null_ptr, distview_float64, [5_int64, 2_int64], [8_int64], stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_shape_error, "expected 2 strides, one for each extent, got 1")
        memory = distview_memory_at(c_null_ptr, distview_float64, [0_int64], [8_int64], stat=stat)
        call check(stat == 0 .and. memory%rank == 1, "as many strides as extents")
        if (none%rank(stat, errmsg) == 0) continue
        call check_error(stat, errmsg, distview_usage_error, "a layout")
        if (none%to_global(0, 1, 1, stat, errmsg) == 0) continue
        call check_error(stat, errmsg, distview_usage_error, "expected a layout, got one that was not created")
        call layout%create([10, 4], [2, 1])
        turned = layout%permuted([0, 1], stat, errmsg)
        call check_error(stat, errmsg, distview_layout_error, "expected a permutation of the axes 1 to 2, got 0 1")
        turned = layout%permuted([2, 2], stat, errmsg)
        call check_error(stat, errmsg, distview_layout_error, "expected a permutation of the axes 1 to 2, got 2 2")
        layout = none%permuted([2, 1], stat, errmsg)
        call check_error(stat, errmsg, distview_usage_error, "expected a layout, got a null pointer")
    end subroutine
end program
