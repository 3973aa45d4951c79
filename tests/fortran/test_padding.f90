! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Padding of plain arrays: odd bounds, sections with strides, components, pointers, element types, addresses, errors of
! one rank, both forms of stat. Oracle: every element holds its global indices.
program test_padding
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32
    use check_support
    use distview
    use mpi
    implicit none
    real(8), allocatable :: u(:, :), v(:, :) ! of the kernel

    call begin_checks()
    call forms()
    call types()
    call several()
    call many()
    call kernels()
    call moving()
    call required()
    call checking()
    call errors()
    call report()
    call missing_rank()
    call end_checks()
contains
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

    ! Sets the cells that this rank owns from their global indices, and all others to -1.
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
        call check(c_associated(m%data, c_loc(u)), "the array's own address")
        m = distview_memory_of(wide(1::2, 2, :))
        call check(c_associated(m%data, c_loc(wide(1, 2, 1))) .and. m%strides(2) == 16, &
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

    ! One axis: for each element type, cells hold their global index on a ring.
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
        real(8), allocatable, target, asynchronous :: u(:, :), v(:, :)
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

    ! In checking mode, reductions report elements computed from padding that is not valid.
    subroutine checking()
        type(distview_layout) :: layout
        type(distview_padding_plan) :: plan
        real(8), allocatable, target :: u(:), v(:)
        integer(int64), allocatable :: n(:)
        integer :: stat
        logical :: exchanged
        character(300) :: errmsg
        call check(distview_current_check() == distview_check_nothing, "nothing is checked")
        call distview_set_check(2, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "expected a distview_check in [0, 2), got 2")
        call distview_set_check(distview_check_padding)
        call check(distview_current_check() == distview_check_padding, "padding is checked")
        call layout%create([24], [ranks], padding=1, periodic=[.true.])
        call plan%create(comm, layout)
        n = layout%local_shape(rank)
        allocate(u(n(1)), v(n(1)))
        u = 0
        v = 0
        call plan%set_label(v, "height", stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "a field that this plan has exchanged")
        call plan%require(1, u, v)
        u(2:n(1) - 1) = 1
        call plan%mark_written(u)
        call smooth(u, v)
        call plan%mark_written(v)
        call plan%set_label(v, "height")
        call plan%require(1, v, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "not computed from invalid padding")
        call check(index(errmsg, " of 'height'") > 0, "by the name that it has")
        call plan%require(1, u, exchanged=exchanged)
        call smooth(u, v)
        call plan%mark_written(v)
        call plan%require(1, v)
        call check(exchanged .and. all(v == 2), "with valid padding")
        call distview_set_check(distview_check_nothing)
    end subroutine

    subroutine smooth(u, v)
        real(8), intent(in) :: u(:)
        real(8), intent(inout) :: v(:)
        integer :: i
        do i = 2, size(u) - 1
            v(i) = u(i - 1) + u(i + 1)
        end do
    end subroutine

    ! require() exchanges outdated padding only: of plain arrays, and of arrays with handles, which record its valid depth.
    subroutine required()
        type(distview_layout) :: layout
        type(distview_padding_plan) :: plan
        type(distview_array) :: arrays(2)
        real(8), allocatable, target :: u(:, :), v(:, :)
        integer(int64), allocatable :: n(:), depths(:, :)
        integer :: stat
        logical :: exchanged, has_corners
        character(300) :: errmsg
        call layout%create([24, 18], [ranks, 1], paddings=reshape([1, 2, 0, 0], [2, 2]), periodic=[.true., .false.])
        call plan%create(comm, layout)
        n = layout%local_shape(rank)
        allocate(u(n(1), n(2)), v(n(1), n(2)))
        call set(u, layout)
        call set(v, layout)
        call plan%require(1, u, v, exchanged=exchanged)
        call check(exchanged, "new arrays are exchanged")
        call compare(u, layout, "required")
        call compare(v, layout, "required, the second one")
        call plan%require(1, u, v, depth_high=2, exchanged=exchanged)
        call check(.not. exchanged, "nothing was written since")
        call set(u, layout)
        call plan%mark_written(u)
        call set(v, layout)
        call plan%require(1, u, v, exchanged=exchanged)
        call check(exchanged, "u was written")
        call compare(u, layout, "required again")
        call check(v(1, 1) == -1, "v was, but nobody has said so")
        call plan%mark_written_memory([distview_memory_of(v)])
        call plan%require_memory(1, [distview_memory_of(u), distview_memory_of(v)], exchanged=exchanged)
        call check(exchanged, "v was written")
        call compare(v, layout, "required by memory")

        call arrays(1)%borrow(comm, layout, u)
        call arrays(2)%create(comm, layout, distview_float32)
        depths = arrays(1)%valid_padding(has_corners)
        call check(all(shape(depths) == [2, 2]) .and. all(depths == 0) .and. .not. has_corners, "of a new array")
        call plan%require_arrays(1, arrays, exchanged=exchanged)
        call check(exchanged, "new handles are exchanged")
        depths = arrays(1)%valid_padding(has_corners)
        call check(all(depths(:, 1) == [1, 2]) .and. all(depths(:, 2) == 0) .and. has_corners, &
                   "as deep as the plan fills it")
        call arrays(1)%mark_written()
        call check(all(arrays(1)%valid_padding() == 0), "marked as written")
        call arrays(1)%mark_padding_valid(reshape([1, 1, 0, 1], [2, 2]), has_corners=.false.)
        depths = arrays(1)%valid_padding(has_corners)
        call check(all(depths(:, 1) == [1, 1]) .and. all(depths(:, 2) == [0, 1]) .and. .not. has_corners, &
                   "as the program says")
        call plan%require_arrays(1, arrays, depth_high=2, exchanged=exchanged)
        call check(exchanged, "not so deep as that")

        call plan%require(2, u, depth_high=3, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "got (2, 3)")
        call arrays(1)%mark_padding_valid(reshape([1, 1], [2, 1]), stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_shape_error, "expected 2 depths for each of 2 axes, got 2 for 1")
        call plan%release()
        call plan%mark_written(u, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "not created")
        call plan%set_label(u, "u", stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "not created")
        call plan%require(1, u, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "not created")
        call arrays(1)%release()
        call arrays(1)%mark_written(stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "an array, got a null pointer")
    end subroutine

    ! Closing a communicator with a report writes the report.
    subroutine report()
        type(distview_communicator) :: own
        type(distview_layout) :: layout
        type(distview_padding_plan) :: plan
        real(8), allocatable :: u(:)
        character(40) :: name
        character(2000) :: line
        logical :: has_plan
        integer :: i, unit, status, world, ierr
        write (name, "(a, i0, a)") "fortran_report_", ranks, ".json"
        call MPI_Comm_dup(MPI_COMM_WORLD, world, ierr)
        call own%create(world)
        call own%set_report(name)
        call layout%create([5 * ranks], [ranks], padding=1, periodic=[.true.])
        call plan%create(own, layout)
        allocate(u(7), source=1d0)
        do i = 1, 7
            call plan%exchange(u)
        end do
        call plan%release()
        call own%close()
        call MPI_Comm_free(world, ierr)
        if (rank /= 0) return
        open (newunit=unit, file=trim(name), action="read", status="old", iostat=status)
        call check(status == 0, "there is a report")
        has_plan = .false.
        do while (status == 0)
            read (unit, "(a)", iostat=status) line
            if (status == 0) has_plan = has_plan .or. (index(line, "PaddingExchangePlan") > 0 .and. &
                                                       index(line, '"executions": 7') > 0)
        end do
        call check(has_plan, "of seven executions")
        close (unit, status="delete")
    end subroutine

    ! The last rank does not arrive: the others report which rank is missing, and the last rank gets an error later.
    subroutine missing_rank()
        type(distview_communicator) :: lost
        integer :: own, stat, ierr
        character(400) :: errmsg
        character(40) :: expected
        call MPI_Comm_dup(MPI_COMM_WORLD, own, ierr)
        call lost%create(own)
        call lost%set_deadline(-1d0, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "expected a number of seconds >= 0, got -1")
        call lost%set_deadline(0.2d0)
        if (ranks > 1) then
            write (expected, "(a, i0, a)") "rank ", ranks - 1, " is missing"
            if (rank == ranks - 1) call MPI_Barrier(MPI_COMM_WORLD, ierr)
            call lost%barrier(stat=stat, errmsg=errmsg)
            if (rank == ranks - 1) expected = "cannot be used any more"
            call check_error(stat, errmsg, distview_deadline_error, trim(expected))
            call check(distview_error_class() == "DeadlineError", "the class of a deadline")
            if (rank /= ranks - 1) call MPI_Barrier(MPI_COMM_WORLD, ierr)
        end if
        call comm%barrier()
    end subroutine

    ! The maximum number of fields of one layout; then fields of two layouts.
    subroutine many()
        type(distview_layout) :: line, wide(16)
        type(distview_padding_plan) :: plan
        type(distview_memory) :: fields(16)
        real(8), allocatable, target :: f(:, :)
        real(8), allocatable :: g(:)
        character(300) :: errmsg
        integer :: i, stat
        call line%create([5 * ranks], [ranks], padding=1, periodic=[.true.])
        call plan%create(comm, line)
        allocate(f(0:6, 16))
        do i = 1, 16
            f(:, i) = 100 * i + rank
            fields(i) = distview_memory_of(f(:, i))
        end do
        call plan%exchange(f(:, 1), f(:, 2), f(:, 3), f(:, 4), f(:, 5), f(:, 6), f(:, 7), f(:, 8), f(:, 9), f(:, 10), &
                           f(:, 11), f(:, 12), f(:, 13), f(:, 14), f(:, 15), f(:, 16))
        call check(all(f(0, :) == [(100 * i + modulo(rank - 1, ranks), i=1, 16)]), "16 fields")
        f(0, :) = -1
        call plan%exchange_memory(fields)
        call check(all(f(0, :) == [(100 * i + modulo(rank - 1, ranks), i=1, 16)]), "16 fields by memory")
        call plan%exchange_memory([fields, fields(1)], stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "expected at most 16 fields, got 17")
        call wide(1)%create([8 * ranks], [ranks], padding=2, periodic=[.true.])
        wide(2) = line
        wide(3:4) = wide(1:2)
        call check(wide(3) == wide(1) .and. wide(4) == line, "arrays of layouts are assigned")
        allocate(g(-1:10), source=real(rank, 8))
        call plan%create(comm, wide(:2))
        f(0, 1) = -1
        call plan%exchange(g, f(:, 1))
        call check(all(g(-1:0) == modulo(rank - 1, ranks)) .and. f(0, 1) == 100 + modulo(rank - 1, ranks), &
                   "two layouts in one exchange")
        call check(plan%is_usable() .and. plan%workspace_bytes() >= 0 .and. len(plan%describe()) > 20, &
                   "what a plan says of itself")
    end subroutine

    ! A kernel must run once for each interior cell, with valid padding wherever it reads some.
    subroutine kernels()
        type(distview_layout) :: layout
        type(distview_padding_plan) :: plan
        integer(int64), allocatable :: b(:, :), c(:, :)
        integer(int64) :: i, j, wrong
        integer :: stat
        character(200) :: errmsg
        call layout%create([24, 18], distview_balanced_grid(ranks, 2), padding=1, periodic=[.true., .true.])
        call plan%create(comm, layout)
        b = layout%local_bounds(rank)
        c = layout%local_interior(rank)
        allocate(u(b(1, 1):b(2, 1), b(1, 2):b(2, 2)), source=-1d6)
        allocate(v(b(1, 1):b(2, 1), b(1, 2):b(2, 2)), source=0d0)
        b = layout%global_interior(rank)
        do j = c(1, 2), c(2, 2)
            do i = c(1, 1), c(2, 1)
                u(i, j) = value(b(1, 1) + i - 1, b(1, 2) + j - 1)
            end do
        end do
        call plan%apply(west, u)
        wrong = 0
        do j = c(1, 2), c(2, 2)
            do i = c(1, 1), c(2, 1)
                if (v(i, j) /= value(b(1, 1) + i - 2, b(1, 2) + j - 1)) wrong = wrong + 1
            end do
        end do
        call check(wrong == 0, "a kernel saw the padding")
        call plan%apply(refuse, u, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_other_error, "not today")
    end subroutine

    subroutine west(lower, upper, stat)
        integer(int64), intent(in) :: lower(:), upper(:)
        integer, intent(inout) :: stat
        integer(int64) :: i, j
        do j = lower(2), upper(2)
            do i = lower(1), upper(1)
                v(i, j) = v(i, j) + u(i - 1, j)
            end do
        end do
        if (size(lower) /= 2) stat = distview_other_error
    end subroutine

    subroutine refuse(lower, upper, stat)
        integer(int64), intent(in) :: lower(:), upper(:)
        integer, intent(inout) :: stat
        if (rank == ranks - 1 .and. all(lower <= upper)) &
            call distview_fail(stat, distview_other_error, "refuse: not today")
    end subroutine

    ! Arrays that are allocated anew, on some ranks at their earlier address.
    subroutine moving()
        type(distview_layout) :: layout
        type(distview_padding_plan) :: plan, same
        real(8), allocatable :: u(:, :), in_the_way(:)
        integer(int64), allocatable :: n(:)
        integer :: turn
        call make(layout, plan)
        call plan%create(comm, layout, moving=.true.)
        same = plan
        n = layout%local_shape(rank)
        do turn = 1, 6
            allocate(u(n(1), n(2)))
            call set(u, layout)
            if (turn < 6) call plan%exchange(u)
            if (turn == 6) call same%exchange(u)
            call compare(u, layout, "an array that moves")
            deallocate(u)
            if (allocated(in_the_way)) deallocate(in_the_way)
            if (mod(rank + turn, 2) == 0) allocate(in_the_way(n(1) * n(2)))
        end do
        call make(layout, plan)
        do turn = 1, 3
            allocate(u(n(1), n(2)))
            call set(u, layout)
            call plan%exchange(u)
            call compare(u, layout, "an array that all ranks forget")
            deallocate(u)
            call plan%forget()
        end do
        call move_on_one_rank(layout, n)
    end subroutine

    ! Only rank 0 has a new array; then rank 0 calls an exchange while the other ranks call a barrier.
    subroutine move_on_one_rank(layout, n)
        type(distview_layout), intent(in) :: layout
        integer(int64), intent(in) :: n(:)
        type(distview_padding_plan) :: plan
        real(8), allocatable :: u(:, :), old(:, :)
        character(200) :: errmsg
        integer :: stat, turn
        allocate(u(n(1), n(2)))
        do turn = 1, 2
            errmsg = ""
            call plan%create(comm, layout, moving=.true., stat=stat, errmsg=errmsg)
            call check(stat == 0, "a plan of arrays that move: " // trim(errmsg))
            call set(u, layout)
            call plan%exchange(u, stat=stat, errmsg=errmsg)
            call check(stat == 0, "its first exchange: " // trim(errmsg))
            call compare(u, layout, "an array before it moves")
            if (rank == 0) then
                call move_alloc(u, old)
                allocate(u(n(1), n(2)))
            end if
            call set(u, layout)
            call plan%exchange(u, stat=stat, errmsg=errmsg)
            call check(stat == 0, "an array that moves on one rank: " // trim(errmsg))
            call compare(u, layout, "an array that moves on one rank")
            if (ranks == 1) cycle
            if (rank == 0) then
                call plan%exchange(u, stat=stat)
            else
                call comm%barrier(stat=stat)
            end if
            call check(stat == distview_usage_error, "an exchange that meets a barrier")
        end do
    end subroutine

    subroutine errors()
        type(distview_layout) :: layout, none
        type(distview_padding_plan) :: plan, unmade
        type :: tile ! 2**25 + 8 bytes; no element is accessed
            integer(int64) :: number
            real(8) :: values(2048, 2048)
        end type
        type(tile), allocatable :: large(:, :)
        real(8), allocatable :: u(:, :), flat(:), nothing(:, :), more(:, :)
        real(8) :: nine(2, 2, 1, 1, 1, 1, 1, 1, 1)
        integer(int64), allocatable :: n(:)
        character(200) :: errmsg
        integer :: stat, turn
        call make(layout, plan)
        n = layout%local_shape(rank)
        nine = 0
        allocate(u(n(1), n(2)), flat(n(1)))
        errmsg = "untouched"
        call set(u, layout)
        call plan%exchange(u, stat=stat, errmsg=errmsg)
        call check(stat == 0 .and. errmsg == "untouched", "no error")
        ! An array new to the plan on all ranks, and of another number of axes on the last one: all ranks get its error.
        call make(layout, plan)
        if (rank == ranks - 1) then
            call plan%exchange(flat, stat=stat, errmsg=errmsg)
        else
            call plan%exchange(u, stat=stat, errmsg=errmsg)
        end if
        call check(stat == merge(distview_shape_error, distview_usage_error, rank == ranks - 1) .and. &
                   len_trim(errmsg) > 20, "another rank on one: " // trim(errmsg))
        call make(layout, plan)
        call plan%exchange(nine, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "expected from 0 to 8 axes, got 9")
        call plan%exchange(nothing, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "expected an array that is allocated, got one that is not")
        allocate(large(1, 1))
        call plan%exchange(large, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "opaque elements are smaller than 16 MiB")
        ! One row, on one rank: the other ranks have nothing to allocate.
        call layout%create([1, 4], [ranks, 1])
        call plan%create(comm, layout)
        if (rank == 0) allocate(nothing(1, 4), more(1, 4), source=1d0)
        do turn = 1, 2
            call plan%exchange(nothing, stat=stat, errmsg=errmsg)
            call check(stat == 0, "nothing to allocate: " // trim(errmsg))
        end do
        ! On ranks without cells, a second array that is not allocated counts as absent.
        call plan%create(comm, layout)
        call plan%exchange(nothing, more, stat=stat, errmsg=errmsg)
        if (ranks == 1) call check(stat == 0, "two arrays on one rank")
        if (ranks > 1) call check_error(stat, errmsg, distview_usage_error, "number of arrays is 1 on rank 1, 2 on rank 0")
        ! With moving=.true. the ranks compare their arrays, and can distinguish several that are not allocated.
        call plan%create(comm, layout, moving=.true.)
        do turn = 1, 2
            call plan%exchange_memory([distview_memory_of(nothing), distview_memory_of(more)], stat=stat, errmsg=errmsg)
            call check(stat == 0, "two arrays that are not allocated: " // trim(errmsg))
            call plan%exchange(nothing, stat=stat, errmsg=errmsg)
            call check(stat == 0, "the first of them: " // trim(errmsg))
            call plan%exchange(more, stat=stat, errmsg=errmsg)
            call check(stat == 0, "the second one: " // trim(errmsg))
        end do
        call layout%create([10, 10], [ranks], stat=stat, errmsg=errmsg)
        call check(stat == distview_layout_error .and. index(errmsg, "grid of 2 axes") > 0, errmsg)
        call unmade%exchange(u, stat=stat, errmsg=errmsg)
        call check(stat == distview_usage_error .and. index(errmsg, "not created") > 0, errmsg)
        call unmade%create(comm, none, stat=stat)
        call check(stat == distview_usage_error, "a layout that was not created")
    end subroutine
end program
