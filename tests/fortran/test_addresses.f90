! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Arrays are borrowed: for every way to pass one, the library must see the caller's own memory, and an exchange's finish(),
! which knows only the address, must write there. If a compiler silently makes a copy, both checks fail.
program test_addresses
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64
    use check_support
    use distview
    implicit none
    integer, parameter :: width = 5
    type(distview_layout) :: line, plane, cube, seven
    type(distview_padding_plan) :: of_line, of_plane, of_cube, of_seven
    integer :: n ! cells of a section with padding, along the distributed axis

    type :: cell
        real(8) :: a = -1
        real(8) :: b = -1
        integer :: i = -1
    end type
    type :: state
        real(8), allocatable :: u(:, :)
        real(8), pointer :: p(:, :) => null()
    end type

    call begin_checks()
    call make()
    ! A procedure's arrays may have, on some ranks, the addresses of an earlier procedure's arrays: the plan must forget them.
    call whole_arrays()
    call of_plane%forget()
    call sections()
    call of_plane%forget()
    call dummies()
    call of_plane%forget()
    call components()
    call many_axes()
    call a_copy_is_found()
    call end_checks()
contains
    ! One axis of each layout is distributed, periodic, and has padding.
    subroutine make()
        call line%create([10 * ranks], [ranks], padding=1, periodic=[.true.])
        call plane%create([width, 10 * ranks], [1, ranks], paddings=reshape([0, 0, 1, 1], [2, 2]), &
                          periodic=[.false., .true.])
        call cube%create([width, 10 * ranks, 3], [1, ranks, 1], paddings=reshape([0, 0, 1, 1, 0, 0], [2, 3]), &
                         periodic=[.false., .true., .false.])
        call seven%create([2, 3, 2, 10 * ranks, 2, 1, 2], [1, 1, 1, ranks, 1, 1, 1], &
                          paddings=reshape([0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0], [2, 7]), &
                          periodic=[.false., .false., .false., .true., .false., .false., .false.])
        call of_line%create(comm, line)
        call of_plane%create(comm, plane)
        call of_cube%create(comm, cube)
        call of_seven%create(comm, seven)
        n = 12
    end subroutine

    ! Requires that the library sees memory at `address` with these strides in bytes, in Fortran's order of axes.
    subroutine expect(memory, address, strides, what)
        type(distview_memory), intent(in) :: memory
        type(c_ptr), intent(in) :: address
        integer, intent(in) :: strides(:)
        character(*), intent(in) :: what
        integer :: d, r
        r = memory%rank
        call check(c_associated(memory%data, address), what // ": another address")
        call check(r == size(strides), what // ": another rank")
        do d = 1, min(r, size(strides))
            call check(memory%strides(r + 1 - d) == strides(d), what // ": other strides")
        end do
    end subroutine

    ! Requires the padding of a ring whose cells hold their rank.
    subroutine expect_padding(low, high, what)
        real(8), intent(in) :: low, high
        character(*), intent(in) :: what
        call check(low == modulo(rank - 1, ranks) .and. high == modulo(rank + 1, ranks), what // ": padding elsewhere")
    end subroutine

    subroutine whole_arrays()
        real(8), allocatable, target, asynchronous :: u(:, :)
        real(8), target, asynchronous :: fixed(width, 12), flat(-3:8)
        real(8), pointer, asynchronous :: p(:, :)
        type(distview_exchange) :: exchange
        allocate(u(3:width + 2, -1:n - 2), source=real(rank, 8))
        call expect(distview_memory_of(u), c_loc(u), [8, 8 * width], "allocatable")
        call of_plane%start(exchange, u)
        call exchange%finish()
        call expect_padding(u(3, -1), u(4, n - 2), "allocatable")
        fixed = rank
        call expect(distview_memory_of(fixed), c_loc(fixed), [8, 8 * width], "fixed shape")
        call of_plane%start(exchange, fixed)
        call exchange%finish()
        call expect_padding(fixed(1, 1), fixed(1, n), "fixed shape")
        allocate(p(width, 0:n - 1), source=real(rank, 8))
        call expect(distview_memory_of(p), c_loc(p), [8, 8 * width], "pointer")
        call of_plane%start(exchange, p)
        call exchange%finish()
        call expect_padding(p(1, 0), p(1, n - 1), "pointer")
        deallocate(p)
        ! An address from C.
        fixed = rank
        call of_plane%start_memory(exchange, [distview_memory_at(c_loc(fixed), distview_float64, [5_int64, 12_int64])])
        call exchange%finish()
        call expect_padding(fixed(1, 1), fixed(1, n), "an address")
        flat = rank
        call of_line%start(exchange, flat)
        call exchange%finish()
        call expect_padding(flat(-3), flat(8), "one axis")
    end subroutine

    subroutine sections()
        real(8), allocatable, target, asynchronous :: w(:, :, :)
        real(8), pointer, asynchronous :: p(:, :)
        type(distview_exchange) :: exchange
        allocate(w(2 * width, 2, n + 3), source=real(rank, 8))
        call expect(distview_memory_of(w(1::2, 2, 2:n + 1)), c_loc(w(1, 2, 2)), [16, 32 * width], "section")
        call of_plane%start(exchange, w(1::2, 2, 2:n + 1))
        call exchange%finish()
        call expect_padding(w(1, 2, 2), w(1, 2, n + 1), "section")
        call check(w(2, 2, 2) == rank .and. w(1, 1, 2) == rank, "beside a section")
        ! Backwards.
        p => w(2 * width:1:-2, 1, n:1:-1)
        call expect(distview_memory_of(p), c_loc(w(2 * width, 1, n)), [-16, -32 * width], "backwards")
        call of_plane%start(exchange, p)
        call exchange%finish()
        call expect_padding(w(2, 1, n), w(2, 1, 1), "backwards")
        ! The same memory through a pointer with other bounds.
        w = rank
        p(0:, 5:) => w(1:width, 1, :n)
        call expect(distview_memory_of(p), c_loc(w(1, 1, 1)), [8, 32 * width], "remapped")
        call of_plane%start(exchange, p)
        call exchange%finish()
        call expect_padding(w(1, 1, 1), w(1, 1, n), "remapped")
    end subroutine

    subroutine dummies()
        real(8), allocatable, target, asynchronous :: u(:, :)
        allocate(u(width, n), source=real(rank, 8))
        call assumed_shape(u, c_loc(u))
        call explicit_shape(u, width, n, c_loc(u))
        call contiguous_shape(u, c_loc(u))
        call allocatable_dummy(u)
        call assumed_size(u, c_loc(u))
    end subroutine
    subroutine assumed_shape(u, address)
        real(8), intent(inout), target, asynchronous :: u(0:, 0:)
        type(c_ptr), intent(in) :: address
        type(distview_exchange) :: exchange
        u = rank
        call expect(distview_memory_of(u), address, [8, 8 * width], "assumed shape")
        call of_plane%start(exchange, u)
        call exchange%finish()
        call expect_padding(u(0, 0), u(0, n - 1), "assumed shape")
    end subroutine
    subroutine explicit_shape(u, rows, columns, address)
        integer, intent(in) :: rows, columns
        real(8), intent(inout), target, asynchronous :: u(rows, columns)
        type(c_ptr), intent(in) :: address
        type(distview_exchange) :: exchange
        u = rank
        call expect(distview_memory_of(u), address, [8, 8 * width], "explicit shape")
        call of_plane%start(exchange, u)
        call exchange%finish()
        call expect_padding(u(1, 1), u(1, n), "explicit shape")
    end subroutine
    subroutine contiguous_shape(u, address)
        real(8), intent(inout), target, contiguous, asynchronous :: u(-1:, -1:)
        type(c_ptr), intent(in) :: address
        type(distview_exchange) :: exchange
        u = rank
        call expect(distview_memory_of(u), address, [8, 8 * width], "contiguous")
        call of_plane%start(exchange, u)
        call exchange%finish()
        call expect_padding(u(-1, -1), u(-1, n - 2), "contiguous")
    end subroutine
    subroutine allocatable_dummy(u)
        real(8), allocatable, intent(inout), target, asynchronous :: u(:, :)
        type(distview_exchange) :: exchange
        u = rank
        call expect(distview_memory_of(u), c_loc(u), [8, 8 * width], "allocatable dummy")
        call of_plane%start(exchange, u)
        call exchange%finish()
        call expect_padding(u(1, 1), u(1, n), "allocatable dummy")
    end subroutine
    ! For an assumed-size dummy, whose last extent is unknown, the caller passes a section.
    subroutine assumed_size(u, address)
        real(8), intent(inout), target, asynchronous :: u(width, *)
        type(c_ptr), intent(in) :: address
        type(distview_exchange) :: exchange
        u(:, :n) = rank
        call expect(distview_memory_of(u(:, :n)), address, [8, 8 * width], "assumed size")
        call of_plane%start(exchange, u(:, :n))
        call exchange%finish()
        call expect_padding(u(1, 1), u(1, n), "assumed size")
    end subroutine

    subroutine components()
        type(state), target, asynchronous :: s
        type(cell), allocatable, target, asynchronous :: w(:, :)
        type(distview_memory) :: b
        type(distview_exchange) :: exchange
        allocate(s%u(width, n), s%p(width, n), source=real(rank, 8))
        call expect(distview_memory_of(s%u), c_loc(s%u), [8, 8 * width], "allocatable component")
        call expect(distview_memory_of(s%p), c_loc(s%p), [8, 8 * width], "pointer component")
        call of_plane%start(exchange, s%u, s%p)
        call exchange%finish()
        call expect_padding(s%u(1, 1), s%p(1, n), "components")
        ! Whole elements of a derived type, or one component of all elements, by distview_component_of().
        allocate(w(width, n))
        w%b = rank
        call expect(distview_memory_of(w), c_loc(w), [24, 24 * width], "derived type")
        b = distview_component_of(w, c_loc(w(1, 1)%b), distview_float64)
        call expect(b, c_loc(w(1, 1)%b), [24, 24 * width], "component of all elements")
        call of_plane%start_memory(exchange, [b])
        call exchange%finish()
        call expect_padding(w(1, 1)%b, w(1, n)%b, "component of all elements")
        call check(all(w%a == -1) .and. all(w%i == -1), "beside a component")
        w(:, 2:n - 1)%i = rank
        call of_plane%start(exchange, w)
        call exchange%finish()
        call check(w(1, 1)%i == modulo(rank - 1, ranks), "elements of a derived type")
        deallocate(s%p)
    end subroutine

    subroutine many_axes()
        real(8), allocatable, target, asynchronous :: u(:, :, :), v(:, :, :, :, :, :, :)
        type(distview_exchange) :: exchange
        allocate(u(0:width - 1, n, -1:1), source=real(rank, 8))
        allocate(v(2, 0:2, 2, -1:n - 2, 2, 1, 2), source=real(rank, 8))
        call expect(distview_memory_of(u), c_loc(u), [8, 8 * width, 8 * width * n], "three axes")
        call of_cube%start(exchange, u)
        call exchange%finish()
        call expect_padding(u(0, 1, 1), u(width - 1, n, -1), "three axes")
        call expect(distview_memory_of(v), c_loc(v), [8, 16, 48, 96, 96 * n, 192 * n, 192 * n], "seven axes")
        call of_seven%start(exchange, v)
        call exchange%finish()
        call expect_padding(v(2, 2, 2, -1, 2, 1, 2), v(1, 0, 1, n - 2, 1, 1, 1), "seven axes")
    end subroutine

    ! Proves that these checks detect a copy: a parenthesised expression is one.
    subroutine a_copy_is_found()
        real(8), allocatable, target :: u(:, :)
        type(distview_memory) :: copy
        allocate(u(width, n), source=real(rank, 8))
        copy = distview_memory_of((u))
        call check(.not. c_associated(copy%data, c_loc(u)), "a copy lies elsewhere")
    end subroutine
end program
