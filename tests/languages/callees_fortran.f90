! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module callees
    use, intrinsic :: iso_c_binding
    implicit none
    public

    type, bind(C) :: particle
        real(c_double) :: position(3)
        integer(c_int32_t) :: kind
        logical(c_bool) :: alive
        character(kind=c_char) :: tag(3)
        real(c_float) :: charge
        type(c_ptr) :: owner
    end type
    type, bind(C) :: fibonacci
        integer(c_int64_t) :: n, max_depth, max_value, result
    end type

    ! The structures of distview/c/array.h and distview/c/local_copy.h.
    type, bind(C) :: memory_of_c
        type(c_ptr) :: data
        integer(c_int32_t) :: element, rank
        integer(c_int64_t) :: extents(8), strides(8)
        integer(c_int32_t) :: order, read_only, device_type, device_id
    end type
    type, bind(C) :: plain_array
        type(c_ptr) :: data
        integer(c_int32_t) :: element, rank
        integer(c_int64_t) :: extents(8), leading_dimension
        integer(c_int32_t) :: order, is_copy
    end type
    integer(c_int), parameter :: success = 0, shape_error = 2, other_error = 6
    integer(c_int32_t), parameter :: int32 = 4, int64 = 8, float32 = int(z"2000004"), float64 = int(z"2000008"), &
        complex64 = int(z"5000008"), complex128 = int(z"5000010")

    interface
        integer(c_int) function set_error(status, code, message) bind(C, name="distview_set_error")
            import
            integer(c_int), value :: status
            character(kind=c_char), intent(in) :: code(*), message(*)
        end function
        integer(c_int) function array_memory(array, memory) bind(C, name="distview_array_memory")
            import
            type(c_ptr), value :: array
            type(memory_of_c), intent(out) :: memory
        end function
        function array_retain(array) bind(C, name="distview_array_retain") result(same)
            import
            type(c_ptr), value :: array
            type(c_ptr) :: same
        end function
        subroutine array_release(array) bind(C, name="distview_array_release")
            import
            type(c_ptr), value :: array
        end subroutine
        integer(c_int) function cpp_fibonacci_of(asked) bind(C)
            import
            type(fibonacci), intent(inout) :: asked
        end function
    end interface

contains

    integer(c_int64_t) function distance(from, to)
        type(c_ptr), intent(in) :: from, to
        distance = transfer(to, 0_c_intptr_t) - transfer(from, 0_c_intptr_t)
    end function

    subroutine fortran_particle_offsets(offsets) bind(C)
        integer(c_int64_t), intent(out) :: offsets(7)
        type(particle), target :: p(2)
        offsets = [distance(c_loc(p), c_loc(p(1)%position)), distance(c_loc(p), c_loc(p(1)%kind)), &
                   distance(c_loc(p), c_loc(p(1)%alive)), distance(c_loc(p), c_loc(p(1)%tag)), &
                   distance(c_loc(p), c_loc(p(1)%charge)), distance(c_loc(p), c_loc(p(1)%owner)), &
                   int(c_sizeof(p(1)), c_int64_t)]
        if (distance(c_loc(p(1)), c_loc(p(2))) /= offsets(7)) offsets(7) = -1
    end subroutine

    real(c_double) function fortran_particle_mass(p) bind(C) result(mass)
        type(particle), value :: p
        mass = p%position(1) + 2 * p%position(2) + 4 * p%position(3) + 8 * p%kind + merge(16, 0, p%alive) + p%charge + &
            iachar(p%tag(3))
        if (c_associated(p%owner)) mass = mass + 1000
    end function

    subroutine fortran_particle_move(p) bind(C)
        type(particle), intent(inout) :: p
        p%position = p%position + [1, 2, 3]
        p%kind = -p%kind
        p%alive = .not. p%alive
        p%tag = p%tag(3:1:-1)
        p%charge = -p%charge
        p%owner = c_null_ptr
    end subroutine

    integer(c_int) function fortran_raw(plain, user) bind(C) result(status)
        type(plain_array), intent(in) :: plain
        type(c_ptr), value :: user
        integer(c_int32_t), pointer :: i4(:)
        integer(c_int64_t), pointer :: i8(:)
        real(c_float), pointer :: r4(:)
        real(c_double), pointer :: r8(:)
        complex(c_float_complex), pointer :: c4(:)
        complex(c_double_complex), pointer :: c8(:)
        integer :: m, n
        external :: raw_int32, raw_int64, raw_float32, raw_float64, raw_complex64, raw_complex128
        status = success
        m = int(plain%extents(1))
        n = int(plain%extents(2))
        if (plain%rank /= 2 .or. plain%order /= 1 .or. plain%leading_dimension /= m .or. c_associated(user) .or. &
            .not. c_associated(plain%data)) then
            status = set_error(shape_error, c_null_char, "raw: expected a(m, n) without gaps" // c_null_char)
            return
        end if
        select case (plain%element)
        case (int32)
            call c_f_pointer(plain%data, i4, [m * n])
            call raw_int32(i4, m, n)
        case (int64)
            call c_f_pointer(plain%data, i8, [m * n])
            call raw_int64(i8, m, n)
        case (float32)
            call c_f_pointer(plain%data, r4, [m * n])
            call raw_float32(r4, m, n)
        case (float64)
            call c_f_pointer(plain%data, r8, [m * n])
            call raw_float64(r8, m, n)
        case (complex64)
            call c_f_pointer(plain%data, c4, [m * n])
            call raw_complex64(c4, m, n)
        case (complex128)
            call c_f_pointer(plain%data, c8, [m * n])
            call raw_complex128(c8, m, n)
        case default
            status = set_error(shape_error, c_null_char, "raw: expected numbers" // c_null_char)
        end select
    end function

    integer(c_int) function fortran_sum_float64_2(array, total) bind(C) result(status)
        type(c_ptr), value :: array
        real(c_double), intent(inout) :: total
        type(memory_of_c) :: memory
        real(c_double), pointer :: element
        character(100) :: text
        integer(c_int64_t) :: i, j, base
        status = array_memory(array, memory)
        if (status /= success) return
        if (memory%rank /= 2 .or. memory%element /= float64) then
            write (text, "(a, i0, a, i0)") "sum_float64_2: expected 2 axes of float64, got ", memory%rank, " of element ", &
                memory%element
            status = set_error(shape_error, c_null_char, trim(text) // c_null_char)
            return
        end if
        total = 0
        base = transfer(memory%data, 0_c_intptr_t)
        do j = 0, memory%extents(2) - 1
            do i = 0, memory%extents(1) - 1
                call c_f_pointer(transfer(base + i * memory%strides(1) + j * memory%strides(2), c_null_ptr), element)
                total = total + element
            end do
        end do
    end function

    function fortran_hold(array) bind(C) result(same)
        type(c_ptr), value :: array
        type(c_ptr) :: same
        same = array_retain(array)
    end function
    subroutine fortran_let_go(array) bind(C)
        type(c_ptr), value :: array
        call array_release(array)
    end subroutine

    recursive subroutine find_fibonacci(asked, n, depth, value, status)
        type(fibonacci), intent(in) :: asked
        integer(c_int64_t), intent(in) :: n, depth
        integer(c_int64_t), intent(out) :: value
        integer(c_int), intent(out) :: status
        integer(c_int64_t) :: last
        value = n
        status = success
        if (n < 0) then
            status = set_error(other_error, "NegativeValue" // c_null_char, "fibonacci: expected n >= 0" // c_null_char)
        else if (depth > asked%max_depth) then
            status = set_error(other_error, "TooDeep" // c_null_char, "fibonacci: too deep" // c_null_char)
        else if (n > 1) then
            call find_fibonacci(asked, n - 1, depth + 1, value, status)
            if (status == success) then
                call find_fibonacci(asked, n - 2, depth + 1, last, status)
                value = value + last
            end if
        end if
        if (status == success .and. value > asked%max_value) &
            status = set_error(other_error, "TooBig" // c_null_char, "fibonacci: too big" // c_null_char)
    end subroutine

    integer(c_int) function fortran_fibonacci(plain, user) bind(C) result(status)
        type(plain_array), intent(in) :: plain
        type(c_ptr), value :: user
        type(fibonacci), pointer :: asked
        call c_f_pointer(user, asked)
        status = shape_error
        if (plain%rank > 0) call find_fibonacci(asked, asked%n, 0_c_int64_t, asked%result, status)
    end function

    integer(c_int) function fortran_fibonacci_by_cpp(plain, user) bind(C) result(status)
        type(plain_array), intent(in) :: plain
        type(c_ptr), value :: user
        type(fibonacci), pointer :: asked
        call c_f_pointer(user, asked)
        status = shape_error
        if (plain%rank > 0) status = cpp_fibonacci_of(asked)
    end function

    integer(c_int) function fortran_distribution(index, process, position, user) bind(C) result(status)
        integer(c_int64_t), value :: index
        integer(c_int), intent(out) :: process
        integer(c_int64_t), intent(out) :: position
        type(c_ptr), value :: user
        integer(c_int64_t), pointer :: extent
        call c_f_pointer(user, extent)
        process = 0
        position = extent - 1 - index
        status = success
    end function

    integer(c_int) function fortran_kernel(rank, begin, end, user) bind(C) result(status)
        integer(c_int), value :: rank
        integer(c_int64_t), intent(in) :: begin(rank), end(rank)
        type(c_ptr), value :: user
        type(c_ptr), pointer :: addresses(:)
        real(c_double), pointer :: from(:), to(:)
        integer(c_int64_t) :: i
        status = shape_error
        if (rank /= 1) return
        call c_f_pointer(user, addresses, [2])
        call c_f_pointer(addresses(1), from, [end(1) + 1])
        call c_f_pointer(addresses(2), to, [end(1)])
        do i = begin(1) + 1, end(1)
            to(i) = from(i - 1) + from(i + 1)
        end do
        status = success
    end function

    integer(c_int) function fortran_combine(here, incoming, element, user) bind(C) result(status)
        real(c_double), intent(inout) :: here
        real(c_double), intent(in) :: incoming
        integer(c_int32_t), value :: element
        type(c_ptr), value :: user
        status = shape_error
        if (element /= float64 .or. c_associated(user)) return
        here = 2 * here + incoming
        status = success
    end function
end module
