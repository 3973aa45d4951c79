! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Fortran calls the functions of C, C++ and Fortran, and passes them to the library.
module called
    use, intrinsic :: iso_c_binding
    use callees, only: particle, fibonacci, plain_array
    use distview, only: distview_error_class, distview_error_code, distview_error_message
    implicit none
    public
    integer(c_int32_t), parameter :: int64 = 8, float64 = int(z"2000008"), opaque = int(z"3000000")
    integer(c_int), parameter :: success = 0, layout_error = 1, shape_error = 2, usage_error = 3, other_error = 6

    type, bind(C) :: copy_options
        integer(c_int32_t) :: intent = 2, order = 1, cells = 0, takes_leading_dimension = 0, writes_all = 0, unused = 0
    end type
    type, bind(C) :: copied_bytes
        integer(c_int64_t) :: in = -1, out = -1
    end type

    abstract interface
        subroutine offsets_of(offsets) bind(C)
            import
            integer(c_int64_t), intent(out) :: offsets(7)
        end subroutine
        real(c_double) function mass_of(p) bind(C)
            import
            type(particle), value :: p
        end function
        subroutine move_of(p) bind(C)
            import
            type(particle), intent(inout) :: p
        end subroutine
        integer(c_int) function callee_of(plain, user) bind(C)
            import
            type(plain_array), intent(in) :: plain
            type(c_ptr), value :: user
        end function
        integer(c_int) function sum_of(array, total) bind(C)
            import
            type(c_ptr), value :: array
            real(c_double), intent(inout) :: total
        end function
        function hold_of(array) bind(C)
            import
            type(c_ptr), value :: array
            type(c_ptr) :: hold_of
        end function
        subroutine let_go_of(array) bind(C)
            import
            type(c_ptr), value :: array
        end subroutine
        subroutine any_callback() bind(C)
        end subroutine
    end interface

    procedure(offsets_of), bind(C, name="c_particle_offsets") :: c_particle_offsets
    procedure(offsets_of), bind(C, name="cpp_particle_offsets") :: cpp_particle_offsets
    procedure(offsets_of), bind(C, name="fortran_particle_offsets") :: fortran_particle_offsets
    procedure(mass_of), bind(C, name="c_particle_mass") :: c_particle_mass
    procedure(mass_of), bind(C, name="cpp_particle_mass") :: cpp_particle_mass
    procedure(mass_of), bind(C, name="fortran_particle_mass") :: fortran_particle_mass
    procedure(move_of), bind(C, name="c_particle_move") :: c_particle_move
    procedure(move_of), bind(C, name="cpp_particle_move") :: cpp_particle_move
    procedure(move_of), bind(C, name="fortran_particle_move") :: fortran_particle_move
    procedure(callee_of), bind(C, name="c_raw") :: c_raw
    procedure(callee_of), bind(C, name="cpp_raw") :: cpp_raw
    procedure(callee_of), bind(C, name="fortran_raw") :: fortran_raw
    procedure(callee_of), bind(C, name="c_fibonacci") :: c_fibonacci
    procedure(callee_of), bind(C, name="cpp_fibonacci") :: cpp_fibonacci
    procedure(callee_of), bind(C, name="fortran_fibonacci") :: fortran_fibonacci
    procedure(callee_of), bind(C, name="fortran_fibonacci_by_cpp") :: fortran_fibonacci_by_cpp
    procedure(sum_of), bind(C, name="c_sum_float64_2") :: c_sum_float64_2
    procedure(sum_of), bind(C, name="cpp_sum_float64_2") :: cpp_sum_float64_2
    procedure(sum_of), bind(C, name="fortran_sum_float64_2") :: fortran_sum_float64_2
    procedure(hold_of), bind(C, name="c_hold") :: c_hold
    procedure(hold_of), bind(C, name="cpp_hold") :: cpp_hold
    procedure(hold_of), bind(C, name="fortran_hold") :: fortran_hold
    procedure(let_go_of), bind(C, name="c_let_go") :: c_let_go
    procedure(let_go_of), bind(C, name="cpp_let_go") :: cpp_let_go
    procedure(let_go_of), bind(C, name="fortran_let_go") :: fortran_let_go
    procedure(any_callback), bind(C, name="c_distribution") :: c_distribution
    procedure(any_callback), bind(C, name="cpp_distribution") :: cpp_distribution
    procedure(any_callback), bind(C, name="fortran_distribution") :: fortran_distribution
    procedure(any_callback), bind(C, name="c_kernel") :: c_kernel
    procedure(any_callback), bind(C, name="cpp_kernel") :: cpp_kernel
    procedure(any_callback), bind(C, name="fortran_kernel") :: fortran_kernel
    procedure(any_callback), bind(C, name="c_combine") :: c_combine
    procedure(any_callback), bind(C, name="cpp_combine") :: cpp_combine
    procedure(any_callback), bind(C, name="fortran_combine") :: fortran_combine

    interface
        integer(c_int) function begin_calls() bind(C)
            import
        end function
        integer(c_int) function end_calls() bind(C)
            import
        end function
        integer(c_int) function ended_arrays() bind(C)
            import
        end function
        integer(c_int) function make_array(rank, extents, element, order, array, data) bind(C)
            import
            integer(c_int), value :: rank, element, order
            integer(c_int64_t), intent(in) :: extents(*)
            type(c_ptr), intent(out) :: array, data
        end function
        integer(c_int) function make_padded(array, data, plan) bind(C)
            import
            type(c_ptr), intent(out) :: array, data, plan
        end function
        integer(c_int) function make_backwards(distribution, extent, layout) bind(C)
            import
            type(c_funptr), value :: distribution
            integer(c_int64_t), intent(in) :: extent
            type(c_ptr), intent(out) :: layout
        end function
        integer(c_int) function make_counted(array) bind(C)
            import
            type(c_ptr), intent(out) :: array
        end function
        subroutine array_release(array) bind(C, name="distview_array_release")
            import
            type(c_ptr), value :: array
        end subroutine
        subroutine layout_release(layout) bind(C, name="distview_layout_release")
            import
            type(c_ptr), value :: layout
        end subroutine
        integer(c_int) function layout_create(rank, grid, axes, layout) bind(C, name="distview_layout_create")
            import
            integer(c_int), value :: rank
            type(c_ptr), value :: grid, axes
            type(c_ptr), intent(inout) :: layout
        end function
        integer(c_int) function to_global(layout, process, axis, position, index) bind(C, name="distview_layout_to_global")
            import
            type(c_ptr), value :: layout
            integer(c_int), value :: process, axis
            integer(c_int64_t), value :: position
            integer(c_int64_t), intent(out) :: index
        end function
        integer(c_int) function with_local_copy(array, options, callee, user, bytes) bind(C, name="distview_with_local_copy")
            import
            type(c_ptr), value :: array, user
            type(copy_options), intent(in) :: options
            type(c_funptr), value :: callee
            type(copied_bytes), intent(out) :: bytes
        end function
        integer(c_int) function plan_apply(plan, count, arrays, kernel, user) bind(C, name="distview_padding_plan_apply")
            import
            type(c_ptr), value :: plan
            integer(c_int), value :: count
            type(c_ptr), intent(in) :: arrays(*)
            type(c_funptr), value :: kernel
            type(c_ptr), intent(in) :: user(*)
        end function
        integer(c_int) function plan_combine(plan, operation, count, arrays) bind(C, name="distview_padding_plan_combine")
            import
            type(c_ptr), value :: plan
            integer(c_int), value :: operation, count
            type(c_ptr), intent(in) :: arrays(*)
        end function
        integer(c_int) function plan_execute(plan, count, arrays) bind(C, name="distview_padding_plan_execute")
            import
            type(c_ptr), value :: plan
            integer(c_int), value :: count
            type(c_ptr), intent(in) :: arrays(*)
        end function
        integer(c_int) function plan_is_usable(plan, usable) bind(C, name="distview_padding_plan_is_usable")
            import
            type(c_ptr), value :: plan
            integer(c_int), intent(out) :: usable
        end function
        subroutine plan_release(plan) bind(C, name="distview_padding_plan_release")
            import
            type(c_ptr), value :: plan
        end subroutine
        integer(c_int) function operation_create(combine, user, operation) bind(C, name="distview_operation_create")
            import
            type(c_funptr), value :: combine
            type(c_ptr), value :: user
            integer(c_int), intent(out) :: operation
        end function
        subroutine operation_free(operation) bind(C, name="distview_operation_free")
            import
            integer(c_int), value :: operation
        end subroutine
        integer(c_int) function set_contracts(level) bind(C, name="distview_set_contracts")
            import
            integer(c_int), value :: level
        end function
        integer(c_int) function contracts() bind(C, name="distview_contracts")
            import
        end function
    end interface
end module

program callers
    use called
    implicit none
    integer :: failures = 0, failures_before = 0
    integer(c_int) :: status

    status = begin_calls()
    if (status /= success) error stop 2
    call test_struct(c_particle_offsets, c_particle_mass, c_particle_move)
    call report("struct", "c")
    call test_struct(cpp_particle_offsets, cpp_particle_mass, cpp_particle_move)
    call report("struct", "cpp")
    call test_struct(fortran_particle_offsets, fortran_particle_mass, fortran_particle_move)
    call report("struct", "fortran")
    call test_raw(c_funloc(c_raw))
    call report("raw", "c")
    call test_raw(c_funloc(cpp_raw))
    call report("raw", "cpp")
    call test_raw(c_funloc(fortran_raw))
    call report("raw", "fortran")
    call test_generic(c_sum_float64_2)
    call report("generic", "c")
    call test_generic(cpp_sum_float64_2)
    call report("generic", "cpp")
    call test_generic(fortran_sum_float64_2)
    call report("generic", "fortran")
    call test_objects(c_hold, c_let_go)
    call report("objects", "c")
    call test_objects(cpp_hold, cpp_let_go)
    call report("objects", "cpp")
    call test_objects(fortran_hold, fortran_let_go)
    call report("objects", "fortran")
    call test_fibonacci(c_funloc(c_fibonacci))
    call report("exceptions", "c")
    call test_fibonacci(c_funloc(cpp_fibonacci))
    call report("exceptions", "cpp")
    call test_fibonacci(c_funloc(fortran_fibonacci))
    call report("exceptions", "fortran")
    call test_fibonacci(c_funloc(fortran_fibonacci_by_cpp))
    call report("exceptions", "fortran_by_cpp")
    call test_virtual(c_funloc(c_distribution), c_funloc(c_kernel), c_funloc(c_combine))
    call report("virtual", "c")
    call test_virtual(c_funloc(cpp_distribution), c_funloc(cpp_kernel), c_funloc(cpp_combine))
    call report("virtual", "cpp")
    call test_virtual(c_funloc(fortran_distribution), c_funloc(fortran_kernel), c_funloc(fortran_combine))
    call report("virtual", "fortran")
    call test_contracts()
    call report("contracts", "library")
    call test_inheritance()
    call report("inheritance", "library")
    status = end_calls()
    if (status /= success .or. failures /= 0) error stop 1

contains

    subroutine check(condition, text)
        logical, intent(in) :: condition
        character(*), intent(in) :: text
        if (condition) return
        failures = failures + 1
        print "(2a)", "wrong: ", text
    end subroutine

    subroutine ok(result)
        integer(c_int), intent(in) :: result
        call check(result == success, "unexpected error: " // distview_error_message())
    end subroutine

    subroutine fails(result, class, part)
        integer(c_int), intent(in) :: result
        character(*), intent(in) :: class, part
        character(:), allocatable :: class_got, text
        class_got = distview_error_class()
        text = distview_error_message()
        call check(result /= success .and. class_got == class .and. index(text, part) > 0, &
                   "expected " // class // " '" // part // "', got " // class_got // " '" // text // "'")
    end subroutine

    subroutine report(what, implementer)
        character(*), intent(in) :: what, implementer
        print "(6a)", "languages ", what, " fortran ", implementer, " ", &
            trim(merge("ok    ", "failed", failures == failures_before))
        failures_before = failures
    end subroutine

    subroutine test_struct(particle_offsets, particle_mass, particle_move)
        procedure(offsets_of) :: particle_offsets
        procedure(mass_of) :: particle_mass
        procedure(move_of) :: particle_move
        type(particle), target :: p
        type(particle), pointer :: all_of(:)
        type(c_ptr) :: array, data
        integer(c_int64_t) :: offsets(7), expected(7)
        integer :: i
        call particle_offsets(offsets)
        expected(7) = int(c_sizeof(p), c_int64_t)
        expected(1:6) = [distance(c_loc(p%position)), distance(c_loc(p%kind)), distance(c_loc(p%alive)), &
                         distance(c_loc(p%tag)), distance(c_loc(p%charge)), distance(c_loc(p%owner))]
        expected(1:6) = expected(1:6) - distance(c_loc(p))
        call check(all(offsets == expected), "offsets of a structure")
        p = particle([1, 2, 3], 5, .true., ["a", "b", "c"], 0.5, c_loc(p))
        call check(particle_mass(p) == 1 + 4 + 12 + 40 + 16 + 0.5d0 + iachar("c") + 1000, "a structure by value")
        call particle_move(p)
        call check(all(p%position == [2, 4, 6]) .and. p%kind == -5 .and. .not. p%alive .and. &
                   all(p%tag == ["c", "b", "a"]) .and. p%charge == -0.5 .and. .not. c_associated(p%owner), &
                   "a structure by address")
        call ok(make_array(1, [5_c_int64_t], opaque + int(expected(7), c_int32_t), 0, array, data))
        call c_f_pointer(data, all_of, [5])
        do i = 1, 5
            all_of(i)%position(3) = i - 1
            call particle_move(all_of(i))
            call check(particle_mass(all_of(i)) == 1 + 4 + 4 * (i + 2) + 16, "structures as elements")
        end do
        call array_release(array)
    end subroutine

    integer(c_int64_t) function distance(address)
        type(c_ptr), intent(in) :: address
        distance = transfer(address, 0_c_intptr_t)
    end function

    ! Tests Fortran's own arrays in double precision; the other callers test the other types.
    subroutine test_raw(callee)
        type(c_funptr), value :: callee
        type(c_ptr) :: array, data
        type(copied_bytes) :: bytes
        real(c_double), pointer :: rows(:, :), columns(:, :)
        integer(c_int64_t), pointer :: numbers(:, :)
        integer :: i, j
        call ok(make_array(2, [3_c_int64_t, 4_c_int64_t], float64, 1, array, data))
        call c_f_pointer(data, columns, [3, 4])
        columns = reshape([(i - 6, i = 0, 11)], [3, 4])
        call ok(with_local_copy(array, copy_options(), callee, c_null_ptr, bytes))
        call check(bytes%in == 0 .and. bytes%out == 0, "a raw array in place")
        call check(all(columns == reshape([((((i - 1) + 3 * (j - 1) - 6) * (i + 10 * j), i = 1, 3), j = 1, 4)], [3, 4])), &
                   "values of a raw array")
        call array_release(array)
        call ok(make_array(2, [3_c_int64_t, 4_c_int64_t], float64, 0, array, data))
        call c_f_pointer(data, rows, [4, 3])
        rows = reshape([(i - 6, i = 0, 11)], [4, 3])
        call ok(with_local_copy(array, copy_options(), callee, c_null_ptr, bytes))
        call check(bytes%in == 96 .and. bytes%out == 96, "a raw array that is a copy")
        call check(all(rows == reshape([(((4 * (i - 1) + j - 1 - 6) * (i + 10 * j), j = 1, 4), i = 1, 3)], [4, 3])), &
                   "values of a raw array that is a copy")
        call array_release(array)
        call ok(make_array(2, [3_c_int64_t, 4_c_int64_t], int64, 1, array, data))
        call c_f_pointer(data, numbers, [3, 4])
        numbers = 1
        call ok(with_local_copy(array, copy_options(), callee, c_null_ptr, bytes))
        call check(all(numbers == reshape([((i + 10 * j, i = 1, 3), j = 1, 4)], [3, 4])), "integers of a raw array")
        call array_release(array)
        call ok(make_array(1, [3_c_int64_t], float64, 1, array, data))
        call fails(with_local_copy(array, copy_options(), callee, c_null_ptr, bytes), "ShapeError", "expected a(m, n)")
        call array_release(array)
    end subroutine

    subroutine test_generic(sum_float64_2)
        procedure(sum_of) :: sum_float64_2
        type(c_ptr) :: array, data
        real(c_double), pointer :: a(:)
        real(c_double) :: total
        integer :: i, order
        do order = 0, 1
            call ok(make_array(2, [3_c_int64_t, 4_c_int64_t], float64, order, array, data))
            call c_f_pointer(data, a, [12])
            a = [(i, i = 0, 11)]
            total = 0
            call ok(sum_float64_2(array, total))
            call check(total == 66, "the sum of a generic array")
            call array_release(array)
            call ok(make_array(1, [3_c_int64_t], float64, order, array, data))
            call fails(sum_float64_2(array, total), "ShapeError", "expected 2 axes of float64, got 1 of element 33554440")
            call array_release(array)
            call ok(make_array(2, [3_c_int64_t, 4_c_int64_t], int64, order, array, data))
            call fails(sum_float64_2(array, total), "ShapeError", "expected 2 axes of float64, got 2 of element 8")
            call array_release(array)
        end do
    end subroutine

    subroutine test_objects(hold, let_go)
        procedure(hold_of) :: hold
        procedure(let_go_of) :: let_go
        type(c_ptr) :: array, held
        integer :: before
        before = ended_arrays()
        call ok(make_counted(array))
        held = hold(array)
        call array_release(array)
        call check(ended_arrays() == before, "an array that is held")
        call let_go(held)
        call check(ended_arrays() == before + 1, "an array that is let go")
    end subroutine

    subroutine test_fibonacci(callee)
        type(c_funptr), value :: callee
        type(c_ptr) :: array, data
        type(fibonacci), target :: asked
        type(copied_bytes) :: bytes
        call ok(make_array(1, [1_c_int64_t], float64, 0, array, data))
        asked = fibonacci(10, 100, 1000, -1)
        call ok(with_local_copy(array, copy_options(), callee, c_loc(asked), bytes))
        call check(asked%result == 55, "a number of Fibonacci's")
        asked%n = -1
        call fails(with_local_copy(array, copy_options(), callee, c_loc(asked), bytes), "Error", "fibonacci: expected n >= 0")
        call check(distview_error_code() == "NegativeValue", "the class of a negative value")
        asked = fibonacci(10, 3, 1000, -1)
        call fails(with_local_copy(array, copy_options(), callee, c_loc(asked), bytes), "Error", "fibonacci: too deep")
        call check(distview_error_code() == "TooDeep", "the class of what is too deep")
        asked = fibonacci(20, 100, 1000, -1)
        call fails(with_local_copy(array, copy_options(), callee, c_loc(asked), bytes), "Error", "fibonacci: too big")
        call check(distview_error_code() == "TooBig", "the class of what is too big")
        call array_release(array)
    end subroutine

    subroutine test_virtual(distribution, kernel, combine)
        type(c_funptr), value :: distribution, kernel, combine
        type(c_ptr) :: layout, array, data, plan
        integer(c_int64_t) :: index_of, i
        integer(c_int64_t), target :: extent
        integer(c_int) :: operation
        real(c_double), pointer :: from(:)
        real(c_double), target :: to(0:9)
        extent = 7
        call ok(make_backwards(distribution, extent, layout))
        do i = 0, 6
            call ok(to_global(layout, 0, 0, i, index_of))
            call check(index_of == 6 - i, "a distribution of the program's")
        end do
        call layout_release(layout)
        call ok(make_padded(array, data, plan))
        call c_f_pointer(data, from, [10])
        from(2:9) = [(i * i, i = 1, 8)]
        to = 0
        call ok(plan_apply(plan, 1, [array], kernel, [c_loc(from), c_loc(to)]))
        call check(all(to(1:8) == from(1:8) + from(3:10)) .and. from(1) == 64 .and. from(10) == 1, "a kernel of the program's")
        call ok(operation_create(combine, c_null_ptr, operation))
        from(1) = 100
        from(10) = 200
        call ok(plan_combine(plan, operation, 1, [array]))
        call check(from(2) == 2 * 1 + 200 .and. from(9) == 2 * 64 + 100 .and. from(3) == 4, "an operation of the program's")
        call operation_free(operation)
        call plan_release(plan)
        call array_release(array)
    end subroutine

    subroutine test_contracts()
        type(c_ptr) :: array, data, plan
        integer(c_int) :: level, usable
        do level = 0, 2
            call ok(make_padded(array, data, plan))
            call ok(set_contracts(level))
            call check(contracts() == level, "the level of contracts")
            call ok(plan_execute(plan, 1, [array]))
            if (level > 0) call fails(plan_execute(plan, 1, [c_null_ptr]), "UsageError", "got a null pointer")
            call ok(plan_is_usable(plan, usable))
            call check(usable == 1 .or. level == 1, "whether a plan is usable")
            call fails(set_contracts(3), "UsageError", "got 3")
            call plan_release(plan)
            call array_release(array)
        end do
        call ok(set_contracts(1))
    end subroutine

    ! In Fortran errors are statuses; the last error has the name of the class.
    subroutine test_inheritance()
        type(c_ptr) :: array, data, layout
        integer(c_int) :: result
        result = make_array(1, [-5_c_int64_t], float64, 0, array, data)
        call check(result == layout_error, "the status of a layout that cannot be")
        call fails(result, "LayoutError", "-5")
        layout = c_null_ptr
        result = layout_create(1, c_null_ptr, c_null_ptr, layout)
        call check(result == usage_error, "the status of a wrong use")
        call fails(result, "UsageError", "null pointer")
    end subroutine
end program
