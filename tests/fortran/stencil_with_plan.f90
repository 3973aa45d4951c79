! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The program stencil_by_hand.f90 with a plan of DistView for its exchange; the rest is the same.
program stencil_with_plan
    use, intrinsic :: iso_fortran_env, only: int64, output_unit
    use distview
    use mpi
    implicit none
    real(8), parameter :: pi = 3.14159265358979323846d0, dt = 0.05d0, nu = 0.1d0
    integer :: nx, ny, steps, step
    ! Cells of this process: x0 : x1 and y0 : y1 of the whole grid, which are 1 : lx and 1 : ly of the local arrays.
    integer :: lx, ly, x0, x1, y0, y1
    integer :: rank, ranks, ierr, dims(2)
    real(8), allocatable :: h(:, :), u(:, :), v(:, :), q(:, :)
    real(8), allocatable :: h_new(:, :), u_new(:, :), v_new(:, :), q_new(:, :)
    real(8) :: began, exchanging, total, times(2), slowest(2)
    ! begin
    type(distview_communicator) :: everybody
    type(distview_layout) :: layout
    type(distview_padding_plan) :: plan
    integer(int64), allocatable :: g(:, :)
    ! end

    call MPI_Init(ierr)
    call read_arguments()
    call decompose()
    call initialise()
    call exchange() ! the first call sets the exchange up
    exchanging = 0
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    began = MPI_Wtime()
    do step = 1, steps
        call exchange()
        call advance()
        call swap()
    end do
    total = MPI_Wtime() - began
    call report()
    call clean_up()
    call MPI_Finalize(ierr)

contains

    subroutine read_arguments()
        nx = argument(1, 96)
        ny = argument(2, 64)
        steps = argument(3, 50)
    end subroutine

    integer function argument(which, otherwise)
        integer, intent(in) :: which, otherwise
        character(20) :: text
        argument = otherwise
        if (command_argument_count() < which) return
        call get_command_argument(which, text)
        read (text, *) argument
    end function

    ! Blocks whose sizes differ by at most 1, the larger ones first; x is periodic, y has walls.
    subroutine decompose()
        call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
        dims = 0
        call MPI_Dims_create(ranks, 2, dims, ierr)
        ! begin
        call distview_initialize()
        call everybody%create(MPI_COMM_WORLD)
        rank = everybody%rank()
        call layout%create([nx, ny], dims, padding=1, periodic=[.true., .false.])
        call plan%create(everybody, layout)
        g = layout%global_interior(rank)
        x0 = int(g(1, 1)); x1 = int(g(2, 1))
        y0 = int(g(1, 2)); y1 = int(g(2, 2))
        lx = x1 - x0 + 1
        ly = y1 - y0 + 1
        ! end
        allocate(h(0:lx + 1, 0:ly + 1), u(0:lx + 1, 0:ly + 1), v(0:lx + 1, 0:ly + 1), q(0:lx + 1, 0:ly + 1), source=0d0)
        allocate(h_new, u_new, v_new, q_new, source=h)
    end subroutine

    ! begin
    subroutine exchange()
        real(8) :: start
        start = MPI_Wtime()
        call plan%exchange(h, u, v, q)
        exchanging = exchanging + MPI_Wtime() - start
    end subroutine
    ! end

    subroutine initialise()
        integer :: i, j
        real(8) :: x, y
        do j = 1, ly
            do i = 1, lx
                x = 2 * pi * (x0 + i - 1) / nx
                y = pi * (y0 + j - 1) / ny
                h(i, j) = 1 + 0.1d0 * sin(x) * sin(y)
                u(i, j) = 0.2d0 * cos(x) * sin(y)
                v(i, j) = 0.1d0 * sin(2 * x) * sin(y)
                q(i, j) = merge(1d0, 0d0, mod(x0 + i + y0 + j, 7) == 0)
            end do
        end do
    end subroutine

    subroutine advance()
        call spread(h, h_new)
        call spread(u, u_new)
        call spread(v, v_new)
        call spread(q, q_new)
    end subroutine

    ! Advects f by u and v, and diffuses it over all eight neighbours.
    subroutine spread(f, f_new)
        real(8), intent(in) :: f(0:, 0:)
        real(8), intent(inout) :: f_new(0:, 0:)
        integer :: i, j
        do j = 1, ly
            do i = 1, lx
                f_new(i, j) = f(i, j) - dt * 0.5d0 * (u(i, j) * (f(i + 1, j) - f(i - 1, j)) &
                                                      + v(i, j) * (f(i, j + 1) - f(i, j - 1))) &
                              + dt * nu * (0.5d0 * (f(i - 1, j) + f(i + 1, j) + f(i, j - 1) + f(i, j + 1)) &
                                           + 0.25d0 * (f(i - 1, j - 1) + f(i + 1, j - 1) + f(i - 1, j + 1) &
                                                       + f(i + 1, j + 1)) - 3 * f(i, j))
            end do
        end do
    end subroutine

    subroutine swap()
        h(1:lx, 1:ly) = h_new(1:lx, 1:ly)
        u(1:lx, 1:ly) = u_new(1:lx, 1:ly)
        v(1:lx, 1:ly) = v_new(1:lx, 1:ly)
        q(1:lx, 1:ly) = q_new(1:lx, 1:ly)
    end subroutine

    ! A digest of the bits of all cells, each rotated by its global number: the same on all process grids.
    integer(int64) function digest(f)
        real(8), intent(in) :: f(0:, 0:)
        integer :: i, j
        digest = 0
        do j = 1, ly
            do i = 1, lx
                digest = ieor(digest, ishftc(transfer(f(i, j), 0_int64), modulo((y0 + j) * nx + x0 + i, 64)))
            end do
        end do
    end function

    subroutine report()
        integer(int64) :: mine, all
        mine = ieor(ieor(digest(h), ishftc(digest(u), 1)), ieor(ishftc(digest(v), 2), ishftc(digest(q), 3)))
        call MPI_Reduce(mine, all, 1, MPI_INTEGER8, MPI_BXOR, 0, MPI_COMM_WORLD, ierr)
        times = [total, exchanging] / max(steps, 1) * 1d6
        call MPI_Reduce(times, slowest, 2, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
        if (rank == 0) write (output_unit, "(a, z16.16, 2(a, f10.3))") "digest ", all, " step ", slowest(1), &
            " exchange ", slowest(2)
    end subroutine

    subroutine clean_up()
        ! begin
        call distview_finalize()
        ! end
    end subroutine
end program
