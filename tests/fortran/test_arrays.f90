! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Arrays as objects: reductions, whole arrays on one rank, local copies for Fortran 77, memory of their own. Oracle:
! formulas of the global indices.
program test_arrays
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32
    use check_support
    use distview
    implicit none
    integer, parameter :: nx = 8, ny = 11
    character(400) :: errmsg
    integer :: stat, calls ! of triple()
    logical :: was_copy

    call begin_checks()
    call reductions()
    call types()
    call along_axis()
    call whole()
    call local_copies()
    call own_memory()
    call no_cells()
    call errors()
    call texts()
    call end_checks()
contains
    ! nx x ny cells, the second axis dealt out cyclically.
    subroutine make(layout)
        type(distview_layout), intent(inout) :: layout
        type(distview_axis) :: axes(2)
        axes(1)%extent = nx
        axes(1)%padding = 1
        axes(2)%extent = ny
        axes(2)%kind = distview_cyclic
        call layout%create(axes, distview_balanced_grid(ranks, 2))
    end subroutine

    ! Sets interior cells to 100 i + j of their global indices, and the padding to a wrong value.
    subroutine set(layout, u)
        type(distview_layout), intent(in) :: layout
        real(8), intent(out) :: u(0:, 1:)
        integer(int64), allocatable :: b(:, :)
        integer(int64) :: i, j
        b = layout%local_interior(rank)
        u = -1d6
        do j = b(1, 2), b(2, 2)
            do i = b(1, 1), b(2, 1)
                u(i, j) = value(layout%to_global(rank, 1, i), layout%to_global(rank, 2, j))
            end do
        end do
    end subroutine

    pure real(8) function value(i, j)
        integer(int64), intent(in) :: i, j
        value = 100 * i + j
    end function

    function all_values() result(u)
        real(8) :: u(nx, ny)
        integer(int64) :: i, j
        do j = 1, ny
            do i = 1, nx
                u(i, j) = value(i, j)
            end do
        end do
    end function

    ! Along the second axis, which is cyclic, and along the first one, which has blocks.
    subroutine along_axis()
        type(distview_layout) :: layout, short
        type(distview_array) :: a, r, s
        real(8), allocatable, target :: u(:, :), v(:, :), w(:, :)
        integer(int64), allocatable :: n(:), b(:, :)
        integer(int64) :: i, j, gi, gj
        call make(layout)
        n = layout%local_shape(rank)
        allocate(u(0:n(1) - 1, n(2)), v(0:n(1) - 1, n(2)))
        call set(layout, u)
        call a%borrow(comm, layout, u)
        call s%borrow(comm, layout, v)
        short = layout%reduced(2, everywhere=.true.)
        call check(all(short%extents() == [nx, 1]), "reduced to extent 1")
        n = short%local_shape(rank)
        allocate(w(0:n(1) - 1, n(2)))
        call r%borrow(comm, short, w)
        b = short%local_interior(rank)
        call a%axis_reduce(2, r)
        do i = b(1, 1), b(2, 1)
            gi = short%to_global(rank, 1, i)
            call check(all(w(i, :) == sum([(value(gi, j), j=1_int64, int(ny, int64))])), "sums of columns")
        end do
        call a%axis_reduce(2, r, operation=distview_maximum)
        do i = b(1, 1), b(2, 1)
            call check(all(w(i, :) == value(short%to_global(rank, 1, i), int(ny, int64))), "greatest of columns")
        end do
        call a%axis_reduce(2, r, reproducible=.true.)
        b = layout%local_interior(rank)
        call a%inclusive_scan(2, s)
        do j = b(1, 2), b(2, 2)
            gj = layout%to_global(rank, 2, j)
            do i = b(1, 1), b(2, 1)
                gi = layout%to_global(rank, 1, i)
                call check(v(i, j) == 100 * gi * gj + gj * (gj + 1) / 2, "sums up to each column")
            end do
        end do
        call a%exclusive_scan(1, 5d0, s)
        do j = b(1, 2), b(2, 2)
            gj = layout%to_global(rank, 2, j)
            do i = b(1, 1), b(2, 1)
                gi = layout%to_global(rank, 1, i)
                call check(v(i, j) == 5 + 100 * gi * (gi - 1) / 2 + (gi - 1) * gj, "sums before each row")
            end do
        end do
        call a%inclusive_scan(1, s, operation=distview_minimum)
        do j = b(1, 2), b(2, 2)
            do i = b(1, 1), b(2, 1)
                call check(v(i, j) == value(1_int64, layout%to_global(rank, 2, j)), "least up to each row")
            end do
        end do
        call a%axis_reduce(3, r, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "expected an axis from 1 to 2, got 3")
        call a%axis_reduce(2, s, stat=stat, errmsg=errmsg)
        call check(stat == distview_shape_error, "no place for sums: " // trim(errmsg))
        call a%exclusive_scan(1, 5.0, s, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_shape_error, "values of the array's element type")
        short = layout%reduced(0, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "expected an axis from 1 to 2, got 0")
    end subroutine

    subroutine reductions()
        type(distview_layout) :: layout
        type(distview_array) :: a, b, same
        type(distview_value) :: found
        real(8), allocatable, target :: u(:, :), v(:, :)
        real(8) :: whole(nx, ny)
        integer(int64), allocatable :: n(:)
        integer(int64) :: at(2)
        integer :: way
        call make(layout)
        n = layout%local_shape(rank)
        allocate(u(0:n(1) - 1, n(2)), v(0:n(1) - 1, n(2)))
        call set(layout, u)
        v = 2 * u
        call a%borrow(comm, layout, u)
        call b%borrow(comm, layout, v)
        same = a
        whole = all_values()
        do way = 1, 2
            found = same%sum(reproducible=way == 2)
            call check(found%real == sum(whole) .and. found%imaginary == 0, "sum")
            found = a%dot(b, reproducible=way == 2)
            call check(found%real == sum(2 * whole * whole), "dot")
            call check(a%norm(1, reproducible=way == 2) == sum(whole), "norm 1")
            call check(abs(a%norm(reproducible=way == 2) - norm2(whole)) <= 1d-12 * norm2(whole), "norm 2")
            call check(a%norm(0, reproducible=way == 2) == 100 * nx + ny, "the greatest")
        end do
        found = a%maximum(at)
        call check(found%real == 100 * nx + ny .and. all(at == [nx, ny]), "maximum and where")
        found = a%minimum()
        call check(found%real == 101, "minimum")
        at = 0
        found = a%minimum(at)
        call check(all(at == 1), "where the minimum is")
        ! Small terms between huge ones: only an exact sum keeps them.
        u = 0
        call put_one(layout, u, 1, 1, 1d20)
        call put_one(layout, u, 2, 5, 1d0)
        call put_one(layout, u, 7, 3, -1d20)
        found = a%sum(reproducible=.true.)
        call check(found%real == 1, "the exact sum")
        ! With owned=.true., ranks at the ends count their boundary padding, too.
        u = 1
        found = a%sum(owned=.true.)
        call check(found%real == (nx + 2) * ny, "with boundary padding")
    end subroutine

    subroutine put_one(layout, u, i, j, what)
        type(distview_layout), intent(in) :: layout
        real(8), intent(inout) :: u(0:, 1:)
        integer, intent(in) :: i, j
        real(8), intent(in) :: what
        if (layout%owner([i, j]) == rank) u(layout%to_local(rank, 1, i), layout%to_local(rank, 2, j)) = what
    end subroutine

    ! One axis, for each element type.
    subroutine types()
        type(distview_layout) :: layout
        type(distview_array) :: a
        type(distview_value) :: found
        integer(int32), allocatable, target :: i4(:)
        integer(int64), allocatable, target :: i8(:)
        real(real32), allocatable, target :: r4(:)
        complex(8), allocatable, target :: c8(:)
        integer(int64), allocatable :: b(:, :)
        integer(int64) :: i
        call layout%create([40], [ranks])
        b = layout%global_interior(rank)
        allocate(i4(b(1, 1):b(2, 1)), i8(b(1, 1):b(2, 1)), r4(b(1, 1):b(2, 1)), c8(b(1, 1):b(2, 1)))
        do i = b(1, 1), b(2, 1)
            i4(i) = int(i)
            i8(i) = i * 2_int64**40
            r4(i) = real(i)
            c8(i) = cmplx(i, -i, 8)
        end do
        call a%borrow(comm, layout, i4)
        found = a%sum()
        call check(found%integer == 820, "integers")
        call a%borrow(comm, layout, i8)
        found = a%sum()
        call check(found%integer == 820 * 2_int64**40, "long integers")
        call a%borrow(comm, layout, r4)
        found = a%sum()
        call check(found%real == 820, "single precision")
        call a%borrow(comm, layout, c8)
        found = a%sum()
        call check(found%real == 820 .and. found%imaginary == -820, "complex numbers")
        found = a%dot(a)
        call check(found%real == 2 * 22140 .and. found%imaginary == 0, "conjugated")
    end subroutine

    subroutine whole()
        type(distview_layout) :: layout
        type(distview_array) :: a
        real(8), allocatable, target :: u(:, :), v(:, :), all(:, :)
        integer(int64), allocatable :: n(:)
        integer :: root
        call make(layout)
        n = layout%local_shape(rank)
        allocate(u(0:n(1) - 1, n(2)), v(0:n(1) - 1, n(2)))
        call set(layout, u)
        call a%borrow(comm, layout, u)
        root = ranks - 1
        if (rank == root) allocate(all(nx, ny), source=0d0)
        call a%gather(root, all) ! on other ranks `all` is not allocated, hence absent
        if (rank == root) call check(maxval(abs(all - all_values())) == 0, "gathered")
        v = u
        u = -1d6
        call a%scatter(root, all)
        call check(maxval(abs(u - v)) == 0, "scattered")
    end subroutine

    subroutine local_copies()
        type(distview_layout) :: layout
        type(distview_array) :: a
        type(distview_copied_bytes) :: bytes
        real(8), allocatable, target :: u(:, :), v(:, :)
        integer(int64), allocatable :: n(:), b(:, :)
        integer(int64) :: last(2)
        call make(layout)
        n = layout%local_shape(rank)
        b = layout%local_interior(rank)
        allocate(u(0:n(1) - 1, n(2)), v(0:n(1) - 1, n(2)))
        call set(layout, u)
        v = u
        call a%borrow(comm, layout, u)
        ! Columns with padding between them: Fortran 77 needs only a leading dimension, so there is no copy.
        calls = 0
        call a%with_local_copy(distview_inout, triple, bytes=bytes)
        call check(calls == 1 .and. .not. was_copy .and. bytes%in == 0 .and. bytes%out == 0, "its own memory")
        v(b(1, 1):b(2, 1), :) = 3 * v(b(1, 1):b(2, 1), :)
        call check(maxval(abs(u - v)) == 0, "tripled")
        ! packed=.true. forbids gaps: a copy.
        call a%with_local_copy(distview_inout, triple, packed=.true., bytes=bytes)
        v(b(1, 1):b(2, 1), :) = 3 * v(b(1, 1):b(2, 1), :)
        call check(maxval(abs(u - v)) == 0, "tripled in a copy")
        if (was_copy) call check(bytes%in == 8 * product(b(2, :)) .and. bytes%out == bytes%in, "bytes of a copy")
        ! A box that only the last rank requests, and the whole array on rank 0.
        last = 0
        if (rank == ranks - 1) last = [nx, ny]
        call a%with_local_copy_of_box([1_int64, 1_int64], last, distview_inout, triple)
        calls = 0
        call a%with_local_copy_of_whole(0, distview_inout, triple)
        call check(calls == merge(1, 0, rank == 0), "only on its root")
        v(b(1, 1):b(2, 1), :) = 9 * v(b(1, 1):b(2, 1), :)
        call check(maxval(abs(u - v)) == 0, "tripled by one for all")
        call a%with_local_copy_of_whole(-1, distview_in, fail, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_other_error, "too deep on rank")
        if (rank == ranks - 1) then
            call a%with_local_copy(distview_in, fail, stat=stat)
            call check(distview_error_code() == "TooDeep" .and. distview_error_class() == "Error", "class and code")
        end if
        call check(maxval(abs(u - v)) == 0, "nothing is written back after an error")
    end subroutine

    subroutine triple(a, stat)
        type(distview_plain_array), intent(in) :: a
        integer, intent(inout) :: stat
        real(8), pointer :: p(:, :)
        call c_f_pointer(a%data, p, [a%leading_dimension, a%extents(2)])
        call triple77(p, int(a%leading_dimension), int(a%extents(1)), int(a%extents(2)))
        calls = calls + 1
        was_copy = a%is_copy
        if (a%rank /= 2 .or. a%element /= distview_float64) &
            call distview_fail(stat, distview_other_error, "triple: expected two axes of real(8)")
    end subroutine

    subroutine fail(a, stat)
        type(distview_plain_array), intent(in) :: a
        integer, intent(inout) :: stat
        if (rank == ranks - 1) then
            call distview_fail(stat, distview_other_error, "too deep on rank", "TooDeep")
            if (.not. c_associated(a%data)) stat = 0
        end if
    end subroutine

    ! A Fortran 77 routine: address, leading dimension, rows, columns.
    subroutine triple77(a, lda, m, n)
        integer, intent(in) :: lda, m, n
        real(8), intent(inout) :: a(lda, *)
        integer :: j
        do j = 1, n
            a(:m, j) = 3 * a(:m, j)
        end do
    end subroutine

    subroutine own_memory()
        type(distview_layout) :: layout, again
        type(distview_array) :: fields(2), part
        type(distview_padding_plan) :: plan
        type(distview_value) :: found
        real(8), pointer :: u(:), v(:)
        integer(int64), allocatable :: n(:)
        call layout%create([30], [ranks], padding=1, periodic=[.true.])
        n = layout%local_shape(rank)
        call fields(1)%create(comm, layout, distview_float64)
        call fields(2)%create(comm, layout, distview_float64)
        call c_f_pointer(fields(1)%address(), u, n)
        call c_f_pointer(fields(2)%address(), v, n)
        call check(all(u == 0) .and. all(v == 0), "new memory is zero")
        u = rank
        v = 10 + rank
        call plan%create(comm, layout)
        call plan%exchange_arrays(fields)
        call check(u(1) == modulo(rank - 1, ranks) .and. v(n(1)) == 10 + modulo(rank + 1, ranks), "read in place")
        again = fields(1)%layout()
        call check(again == layout .and. fields(1)%process() == rank, "its layout and its process")
        u = 1
        part = fields(1)%slice([distview_slice(3, 5, 2)])
        found = part%sum()
        call check(found%real == 5, "a slice")
    end subroutine

    ! A single row, on one rank: the other ranks have nothing to allocate.
    subroutine no_cells()
        type(distview_layout) :: layout
        type(distview_array) :: a
        type(distview_value) :: total
        real(8), allocatable, target :: u(:, :)
        call layout%create([1, 4], [ranks, 1])
        if (rank == 0) allocate(u(1, 4), source=2d0)
        call a%borrow(comm, layout, u)
        total = a%sum()
        call check(total%real == 8, "the sum of one rank's cells")
        call a%release()
        if (rank == 0) deallocate(u)
        call a%borrow(comm, layout, u, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_shape_error, "of the section of process 0, got 0")
    end subroutine

    subroutine errors()
        type(distview_layout) :: layout
        type(distview_array) :: a, none
        real(8), allocatable, target :: u(:, :), other(:, :)
        real(real32) :: single(nx, ny)
        real(8) :: gaps(2 * nx, ny)
        type(distview_value) :: found
        integer(int64), allocatable :: n(:)
        call make(layout)
        n = layout%local_shape(rank)
        allocate(u(n(1), n(2)), other(n(1) + 1, n(2)))
        call a%borrow(comm, layout, u)
        found = none%sum(stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "an array")
        ! An error of the last rank: all ranks get it.
        if (rank == ranks - 1) then
            call none%borrow(comm, layout, other, stat=stat, errmsg=errmsg)
        else
            call none%borrow(comm, layout, u, stat=stat, errmsg=errmsg)
        end if
        call check_error(stat, errmsg, distview_shape_error, "along axis 1")
        call a%gather(0, single, stat=stat, errmsg=errmsg)
        call check(stat == merge(distview_shape_error, distview_usage_error, rank == 0), &
                   "other elements: " // trim(errmsg))
        call a%gather(0, gaps(1::2, :), stat=stat, errmsg=errmsg)
        call check(stat == merge(distview_shape_error, distview_usage_error, rank == 0), &
                   "gaps: " // trim(errmsg))
        call a%gather(0, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "expected a whole array")
        call a%gather(99, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "a root in [0,")
        call check(abs(a%norm(7, stat=stat)) < 1 .and. stat == distview_usage_error, "no such norm")
        ! A step of the program's own that fails on the last rank only: agree() gives all ranks that error.
        stat = 0
        if (rank == ranks - 1) call distview_fail(stat, distview_other_error, "no input on this rank", "NoInput")
        call comm%agree("my_step", stat, stat, errmsg)
        call check_error(stat, errmsg, distview_other_error, "no input on this rank")
        call check(distview_error_code() == "NoInput" .and. distview_error_class() == "Error", "code and class on all ranks")
        call comm%agree("my_step", 0, stat, errmsg)
        call check(stat == distview_success, "agreed: " // trim(errmsg))
    end subroutine

    subroutine texts()
        type(distview_layout) :: layout
        type(distview_array) :: a
        real(8), allocatable, target :: u(:, :)
        integer(int64), allocatable :: n(:)
        call make(layout)
        n = layout%local_shape(rank)
        allocate(u(n(1), n(2)))
        call a%borrow(comm, layout, u)
        call check(index(layout%describe(), "cyclic") > 0, "layouts say what they are")
        call check(index(a%describe(), "borrowed memory") > 0, "arrays say whose memory they have")
        call check(verify(distview_version(), "0123456789.") == 0 .and. len(distview_version()) >= 5, "version")
        call check(index(distview_build_info(), "version: " // distview_version()) > 0, "build information")
        call check(distview_is_initialized(), "it runs")
        call distview_set_contracts(distview_contracts_full)
        call check(distview_contracts() == distview_contracts_full, "contracts")
        call distview_set_contracts(distview_contracts_cheap)
    end subroutine
end program
