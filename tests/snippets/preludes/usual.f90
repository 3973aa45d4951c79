! What the fragments of a page share; each is a block.
program fragments
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64
    use distview
    use mpi
    implicit none
    type(distview_communicator) :: comm
    type(distview_layout) :: layout
    type(distview_padding_plan) :: plan
    real(8), allocatable, target :: u(:, :), v(:, :)
    integer(int64), allocatable :: b(:, :)
    integer :: ierr

    call MPI_Init(ierr)
    call distview_initialize()
    call comm%create(MPI_COMM_WORLD)
    call layout%create([40, 30], distview_balanced_grid(comm%size(), 2), padding=1, periodic=[.true., .false.])
    call plan%create(comm, layout)
    b = layout%local_bounds(comm%rank())
    allocate(u(b(1, 1):b(2, 1), b(1, 2):b(2, 2)), source=1d0)
    allocate(v, source=u)
! fragments
    call plan%release()
    call layout%release()
    call comm%release()
    call distview_finalize()
    call MPI_Finalize(ierr)
end program
