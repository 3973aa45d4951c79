! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_mpi_f08: module distview, and communicators of module mpi_f08. It needs that module of the program's MPI
! library.
!
!     use mpi_f08
!     use distview_mpi_f08
!     call distview_communicator_create(comm, MPI_COMM_WORLD)
module distview_mpi_f08
    use distview
    use mpi_f08, only: MPI_Comm
    implicit none
    public
    private :: MPI_Comm

contains

    ! comm%create() with a communicator of module mpi_f08.
    !
    ! Collective: over mpi at its first use
    subroutine distview_communicator_create(comm, mpi, stat, errmsg)
        type(distview_communicator), intent(inout) :: comm
        type(MPI_Comm), intent(in) :: mpi
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call comm%create(mpi%mpi_val, stat, errmsg)
    end subroutine
end module
