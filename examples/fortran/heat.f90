! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Heat spreads over a plate that is periodic from west to east and has cold edges in the north and south.
! DistView borrows allocatable arrays. Run it on any number of ranks: mpirun -n 4 fortran_heat
program fortran_heat
    use, intrinsic :: iso_fortran_env, only: int64
    use distview
    use mpi
    implicit none
    integer, parameter :: nx = 300, ny = 200, steps = 500
    type(distview_communicator) :: comm
    type(distview_layout) :: layout
    type(distview_padding_plan) :: plan
    real(8), allocatable :: now(:, :), next(:, :)
    integer(int64), allocatable :: b(:, :)
    integer(int64) :: i, j
    integer :: step, ierr
    real(8) :: heat(2), hottest(2)

    call MPI_Init(ierr) ! the program's MPI: DistView finds it running and does not end it
    call distview_initialize()
    call comm%create(MPI_COMM_WORLD)
    call layout%create([nx, ny], distview_balanced_grid(comm%size(), 2), padding=1, periodic=[.true., .false.])
    call plan%create(comm, layout, stencil=distview_faces)

    ! Bounds are global numbers; padding adds one cell on each side.
    b = layout%global_bounds(comm%rank())
    allocate(now(b(1, 1):b(2, 1), b(1, 2):b(2, 2)), source=0.0d0)
    allocate(next, source=now)
    b = layout%global_interior(comm%rank())
    do j = b(1, 2), b(2, 2)
        do i = b(1, 1), b(2, 1)
            if (hypot(real(i - 150, 8), real(j - 100, 8)) < 30) now(i, j) = 100
        end do
    end do

    do step = 0, steps
        if (mod(step, 100) == 0) then
            heat(1) = sum(now(b(1, 1):b(2, 1), b(1, 2):b(2, 2)))
            hottest(1) = maxval(now(b(1, 1):b(2, 1), b(1, 2):b(2, 2)))
            call MPI_Reduce(heat(1), heat(2), 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
            call MPI_Reduce(hottest(1), hottest(2), 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
            if (comm%rank() == 0) print "(a, i4, a, f12.3, a, f9.4)", "step", step, "   heat", heat(2), &
                "   hottest", hottest(2)
        end if
        call plan%exchange(now)
        do j = b(1, 2), b(2, 2)
            do i = b(1, 1), b(2, 1)
                next(i, j) = now(i, j) + 0.2d0 * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) &
                                                  - 4 * now(i, j))
            end do
        end do
        now(b(1, 1):b(2, 1), b(1, 2):b(2, 2)) = next(b(1, 1):b(2, 1), b(1, 2):b(2, 2))
    end do

    call plan%release()
    call layout%release()
    call comm%release()
    call distview_finalize()
    call MPI_Finalize(ierr)
end program
