! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program use_fortran
    use distview
    use mpi, only: MPI_COMM_WORLD
    implicit none
    type(distview_communicator) :: comm
    type(distview_layout) :: layout
    type(distview_padding_plan) :: plan
    type(distview_array) :: array
    type(distview_value) :: total
    real(8), allocatable, target :: cells(:)
    integer :: rank, ranks, n
    logical :: is_right

    call distview_initialize() ! starts MPI, too
    call comm%create(MPI_COMM_WORLD)
    rank = comm%rank()
    ranks = comm%size()
    call layout%create([10], [ranks], padding=1, periodic=[.true.])
    n = int(product(layout%local_shape(rank))) - 2
    allocate(cells(0:n + 1))
    cells = rank
    call plan%create(comm, layout)
    call plan%exchange(cells)
    is_right = cells(0) == modulo(rank - 1, ranks) .and. cells(n + 1) == modulo(rank + 1, ranks)
    cells = 1
    call array%borrow(comm, layout, cells)
    total = array%sum()
    is_right = is_right .and. total%real == 10
    call array%release()
    call plan%release()
    call layout%release()
    call comm%release()
    call distview_finalize()
    if (.not. is_right) error stop 1
end program
