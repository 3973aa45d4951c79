! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Statistics of a field, equal to those of the C++ program of the same name: equal digests are equal bits.
module shallow_water_statistics
    use, intrinsic :: iso_fortran_env, only: int64
    use, intrinsic :: ieee_arithmetic, only: ieee_is_finite, ieee_is_nan, ieee_positive_inf, ieee_quiet_nan, ieee_value
    use mpi
    implicit none
    private
    public :: field_statistics, statistics_of, is_finite

    type :: field_statistics
        real(8) :: sum, least, most, l2, weighted ! least and most are NaN if an element is NaN
        integer(int64) :: digest
    end type

    ! A sum that also carries what rounding lost (Neumaier).
    type :: exact_sum
        real(8) :: total = 0, lost = 0
    contains
        procedure :: add, value
    end type

contains

    ! Statistics of the interior of a section, over all ranks. Its first cell has the global numbers `first`; the whole
    ! array has `columns` cells in a row. Arrays begin with their padding.
    !
    ! Collective: over MPI_COMM_WORLD
    function statistics_of(a, first, cells, columns) result(found)
        real(8), intent(in), contiguous :: a(0:, 0:)
        integer(int64), intent(in) :: first(2)
        integer, intent(in) :: cells(2), columns
        type(field_statistics) :: found
        type(exact_sum) :: sums(3)
        integer(int64) :: cell, digest, nans, counts(2)
        real(8) :: mine(5), all(5), least, most
        integer :: i, j, ierr
        least = ieee_value(least, ieee_positive_inf)
        most = -least
        digest = 0
        nans = 0
        do j = 1, cells(2)
            do i = 1, cells(1)
                cell = (first(2) + j - 2) * columns + first(1) + i - 2
                call sums(1)%add(a(i, j))
                call sums(2)%add(a(i, j) * a(i, j))
                call sums(3)%add(a(i, j) * real(mod(cell, 1009_int64) + 1, 8))
                if (a(i, j) < least) least = a(i, j)
                if (a(i, j) > most) most = a(i, j)
                if (ieee_is_nan(a(i, j))) nans = nans + 1
                digest = digest + mixed(cell * golden() + mixed(transfer(a(i, j), 0_int64)))
            end do
        end do
        mine = [sums(1)%value(), sums(2)%value(), sums(3)%value(), least, -most]
        call MPI_Allreduce(mine, all, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
        call MPI_Allreduce(mine(4), all(4), 2, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD, ierr)
        call MPI_Allreduce([digest, nans], counts, 2, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierr)
        ! Comparisons lose a NaN, but the result must show it.
        if (counts(2) > 0) all(4:5) = ieee_value(least, ieee_quiet_nan)
        found = field_statistics(all(1), all(4), -all(5), sqrt(all(2)), all(3), counts(1))
    end function

    elemental logical function is_finite(of)
        type(field_statistics), intent(in) :: of
        is_finite = ieee_is_finite(of%least) .and. ieee_is_finite(of%most)
    end function

    subroutine add(self, number)
        class(exact_sum), intent(inout) :: self
        real(8), intent(in) :: number
        real(8) :: total
        total = self%total + number
        if (abs(self%total) >= abs(number)) then
            self%lost = self%lost + ((self%total - total) + number)
        else
            self%lost = self%lost + ((number - total) + self%total)
        end if
        self%total = total
    end subroutine

    real(8) function value(self)
        class(exact_sum), intent(in) :: self
        value = self%total + self%lost
    end function

    ! The finaliser of splitmix64; integers count modulo 2^64, because of -fwrapv.
    pure integer(int64) function mixed(number) result(z)
        integer(int64), intent(in) :: number
        z = ieor(number, shiftr(number, 30)) * transfer(int(z'bf58476d1ce4e5b9', int64), z)
        z = ieor(z, shiftr(z, 27)) * transfer(int(z'94d049bb133111eb', int64), z)
        z = ieor(z, shiftr(z, 31))
    end function

    pure integer(int64) function golden()
        golden = int(z'9e3779b97f4a7c15', int64)
    end function
end module
