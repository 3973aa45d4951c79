! Declarations that the fragments of a page share; each fragment is a block.
program fragments
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64
    use distview
    use mpi
    implicit none
    type(distview_communicator) :: comm
    type(distview_layout) :: layout, rows, columns, nothing, theirs
    type(distview_padding_plan) :: plan
    real(8), allocatable, target :: u(:, :), v(:, :), a(:, :), b(:, :)
    integer(int64), allocatable :: bounds(:, :)
    integer :: ierr, intercommunicator

    call MPI_Init(ierr)
    call distview_initialize()
    call comm%create(MPI_COMM_WORLD)
    call layout%create([40, 30], distview_balanced_grid(comm%size(), 2), padding=1, periodic=[.true., .false.])
    call plan%create(comm, layout)
    bounds = layout%local_bounds(comm%rank())
    allocate(u(bounds(1, 1):bounds(2, 1), bounds(1, 2):bounds(2, 2)), source=1d0)
    allocate(v, source=u)
! fragments
    call plan%release()
    call layout%release()
    call comm%release()
    call distview_finalize()
    call MPI_Finalize(ierr)
! procedures
end program

! Stands for LAPACK's routine; only the arguments matter here.
subroutine dgetrf(m, n, a, lda, ipiv, info)
    implicit none
    integer, intent(in) :: m, n, lda
    real(8), intent(inout) :: a(lda, n)
    integer, intent(out) :: ipiv(m), info
    info = merge(0, 1, all(a(1:m, :) >= 0))
    ipiv = 1
end subroutine
