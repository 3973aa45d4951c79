! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Communicators of module mpi_f08, in a main program that does not use module mpi.
program test_mpi_f08
    use mpi_f08
    use distview_mpi_f08
    implicit none
    type(MPI_Comm) :: half
    type(distview_communicator) :: comm, all
    type(distview_layout) :: layout
    type(distview_padding_plan) :: plan
    real(8) :: u(0:5)
    integer :: rank, ranks, world, wrong, all_wrong, stat
    character(300) :: errmsg

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, world)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(world, 2), -world, half)
    call distview_initialize()
    call distview_communicator_create(all, MPI_COMM_WORLD)
    call distview_communicator_create(comm, half)
    call MPI_Comm_rank(half, rank)
    call MPI_Comm_size(half, ranks)
    wrong = 0
    if (all%rank() /= world .or. comm%rank() /= rank .or. comm%size() /= ranks) wrong = wrong + 1
    call layout%create([4 * ranks], [ranks], padding=1, periodic=[.true.])
    call plan%create(comm, layout)
    u = world
    call plan%exchange(u)
    ! The ranks of a half are in reverse order, and differ by two in the world.
    if (ranks > 1 .and. rank > 0) wrong = wrong + merge(0, 1, u(0) == world + 2)
    call distview_communicator_create(comm, MPI_COMM_NULL, stat, errmsg)
    if (stat /= distview_usage_error .or. len_trim(errmsg) == 0) wrong = wrong + 1
    call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (world == 0 .and. all_wrong == 0) print "(a)", "DISTVIEW-TEST-PASSED"
    if (world == 0 .and. all_wrong /= 0) print "(a, i0)", "DISTVIEW-TEST-FAILED: ", all_wrong
    call plan%release()
    call layout%release()
    call comm%release()
    call all%release()
    call MPI_Comm_free(half)
    call distview_finalize()
    call MPI_Finalize()
end program
