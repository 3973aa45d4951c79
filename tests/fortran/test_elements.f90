! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Elements by global index, ghosts, and the program's own operations. Oracle: formulas of the global indices.
program test_elements
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int32, int64
    use check_support
    use distview
    implicit none
    integer, parameter :: nx = 9, ny = 11
    character(400) :: errmsg
    integer :: stat

    call begin_checks()
    call lists()
    call boxes()
    call ghosts()
    call operations()
    call migration()
    call errors()
    call end_checks()
contains
    subroutine make(layout)
        type(distview_layout), intent(inout) :: layout
        type(distview_axis) :: axes(2)
        axes(1)%extent = nx
        axes(1)%padding = 1
        axes(2)%extent = ny
        axes(2)%kind = distview_cyclic
        call layout%create(axes, distview_balanced_grid(ranks, 2))
    end subroutine

    pure real(8) function value(i, j)
        integer, intent(in) :: i, j
        value = 100 * i + j
    end function

    subroutine set(layout, u)
        type(distview_layout), intent(in) :: layout
        real(8), intent(out) :: u(0:, 1:)
        integer(int64), allocatable :: b(:, :)
        integer(int64) :: i, j
        b = layout%local_interior(rank)
        u = -1d6
        do j = b(1, 2), b(2, 2)
            do i = b(1, 1), b(2, 1)
                u(i, j) = value(int(layout%to_global(rank, 1, i)), int(layout%to_global(rank, 2, j)))
            end do
        end do
    end subroutine

    ! Every rank has a separate list: one element twice, and every fourth row of columns 9 and 6.
    subroutine lists()
        type(distview_layout) :: layout
        type(distview_index_list) :: list
        type(distview_gather_plan) :: plan, same
        type(distview_array) :: a
        type(distview_exchange) :: exchange
        real(8), allocatable, target, asynchronous :: u(:, :)
        real(8), target, asynchronous :: values(8)
        real(8) :: expected(8)
        integer(int64), allocatable :: n(:)
        integer :: turn, k
        call make(layout)
        n = layout%local_shape(rank)
        allocate(u(0:n(1) - 1, n(2)))
        call set(layout, u)
        call list%create(2)
        call list%add(reshape([rank + 1, 4, rank + 1, 4], [2, 2]))
        call list%add_box([1, 9], [nx, 6], [4, -3])
        call check(list%size() == 8, "size of a list")
        expected(:2) = value(rank + 1, 4)
        expected(3:) = [((value(k, turn), k=1, nx, 4), turn=9, 6, -3)]
        call plan%create(comm, layout, list)
        call check(plan%size() == 8 .and. len(plan%describe()) > 20, "size of a plan")
        same = plan
        do turn = 1, 3
            values = 0
            if (turn == 1) call plan%gather(u, values)
            if (turn == 2) then
                call plan%start(exchange, u, values)
                call exchange%finish()
            end if
            if (turn == 3) call same%gather(u, values)
            call check(all(values == expected), "gathered")
        end do
        ! Adds 1 for each occurrence of an element in the lists.
        values = 1
        call plan%combine(distview_sum, values, u)
        call a%borrow(comm, layout, u)
        call a%get(list, values)
        call check(all(values(:2) == expected(:2) + 2) .and. all(values(3:) == expected(3:) + ranks), "ones are added")
        ! Of several values for one element the last one stays, by rank and by position in the list.
        values = [(1000 * rank + k, k=1, 8)]
        call a%put(list, values)
        call a%accumulate(distview_maximum, list, [-1d0, 5d0, -1d0, -1d0, -1d0, -1d0, -1d0, -1d0])
        call a%get(list, values)
        call check(values(1) == merge(5, 1000 * rank + 2, rank == 0), "the greater one of its own")
        call check(all(values(3:) == [(1000 * (ranks - 1) + k, k=3, 8)]), "the last rank's")
    end subroutine

    subroutine boxes()
        type(distview_layout) :: layout
        type(distview_array) :: a
        real(8), allocatable, target :: u(:, :)
        real(8) :: box(2, 3), one
        integer(int64), allocatable :: n(:)
        integer :: i, j
        call make(layout)
        n = layout%local_shape(rank)
        allocate(u(0:n(1) - 1, n(2)))
        call set(layout, u)
        call a%borrow(comm, layout, u)
        call a%get_box([4, 5], [5, 7], box)
        call check(all(box == reshape([((value(i, j), i=4, 5), j=5, 7)], [2, 3])), "a box")
        call a%accumulate_box(distview_sum, [4, 5], [5, 7], reshape([(1d0 * i, i=1, 6)], [2, 3]))
        call a%get_box([5, 6], [5, 6], one)
        call check(one == value(5, 6) + 4 * ranks, "one element")
        call a%put_box([1_int64, 1_int64], [2_int64, 3_int64], box * 0 + rank)
        call a%get_box([2, 3], [2, 3], one)
        call check(one == ranks - 1, "the last rank's box stays")
    end subroutine

    ! A ring of 4 labels a rank, with two components side by side; each rank needs elements of both neighbours.
    subroutine ghosts()
        type(distview_ghosted_layout) :: ghosted
        type(distview_layout) :: layout
        type(distview_ghost_plan) :: plan
        type(distview_axis) :: components(1)
        integer(int64) :: owned(4), needed(8), all
        integer(int64), allocatable :: at(:), n(:)
        integer(int32), allocatable :: u(:, :)
        integer :: i, k
        all = 4 * ranks
        owned = [(4 * rank + i, i=1, 4)]
        needed(1::2) = modulo(owned - 2, all) + 1
        needed(2::2) = modulo(owned, all) + 1
        components(1)%extent = 2
        call ghosted%create(comm, owned, needed, components)
        call check(ghosted%owned() == 4 .and. ghosted%ghosts() == merge(0, 2, ranks == 1), "counts of ghosts")
        layout = ghosted%layout()
        n = layout%local_shape(rank)
        call check(n(1) == 2 .and. n(2) == ghosted%owned() + ghosted%ghosts(), "components first")
        allocate(u(2, n(2)), source=-1)
        u(1, :4) = int(10 * owned)
        u(2, :4) = int(10 * owned + 1)
        call plan%create(comm, ghosted)
        call plan%exchange(u)
        at = ghosted%positions()
        do k = 1, 8
            call check(all2(u(:, at(k)), int(10 * needed(k))), "a ghost")
        end do
        u = 1
        call plan%combine(distview_sum, u)
        call check(u(1, 2) == 1 .and. u(2, 1) == merge(1, 2, ranks == 1), "ghosts are added to their owners")
        call check(len(plan%describe()) > 20, "a plan says what it does")
    end subroutine

    logical function all2(pair, first)
        integer(int32), intent(in) :: pair(2)
        integer, intent(in) :: first
        all2 = pair(1) == first .and. pair(2) == first + 1
    end function

    subroutine operations()
        type(distview_layout) :: layout
        type(distview_array) :: a
        type(distview_padding_plan) :: plan
        real(8), allocatable, target :: u(:, :)
        real(8), allocatable :: row(:)
        real(8) :: one
        integer(int64), allocatable :: n(:)
        integer :: product_of, last_of, failing
        call make(layout)
        n = layout%local_shape(rank)
        allocate(u(0:n(1) - 1, n(2)))
        call set(layout, u)
        call a%borrow(comm, layout, u)
        call distview_operation_create(multiply, product_of)
        call distview_operation_create(later, last_of)
        call distview_operation_create(refuse, failing)
        call a%accumulate_box(product_of, [5, 6], [5, 6], 2d0)
        call a%get_box([5, 6], [5, 6], one)
        call check(one == value(5, 6) * 2**ranks, "multiplied")
        call a%accumulate_box(last_of, [5, 6], [5, 6], 1d0 * rank)
        call a%get_box([5, 6], [5, 6], one)
        call check(one == ranks - 1, "the last one stays")
        call a%accumulate_box(failing, [5, 6], [5, 6], 1d0, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_other_error, "nothing will do")
        call distview_operation_free(last_of)
        call a%accumulate_box(last_of, [5, 6], [5, 6], 1d0, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "operation")
        ! The adjoint of an exchange.
        call layout%create([20], [ranks], padding=1, periodic=[.true.])
        call plan%create(comm, layout)
        n = layout%local_shape(rank)
        allocate(row(0:n(1) - 1), source=3d0)
        call plan%combine(product_of, row)
        call check(row(1) == 9 .and. row(n(1) - 2) == 9, "multiplied with padding")
        row = 1
        row(0) = 5
        call plan%combine(distview_sum, row)
        call check(row(n(1) - 2) == 6 .and. row(1) == 2 .and. row(0) == 5, "added to its owner")
        call distview_operation_free(product_of)
        call distview_operation_free(failing)
    end subroutine

    subroutine multiply(here, incoming, element, stat)
        type(c_ptr), intent(in) :: here, incoming
        integer(int32), intent(in) :: element
        integer, intent(inout) :: stat
        real(8), pointer :: a, b
        if (element /= distview_float64) call distview_fail(stat, distview_shape_error, "multiply: expected real(8)")
        call c_f_pointer(here, a)
        call c_f_pointer(incoming, b)
        a = a * b
    end subroutine
    subroutine later(here, incoming, element, stat)
        type(c_ptr), intent(in) :: here, incoming
        integer(int32), intent(in) :: element
        integer, intent(inout) :: stat
        real(8), pointer :: a, b
        call c_f_pointer(here, a)
        call c_f_pointer(incoming, b)
        a = b
        if (element == 0) stat = distview_other_error
    end subroutine
    subroutine refuse(here, incoming, element, stat)
        type(c_ptr), intent(in) :: here, incoming
        integer(int32), intent(in) :: element
        integer, intent(inout) :: stat
        if (c_associated(here) .and. c_associated(incoming) .and. element > 0) &
            call distview_fail(stat, distview_other_error, "refuse: nothing will do")
    end subroutine

    ! Migration: element k of rank r, from 0, goes to rank (r + k) mod ranks; rank 1 has no elements.
    pure integer function count_on(r)
        integer, intent(in) :: r
        count_on = merge(0, 3 * r + 4, r == 1)
    end function

    subroutine migration()
        type :: tagged
            integer(int32) :: kind
            character(5) :: name
        end type
        type(distview_migration_plan) :: plan, same
        type(distview_exchange) :: exchange
        real(8), allocatable, target, asynchronous :: x(:, :), x2(:, :)
        integer(int32), allocatable, target, asynchronous :: id(:), id2(:)
        complex(8), allocatable, target, asynchronous :: z(:), z2(:)
        type(tagged), allocatable, target, asynchronous :: t(:), t2(:)
        integer :: turn, k, n, r, at, number
        n = count_on(rank)
        call plan%create(comm, [(mod(rank + k, ranks), k=0, n - 1)])
        call check(plan%source_size() == n, "elements to move")
        at = 0
        do r = 0, ranks - 1
            at = at + count([(mod(r + k, ranks) == rank, k=0, count_on(r) - 1)])
        end do
        call check(plan%size() == at, "elements that arrive")
        call check(plan%kept() == count([(mod(rank + k, ranks) == rank, k=0, n - 1)]), "elements that stay")
        allocate(x(3, n), id(n), z(n), t(n))
        allocate(x2(3, at), id2(at), z2(at), t2(at))
        do k = 0, n - 1
            id(k + 1) = 1000 * rank + k
            x(:, k + 1) = [1d0, -1d0, 0.5d0] * id(k + 1)
            z(k + 1) = cmplx(rank, k, 8)
            t(k + 1)%kind = k
            write (t(k + 1)%name, "(i5)") id(k + 1)
        end do
        same = plan
        do turn = 1, 4
            x2 = 0
            id2 = -1
            z2 = 0
            if (turn == 1) call plan%execute(x, x2, id, id2, z, z2, t, t2)
            if (turn == 2) call same%execute(x, x2, id, id2, z, z2, t, t2)
            if (turn > 2) then
                call plan%start(exchange, x, x2, id, id2, z, z2, t, t2)
                call exchange%finish()
            end if
            at = 0
            do r = 0, ranks - 1
                do k = 0, count_on(r) - 1
                    if (mod(r + k, ranks) /= rank) cycle
                    at = at + 1
                    call check(id2(at) == 1000 * r + k .and. all(x2(:, at) == [1d0, -1d0, 0.5d0] * id2(at)), "numbers")
                    call check(z2(at) == cmplx(r, k, 8) .and. t2(at)%kind == k, "complex numbers, structures")
                    read (t2(at)%name, "(i5)") number
                    call check(number == 1000 * r + k, "letters")
                end do
            end do
        end do
        call check(plan%is_usable() .and. plan%workspace_bytes() >= 0 .and. len(plan%describe()) > 10, "a plan says what it is")
        call plan%execute(x, x2(1:2, :), stat=stat, errmsg=errmsg)
        if (size(x2) > 3) call check_error(stat, errmsg, distview_shape_error, "elements with gaps in pair 1")
        if (size(x2) <= 3) call check(stat /= 0, "gaps elsewhere: " // trim(errmsg))
        call same%execute(x, x2, id, z2, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_shape_error, "arrays of one element type, got two types in pair 2")
        deallocate(z2)
        call same%execute(id, id2, z, z2, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "missing or unallocated array in pair 2")
        call same%release()
        call same%execute(id, id2, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "not created")
        call plan%create(comm, [ranks], stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "for element 0 of rank 0")
    end subroutine

    subroutine errors()
        type(distview_layout) :: layout
        type(distview_index_list) :: list
        type(distview_gather_plan) :: plan
        type(distview_array) :: a
        real(8), allocatable, target :: u(:, :)
        real(8) :: values(3)
        integer :: whole_numbers(2)
        integer(int64), allocatable :: n(:)
        call make(layout)
        n = layout%local_shape(rank)
        allocate(u(n(1), n(2)), source=0d0)
        call list%create(2)
        call list%add([1, 2, 3], stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "2 numbers for each element, got 3")
        call list%add_box([1], [2], stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_usage_error, "bounds along 2 axes")
        call list%add([1, 2, 3, 3])
        call plan%create(comm, layout, list)
        call plan%gather(u, values(:merge(3, 2, rank == ranks - 1)), stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_shape_error, "expected 2 values, got 3")
        call plan%gather(u, whole_numbers, stat=stat, errmsg=errmsg)
        call check_error(stat, errmsg, distview_shape_error, "values of the array's element type")
        call a%borrow(comm, layout, u)
        call a%get_box([1, 1], [1, merge(99, 1, rank == ranks - 1)], values(:1), stat=stat, errmsg=errmsg)
        call check(stat == distview_usage_error .or. stat == distview_shape_error, "beyond the array: " // trim(errmsg))
    end subroutine
end program
