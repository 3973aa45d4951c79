! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Padding of plain arrays: odd bounds, sections with strides, components, pointers, element types, addresses, errors of
! one rank, both forms of stat. Every element tells its global numbers.
program test_padding
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32
    use distview
    use mpi
    implicit none
    integer :: failures = 0, all_failures, ierr, rank, ranks
    type(distview_communicator) :: comm

    call MPI_Init(ierr)
    call distview_initialize()
    call comm%create(MPI_COMM_WORLD)
    rank = comm%rank()
    ranks = comm%size()
    call forms()
    call types()
    call several()
    call errors()
    call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (rank == 0) then
        if (all_failures == 0) print "(a)", "DISTVIEW-TEST-PASSED"
        if (all_failures /= 0) print "(a, i0)", "DISTVIEW-TEST-FAILED: ", all_failures
    end if
    call comm%release()
    call distview_finalize()
    call MPI_Finalize(ierr)
    if (all_failures /= 0) error stop 1
contains
    subroutine check(condition, text)
        logical, intent(in) :: condition
        character(*), intent(in) :: text
        if (condition) return
        failures = failures + 1
        print "(a, i0, 2a)", "rank ", rank, ": ", text
    end subroutine

    ! 24 x 18 cells, periodic along the first axis; widths 1 and 2 along the second.
    subroutine make(layout, plan)
        type(distview_layout), intent(inout) :: layout
        type(distview_padding_plan), intent(inout) :: plan
        call layout%create([24, 18], distview_balanced_grid(ranks, 2), &
                           paddings=reshape([1, 1, 1, 2], [2, 2]), periodic=[.true., .false.])
        call plan%create(comm, layout)
    end subroutine

    real(8) function value(i, j)
        integer(int64), intent(in) :: i, j
        value = 100 * (modulo(i - 1, 24_int64) + 1) + j
    end function

    ! Sets what the section owns, in global bounds, and -1 elsewhere.
    subroutine set(u, layout)
        type(distview_layout), intent(in) :: layout
        real(8), intent(inout) :: u(:, :)
        integer(int64), allocatable :: b(:, :), o(:, :)
        integer(int64) :: i, j
        b = layout%global_bounds(rank)
        o = layout%global_owned(rank)
        do j = b(1, 2), b(2, 2)
            do i = b(1, 1), b(2, 1)
                u(i - b(1, 1) + 1, j - b(1, 2) + 1) = -1
                if (i >= max(o(1, 1), 1_int64) .and. i <= min(o(2, 1), 24_int64) .and. j >= o(1, 2) .and. &
                    j <= o(2, 2)) u(i - b(1, 1) + 1, j - b(1, 2) + 1) = value(i, j)
            end do
        end do
    end subroutine

    subroutine compare(u, layout, text)
        type(distview_layout), intent(in) :: layout
        real(8), intent(in) :: u(:, :)
        character(*), intent(in) :: text
        integer(int64), allocatable :: b(:, :)
        integer(int64) :: i, j, wrong
        b = layout%global_bounds(rank)
        wrong = 0
        do j = b(1, 2), b(2, 2)
            do i = b(1, 1), b(2, 1)
                if (u(i - b(1, 1) + 1, j - b(1, 2) + 1) /= value(i, j)) wrong = wrong + 1
            end do
        end do
        call check(wrong == 0, text)
    end subroutine

    subroutine forms()
        type(distview_layout) :: layout, same
        type(distview_padding_plan) :: plan
        type :: state
            real(8), allocatable :: u(:, :)
        end type
        type :: pair
            real(8) :: a, b
        end type
        type(state) :: s
        type(pair), allocatable, target :: w(:, :)
        type(distview_memory) :: m
        real(8), allocatable, target :: u(:, :), wide(:, :, :)
        real(8), pointer :: p(:, :)
        integer(int64), allocatable :: b(:, :), n(:)
        integer :: turn
        call make(layout, plan)
        same = layout
        call check(same == layout, "an assigned layout is the same")
        b = layout%local_bounds(rank)
        n = layout%local_shape(rank)
        call check(all(b(1, :) == [0, 0]), "padding has the number 0")
        allocate(u(b(1, 1):b(2, 1), b(1, 2):b(2, 2)), s%u(n(1), -3:n(2) - 4), w(0:n(1) - 1, n(2)))
        allocate(wide(2 * n(1), 3, n(2)), source=-7.0d0)
        m = distview_memory_of(u)
        call check(transfer(m%data, 0_c_intptr_t) == loc(u), "the array's own address")
        m = distview_memory_of(wide(1::2, 2, :))
        call check(transfer(m%data, 0_c_intptr_t) == loc(wide(1, 2, 1)) .and. m%strides(2) == 16, &
                   "the section's own address")
        do turn = 1, 3
            call set(u, layout)
            call plan%exchange(u)
            call compare(u, layout, "bounds from 0")
            call set(s%u, layout)
            call plan%exchange(s%u)
            call compare(s%u, layout, "a component, other bounds")
            call set(wide(1::2, 2, :), layout)
            call plan%exchange(wide(1::2, 2, :))
            call compare(wide(1::2, 2, :), layout, "a section with strides")
            call check(all(wide(2::2, :, :) == -7) .and. all(wide(:, 1, :) == -7), "beside the section")
            p => wide(2 * n(1):2:-2, 3, n(2):1:-1)
            p => u
            call set(p, layout)
            call plan%exchange(p)
            call compare(p, layout, "a pointer")
            call set(w%b, layout)
            call plan%exchange_memory([distview_component_of(w, c_loc(w(0, 1)%b), distview_float64)])
            call compare(w%b, layout, "a component of all elements")
        end do
    end subroutine

    ! Of an axis alone: each type brings its global number round the ring.
    subroutine types()
        type(distview_layout) :: layout
        type(distview_padding_plan) :: plan
        integer(int8), allocatable :: i1(:)
        integer(int16), allocatable :: i2(:)
        integer(int32), allocatable :: i4(:)
        integer(int64), allocatable :: i8(:)
        real(real32), allocatable :: r4(:)
        complex(real32), allocatable :: c4(:)
        complex(8), allocatable :: c8(:)
        logical, allocatable :: l(:)
        character(3), allocatable :: t(:)
        integer(int64), allocatable :: b(:, :)
        integer(int64) :: i, n
        integer :: g
        call layout%create([40], [ranks], padding=1, periodic=[.true.])
        call plan%create(comm, layout)
        b = layout%global_interior(rank)
        n = b(2, 1) - b(1, 1) + 1
        allocate(i1(0:n + 1), i2(0:n + 1), i4(0:n + 1), i8(0:n + 1), r4(0:n + 1), c4(0:n + 1), c8(0:n + 1), &
                 l(0:n + 1), t(0:n + 1))
        i1 = -1; i2 = -1; i4 = -1; i8 = -1; r4 = -1; c4 = -1; c8 = -1; l = .false.; t = "?"
        do i = 1, n
            g = int(b(1, 1) + i - 1)
            i1(i) = int(g, int8); i2(i) = int(g, int16); i4(i) = g; i8(i) = g; r4(i) = g
            c4(i) = cmplx(g, -g); c8(i) = cmplx(g, -g, 8); l(i) = mod(g, 3) == 0; write (t(i), "(i3)") g
        end do
        call plan%exchange(i1, i2, i4, i8, r4, c4, c8, l, t)
        do i = 0, n + 1, n + 1
            g = modulo(int(b(1, 1) + i) - 2, 40) + 1
            call check(i1(i) == g .and. i2(i) == g .and. i4(i) == g .and. i8(i) == g .and. r4(i) == g, "numbers")
            call check(c4(i) == cmplx(g, -g) .and. c8(i) == cmplx(g, -g, 8), "complex numbers")
            call check((l(i) .eqv. mod(g, 3) == 0) .and. verify(t(i), " 0123456789") == 0, "logicals, characters")
        end do
    end subroutine

    subroutine several()
        type(distview_layout) :: layout
        type(distview_padding_plan) :: plan
        type(distview_exchange) :: exchange
        real(8), allocatable, asynchronous :: u(:, :), v(:, :)
        integer(int64), allocatable :: n(:)
        integer :: stat
        call make(layout, plan)
        n = layout%local_shape(rank)
        allocate(u(n(1), n(2)), v(n(1), n(2)))
        call set(u, layout)
        call set(v, layout)
        call plan%start(exchange, u, v)
        call exchange%finish()
        call compare(u, layout, "started and finished")
        call compare(v, layout, "the second of two")
        call exchange%finish(stat=stat)
        call check(stat == distview_usage_error, "finished twice")
    end subroutine

    subroutine errors()
        type(distview_layout) :: layout, none
        type(distview_padding_plan) :: plan, unmade
        real(8), allocatable :: u(:, :), flat(:)
        integer(int64), allocatable :: n(:)
        character(200) :: errmsg
        integer :: stat
        call make(layout, plan)
        n = layout%local_shape(rank)
        allocate(u(n(1), n(2)), flat(n(1)))
        errmsg = "untouched"
        call set(u, layout)
        call plan%exchange(u, stat=stat, errmsg=errmsg)
        call check(stat == 0 .and. errmsg == "untouched", "no error")
        ! New to the plan on all ranks, of another rank on the last one: all get its error.
        call make(layout, plan)
        if (rank == ranks - 1) then
            call plan%exchange(flat, stat=stat, errmsg=errmsg)
        else
            call plan%exchange(u, stat=stat, errmsg=errmsg)
        end if
        call check(stat == merge(distview_shape_error, distview_usage_error, ranks == 1) .and. &
                   len_trim(errmsg) > 20, "another rank on one: " // trim(errmsg))
        call layout%create([10, 10], [ranks], stat=stat, errmsg=errmsg)
        call check(stat == distview_layout_error .and. index(errmsg, "grid of 2 axes") > 0, errmsg)
        call unmade%exchange(u, stat=stat, errmsg=errmsg)
        call check(stat == distview_usage_error .and. index(errmsg, "not created") > 0, errmsg)
        call unmade%create(comm, none, stat=stat)
        call check(stat == distview_usage_error, "a layout that was not created")
    end subroutine
end program
