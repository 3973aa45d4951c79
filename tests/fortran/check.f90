! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Support for every test program in Fortran: counted checks, and a success line from rank 0 when all ranks have passed.
module check_support
    use distview
    use mpi
    implicit none
    private
    public :: begin_checks, end_checks, check, check_error

    type(distview_communicator), public :: comm
    integer, public :: rank = 0, ranks = 1
    integer :: failures = 0

contains

    subroutine begin_checks()
        integer :: ierr
        call MPI_Init(ierr)
        call distview_initialize()
        call comm%create(MPI_COMM_WORLD)
        rank = comm%rank()
        ranks = comm%size()
    end subroutine

    subroutine end_checks()
        integer :: ierr, all_failures
        call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
        if (rank == 0) then
            if (all_failures == 0) print "(a)", "DISTVIEW-TEST-PASSED"
            if (all_failures /= 0) print "(a, i0)", "DISTVIEW-TEST-FAILED: ", all_failures
        end if
        call comm%release()
        call distview_finalize()
        call MPI_Finalize(ierr)
        if (all_failures /= 0) error stop 1
    end subroutine

    subroutine check(condition, text)
        logical, intent(in) :: condition
        character(*), intent(in) :: text
        if (condition) return
        failures = failures + 1
        if (failures <= 20) print "(a, i0, 2a)", "rank ", rank, ": ", text
    end subroutine

    ! Requires that a call has ended with an error of this class whose message contains `part`.
    subroutine check_error(stat, errmsg, class, part)
        integer, intent(in) :: stat, class
        character(*), intent(in) :: errmsg, part
        call check(stat == class .and. index(errmsg, part) > 0, "expected '" // part // "', got '" // trim(errmsg) // "'")
    end subroutine
end module
