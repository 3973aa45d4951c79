! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Fortran's implementation of arrays.h: the values of Babel's patterns, lent memory, handles. The procedures that work
! on elements, one for each type and number of axes, are generated.
module array_values
    use, intrinsic :: iso_c_binding
    implicit none
    public
    enum, bind(C)
        enumerator :: colour_red = 7, colour_green = -3, colour_blue = 100000
    end enum
    interface same
        procedure :: same_logicals, same_pointers
    end interface

contains

    logical function same_logicals(a, b)
        logical(c_bool), intent(in) :: a, b
        same_logicals = a .eqv. b
    end function
    logical function same_pointers(a, b)
        type(c_ptr), intent(in) :: a, b
        same_pointers = transfer(a, 0_c_intptr_t) == transfer(b, 0_c_intptr_t)
    end function

    ! Indices start at 1 as in Fortran; the patterns are defined for C's indices from 0.
    integer(c_int32_t) function product_of(i)
        integer, intent(in) :: i(:)
        integer :: d
        product_of = product([(i(d) + d - 1, d = 1, size(i))])
    end function
    integer function sum_of(i)
        integer, intent(in) :: i(:)
        sum_of = sum(i) - size(i)
    end function
    integer function power_of(i)
        integer, intent(in) :: i(:)
        power_of = 2 * (i(1) - 1) - sum_of(i)
        if (size(i) == 1) power_of = 1 - i(1)
    end function

    logical(c_bool) function value_bool(i)
        integer, intent(in) :: i(:)
        value_bool = mod(sum_of(i), 2) == 0
    end function
    character(kind=c_char) function value_char(i)
        integer, intent(in) :: i(:)
        value_char = char(iachar("a") + mod(sum_of(i), 26), c_char)
    end function
    integer(c_int32_t) function value_int32(i)
        integer, intent(in) :: i(:)
        value_int32 = product_of(i)
    end function
    integer(c_int64_t) function value_int64(i)
        integer, intent(in) :: i(:)
        integer(c_int64_t), parameter :: primes(8) = [2, 3, 5, 7, 11, 13, 17, 19]
        value_int64 = product_of(i)
        if (size(i) == 1) value_int64 = primes(i(1))
    end function
    real(c_float) function value_float(i)
        integer, intent(in) :: i(:)
        value_float = 2.0_c_float**power_of(i)
    end function
    real(c_double) function value_double(i)
        integer, intent(in) :: i(:)
        value_double = 2.0_c_double**power_of(i)
    end function
    complex(c_float_complex) function value_fcomplex(i)
        integer, intent(in) :: i(:)
        value_fcomplex = cmplx(2.0_c_float**sum_of(i), 2.0_c_float**(-sum_of(i)), c_float)
    end function
    complex(c_double_complex) function value_dcomplex(i)
        integer, intent(in) :: i(:)
        value_dcomplex = cmplx(2.0_c_double**sum_of(i), 2.0_c_double**(-sum_of(i)), c_double)
    end function
    type(c_ptr) function value_opaque(i)
        integer, intent(in) :: i(:)
        value_opaque = c_null_ptr
        if (sum_of(i) > 0) value_opaque = transfer(int(16 * product_of(i), c_intptr_t), c_null_ptr)
    end function
    character(kind=c_char, len=8) function value_string(i)
        integer, intent(in) :: i(:)
        write (value_string, "(a, i0)") "é", product_of(i)
    end function
    integer(kind(colour_red)) function value_enum(i)
        integer, intent(in) :: i(:)
        integer(kind(colour_red)), parameter :: colours(3) = [colour_red, colour_green, colour_blue]
        value_enum = colours(mod(sum_of(i), 3) + 1)
    end function
end module

module array_handles
    use, intrinsic :: iso_c_binding
    implicit none
    private
    integer(c_int), parameter :: row_major = 0, column_major = 1, order_slice = 3
    ! Kind 1, char, is signed or not: C sets the value. Public: else gfortran hides the symbol, even C's definition.
    integer(c_int32_t), public, bind(C, name="char_element") :: char_element
    integer(c_int32_t), parameter :: elements(0:10) = &
        [int(z"6000001"), 0, 4, 8, int(z"2000004"), int(z"2000008"), int(z"5000008"), int(z"5000010"), int(z"3000008"), &
         int(z"3000008"), 4]
    integer, parameter :: lent_bytes = 2**21

    type, bind(C) :: memory_of_c
        type(c_ptr) :: data = c_null_ptr
        integer(c_int32_t) :: element = 0, rank = 0
        integer(c_int64_t) :: extents(8) = 0, strides(8) = 0
        integer(c_int32_t) :: order = 0, read_only = 0, device_type = 0, device_id = 0
    end type
    type, bind(C) :: slice_of_c
        integer(c_int64_t) :: begin = 1, count = 0, step = 2
    end type
    complex(c_double_complex), allocatable, target, save :: lent(:)

    interface
        integer(c_int) function layout_rank(layout, rank) bind(C, name="distview_layout_rank")
            import
            type(c_ptr), value :: layout
            integer(c_int), intent(out) :: rank
        end function
        integer(c_int) function local_extents(layout, process, extents) bind(C, name="distview_layout_local_extents")
            import
            type(c_ptr), value :: layout
            integer(c_int), value :: process
            integer(c_int64_t), intent(out) :: extents(*)
        end function
        integer(c_int) function array_borrow(comm, layout, memory, array) bind(C, name="distview_array_borrow")
            import
            type(c_ptr), value :: comm, layout
            type(memory_of_c), intent(in) :: memory
            type(c_ptr), intent(out) :: array
        end function
        integer(c_int) function array_create(comm, layout, element, order, array) bind(C, name="distview_array_create")
            import
            type(c_ptr), value :: comm, layout
            integer(c_int32_t), value :: element
            integer(c_int), value :: order
            type(c_ptr), intent(out) :: array
        end function
        integer(c_int) function array_slice(array, slices, slice) bind(C, name="distview_array_slice")
            import
            type(c_ptr), value :: array
            type(slice_of_c), intent(in) :: slices(*)
            type(c_ptr), intent(out) :: slice
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
    end interface

contains

    integer(c_int) function every_second(parent, layout, array) result(status)
        type(c_ptr), intent(in) :: parent, layout
        type(c_ptr), intent(inout) :: array
        integer(c_int64_t) :: extents(8)
        type(slice_of_c) :: slices(8)
        extents = 0
        status = local_extents(layout, 0_c_int, extents)
        slices%count = extents / 2
        if (status == 0) status = array_slice(parent, slices, array)
        call array_release(parent)
    end function

    integer(c_int32_t) function element_of(kind)
        integer(c_int), intent(in) :: kind
        element_of = merge(char_element, elements(kind), kind == 1)
    end function

    integer(c_int) function fortran_borrow(comm, layout, kind, order, array) bind(C) result(status)
        type(c_ptr), value :: comm, layout
        integer(c_int), value :: kind, order
        type(c_ptr), intent(inout) :: array
        type(memory_of_c) :: memory
        type(c_ptr) :: parent
        integer(c_int64_t) :: stride
        integer :: d, k
        if (.not. allocated(lent)) allocate(lent(lent_bytes / 16))
        lent = (-3.0e33_c_double, 1.0e-99_c_double)
        memory%element = element_of(kind)
        status = layout_rank(layout, memory%rank)
        if (status == 0) status = local_extents(layout, 0_c_int, memory%extents)
        if (status /= 0) return
        if (product(memory%extents(:memory%rank)) > 0) memory%data = c_loc(lent)
        memory%order = merge(column_major, order, order == order_slice)
        stride = 2 * mod(memory%element, 2**24)
        do k = 1, memory%rank
            d = mod(k, memory%rank) + 1
            memory%strides(d) = stride
            stride = stride * (memory%extents(d) + 1)
        end do
        if (order == order_slice) then
            status = array_borrow(comm, layout, memory, parent)
            if (status == 0) status = every_second(parent, layout, array)
        else
            status = array_borrow(comm, layout, memory, array)
        end if
    end function

    integer(c_int) function fortran_create(comm, layout, kind, order, array) bind(C) result(status)
        type(c_ptr), value :: comm, layout
        integer(c_int), value :: kind, order
        type(c_ptr), intent(inout) :: array
        type(c_ptr) :: parent
        if (order == order_slice) then
            status = array_create(comm, layout, element_of(kind), column_major, parent)
            if (status == 0) status = every_second(parent, layout, array)
        else
            status = array_create(comm, layout, element_of(kind), order, array)
        end if
    end function

    function fortran_memory() bind(C) result(address)
        type(c_ptr) :: address
        address = c_loc(lent)
    end function

    function fortran_retain(array) bind(C) result(same)
        type(c_ptr), value :: array
        type(c_ptr) :: same
        same = array_retain(array)
    end function

    subroutine fortran_release(array) bind(C)
        type(c_ptr), value :: array
        call array_release(array)
    end subroutine
end module
