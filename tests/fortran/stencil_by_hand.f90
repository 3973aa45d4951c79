! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! A stencil on four fields over a two-dimensional grid of processes, with a typical hand-written exchange: packed, in two
! phases, so that the neighbour forwards the corners. The lines from "begin" to "end" exist only for the exchange;
! stencil_with_plan.f90 is the same program with a plan instead.
!
! Arguments: cells along x and y, steps. Prints a digest of the fields' bits, and microseconds a step and an exchange.
program stencil_by_hand
    use, intrinsic :: iso_fortran_env, only: int64, output_unit
    use mpi
    implicit none
    real(8), parameter :: pi = 3.14159265358979323846d0, dt = 0.05d0, nu = 0.1d0
    integer, parameter :: n_fields = 4
    integer :: nx, ny, steps, step
    ! Cells of this process: x0 : x1 and y0 : y1 of the whole grid, which are 1 : lx and 1 : ly of the local arrays.
    integer :: lx, ly, x0, x1, y0, y1
    integer :: comm, rank, ranks, ierr, dims(2), coords(2)
    real(8), allocatable :: h(:, :), u(:, :), v(:, :), q(:, :)
    real(8), allocatable :: h_new(:, :), u_new(:, :), v_new(:, :), q_new(:, :)
    real(8) :: began, exchanging, total, times(2), slowest(2)
    ! begin
    integer :: west, east, south, north
    integer :: requests(8), n_requests
    integer, parameter :: tag_west = 1, tag_east = 2, tag_south = 3, tag_north = 4
    real(8), allocatable :: send_west(:), send_east(:), receive_west(:), receive_east(:)
    real(8), allocatable :: send_south(:), send_north(:), receive_south(:), receive_north(:)
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
        call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., comm, ierr)
        call MPI_Comm_rank(comm, rank, ierr)
        call MPI_Cart_coords(comm, rank, 2, coords, ierr)
        call MPI_Cart_shift(comm, 0, 1, west, east, ierr)
        call MPI_Cart_shift(comm, 1, 1, south, north, ierr)
        call divide(nx, dims(1), coords(1), x0, x1)
        call divide(ny, dims(2), coords(2), y0, y1)
        lx = x1 - x0 + 1
        ly = y1 - y0 + 1
        allocate(send_west(n_fields * ly), send_east(n_fields * ly))
        allocate(receive_west(n_fields * ly), receive_east(n_fields * ly))
        allocate(send_south(n_fields * (lx + 2)), send_north(n_fields * (lx + 2)))
        allocate(receive_south(n_fields * (lx + 2)), receive_north(n_fields * (lx + 2)))
        ! end
        allocate(h(0:lx + 1, 0:ly + 1), u(0:lx + 1, 0:ly + 1), v(0:lx + 1, 0:ly + 1), q(0:lx + 1, 0:ly + 1), source=0d0)
        allocate(h_new, u_new, v_new, q_new, source=h)
    end subroutine

    ! begin
    subroutine divide(cells, parts, part, first, last)
        integer, intent(in) :: cells, parts, part
        integer, intent(out) :: first, last
        integer :: least, more
        least = cells / parts
        more = mod(cells, parts)
        first = part * least + min(part, more) + 1
        last = first + least - 1
        if (part < more) last = last + 1
    end subroutine

    subroutine exchange()
        real(8) :: start
        start = MPI_Wtime()
        call exchange_x()
        call exchange_y()
        exchanging = exchanging + MPI_Wtime() - start
    end subroutine

    ! Exchanges columns with the west and east, without corners.
    subroutine exchange_x()
        integer :: count
        count = n_fields * ly
        n_requests = 0
        call receive(receive_west, count, west, tag_east)
        call receive(receive_east, count, east, tag_west)
        call pack_column(h, 1, 0, send_west)
        call pack_column(u, 1, 1, send_west)
        call pack_column(v, 1, 2, send_west)
        call pack_column(q, 1, 3, send_west)
        call send(send_west, count, west, tag_west)
        call pack_column(h, lx, 0, send_east)
        call pack_column(u, lx, 1, send_east)
        call pack_column(v, lx, 2, send_east)
        call pack_column(q, lx, 3, send_east)
        call send(send_east, count, east, tag_east)
        call MPI_Waitall(n_requests, requests, MPI_STATUSES_IGNORE, ierr)
        call unpack_column(h, 0, 0, receive_west)
        call unpack_column(u, 0, 1, receive_west)
        call unpack_column(v, 0, 2, receive_west)
        call unpack_column(q, 0, 3, receive_west)
        call unpack_column(h, lx + 1, 0, receive_east)
        call unpack_column(u, lx + 1, 1, receive_east)
        call unpack_column(v, lx + 1, 2, receive_east)
        call unpack_column(q, lx + 1, 3, receive_east)
    end subroutine

    ! Exchanges rows with the south and north, including the padding at their ends, which has just been received.
    subroutine exchange_y()
        integer :: count
        count = n_fields * (lx + 2)
        n_requests = 0
        call receive(receive_south, count, south, tag_north)
        call receive(receive_north, count, north, tag_south)
        if (south /= MPI_PROC_NULL) then
            call pack_row(h, 1, 0, send_south)
            call pack_row(u, 1, 1, send_south)
            call pack_row(v, 1, 2, send_south)
            call pack_row(q, 1, 3, send_south)
        end if
        call send(send_south, count, south, tag_south)
        if (north /= MPI_PROC_NULL) then
            call pack_row(h, ly, 0, send_north)
            call pack_row(u, ly, 1, send_north)
            call pack_row(v, ly, 2, send_north)
            call pack_row(q, ly, 3, send_north)
        end if
        call send(send_north, count, north, tag_north)
        call MPI_Waitall(n_requests, requests, MPI_STATUSES_IGNORE, ierr)
        if (south /= MPI_PROC_NULL) then
            call unpack_row(h, 0, 0, receive_south)
            call unpack_row(u, 0, 1, receive_south)
            call unpack_row(v, 0, 2, receive_south)
            call unpack_row(q, 0, 3, receive_south)
        end if
        if (north /= MPI_PROC_NULL) then
            call unpack_row(h, ly + 1, 0, receive_north)
            call unpack_row(u, ly + 1, 1, receive_north)
            call unpack_row(v, ly + 1, 2, receive_north)
            call unpack_row(q, ly + 1, 3, receive_north)
        end if
    end subroutine

    subroutine receive(buffer, count, from, tag)
        real(8), intent(inout), asynchronous :: buffer(*)
        integer, intent(in) :: count, from, tag
        n_requests = n_requests + 1
        call MPI_Irecv(buffer, count, MPI_DOUBLE_PRECISION, from, tag, comm, requests(n_requests), ierr)
    end subroutine

    subroutine send(buffer, count, to, tag)
        real(8), intent(in), asynchronous :: buffer(*)
        integer, intent(in) :: count, to, tag
        n_requests = n_requests + 1
        call MPI_Isend(buffer, count, MPI_DOUBLE_PRECISION, to, tag, comm, requests(n_requests), ierr)
    end subroutine

    subroutine pack_column(f, i, which, buffer)
        real(8), intent(in) :: f(0:, 0:)
        integer, intent(in) :: i, which
        real(8), intent(inout) :: buffer(:)
        integer :: j
        do j = 1, ly
            buffer(which * ly + j) = f(i, j)
        end do
    end subroutine

    subroutine unpack_column(f, i, which, buffer)
        real(8), intent(inout) :: f(0:, 0:)
        integer, intent(in) :: i, which
        real(8), intent(in) :: buffer(:)
        integer :: j
        do j = 1, ly
            f(i, j) = buffer(which * ly + j)
        end do
    end subroutine

    subroutine pack_row(f, j, which, buffer)
        real(8), intent(in) :: f(0:, 0:)
        integer, intent(in) :: j, which
        real(8), intent(inout) :: buffer(:)
        integer :: i
        do i = 0, lx + 1
            buffer(which * (lx + 2) + i + 1) = f(i, j)
        end do
    end subroutine

    subroutine unpack_row(f, j, which, buffer)
        real(8), intent(inout) :: f(0:, 0:)
        integer, intent(in) :: j, which
        real(8), intent(in) :: buffer(:)
        integer :: i
        do i = 0, lx + 1
            f(i, j) = buffer(which * (lx + 2) + i + 1)
        end do
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
        deallocate(send_west, send_east, receive_west, receive_east)
        deallocate(send_south, send_north, receive_south, receive_north)
        call MPI_Comm_free(comm, ierr)
        ! end
    end subroutine
end program
