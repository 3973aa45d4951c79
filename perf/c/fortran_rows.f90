! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The rows of bench_execute.cpp in a Fortran program: allocatable arrays, and one plan.
module fortran_rows
    use, intrinsic :: iso_c_binding
    use distview
    implicit none
    private

    type(distview_communicator) :: comm
    type(distview_layout) :: layout
    type(distview_padding_plan) :: plan
    real(c_double), allocatable, target :: a(:), b(:), c(:)

contains

    ! Returns the addresses of three rows of `cells` cells, each row with one padding cell on each side.
    subroutine make(mpi_comm, cells, addresses) bind(C, name="fortran_rows_make")
        integer(c_int), value :: mpi_comm, cells
        type(c_ptr), intent(out) :: addresses(3)
        call comm%create(mpi_comm)
        call layout%create([cells * comm%size()], [comm%size()], padding=1, periodic=[.true.])
        call plan%create(comm, layout)
        allocate(a(0:cells + 1), b(0:cells + 1), c(0:cells + 1))
        addresses = [c_loc(a), c_loc(b), c_loc(c)]
    end subroutine

    subroutine exchange(fields) bind(C, name="fortran_rows_exchange")
        integer(c_int), value :: fields
        if (fields == 1) then
            call plan%exchange(a)
        else
            call plan%exchange(a, b, c)
        end if
    end subroutine

    subroutine free() bind(C, name="fortran_rows_free")
        call plan%release()
        call layout%release()
        call comm%release()
        deallocate(a, b, c)
    end subroutine
end module
