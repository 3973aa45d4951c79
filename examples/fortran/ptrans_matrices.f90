! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The matrices of HPCC's PTRANS: every process can compute any element by itself.
module ptrans_matrices
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none
    private
    public :: elements_of, element

    integer(int64), parameter :: modulus = 2_int64**31

    ! Several steps of HPCC's random numbers at once: X <- factor * X + summand, mod 2**31.
    type :: jump
        integer(int64) :: factor = 1, summand = 0
    end type

    ! A matrix at some rows and columns: a jump for each row, which starts from the state of the column.
    type, public :: elements
        type(jump), allocatable :: jumps(:)
        integer(int64), allocatable :: states(:)
    end type

contains

    ! Element (i, j) of a matrix, counted from 0, is number i * row_step + j * column_step of a seed's sequence.
    pure function elements_of(seed, rows, columns, row_step, column_step) result(made)
        integer(int64), intent(in) :: seed, rows(:), columns(:), row_step, column_step
        type(elements) :: made
        type(jump) :: first
        integer :: k
        allocate(made%jumps(size(rows)), made%states(size(columns)))
        do k = 1, size(rows)
            made%jumps(k) = steps(rows(k) * row_step)
        end do
        do k = 1, size(columns)
            first = steps(1 + columns(k) * column_step)
            made%states(k) = mod(first%factor * seed + first%summand, modulus)
        end do
    end function

    ! The element in the row and column at these places in the lists: a multiple of 2**(-30) in (-1, 1].
    pure real(8) function element(of, row, column)
        type(elements), intent(in) :: of
        integer, intent(in) :: row, column
        integer(int64) :: state
        state = mod(of%jumps(row)%factor * of%states(column) + of%jumps(row)%summand, modulus)
        element = 1 - real(state, 8) * 2d0**(-30)
    end function

    ! Two successive jumps are one jump, so any number of steps needs at most 63 of them.
    pure type(jump) function steps(count) result(all)
        integer(int64), intent(in) :: count
        type(jump) :: power
        integer(int64) :: left
        power = jump(1103515245_int64, 12345_int64)
        left = count
        do while (left /= 0)
            if (mod(left, 2_int64) /= 0) all = after(power, all)
            power = after(power, power)
            left = left / 2
        end do
    end function

    pure type(jump) function after(second, first)
        type(jump), intent(in) :: second, first
        after%factor = mod(second%factor * first%factor, modulus)
        after%summand = mod(second%factor * first%summand + second%summand, modulus)
    end function
end module
