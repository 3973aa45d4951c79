! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The shallow-water model of the mpi4jax benchmark in Fortran: a jet in a channel that is periodic from west to east and
! walled in the south and north, on plain arrays with one cell of padding. It has one loop nest for each line of the
! published program, and exchanges at the same places, like the C++ program with --exchanges literal: the same bits.
!
!     mpirun -n 4 fortran_shallow_water --nx 360 --ny 180 --steps 101 --mode C --json -
!
! Arrays are a(i, j), i from west to east, with cells 1 : nx and 1 : ny of this rank. h and ke lie at the centres of
! cells, u and fe on their east faces, v and fn on their north faces, q at their north-east corners.
program fortran_shallow_water
    use, intrinsic :: iso_fortran_env, only: int64, output_unit, error_unit
    use command_line, only: asks_for_help, json_number, open_report
    use distview
    use mpi
    use shallow_water_options
    use shallow_water_statistics
    implicit none
    real(8), parameter :: gravity = 9.81d0, depth = 100, coriolis = 2d-4, beta = 2d-11, dx = 5000, dy = 5000
    real(8), dimension(:, :), allocatable :: h, u, v, dh, du, dv         ! the state, and the tendencies of the last step
    real(8), dimension(:, :), allocatable :: hc, fe, fn, q, ke, dh_new, du_new, dv_new
    real(8) :: dt, friction_dx, friction_dy, new_weight, old_weight
    integer :: nx, ny                                                   ! cells of this rank
    integer(int64) :: first(2)                                          ! global numbers of cell (1, 1)
    logical :: north_wall
    type(options) :: chosen
    type(distview_communicator) :: comm
    type(distview_layout) :: layout
    type(distview_padding_plan) :: plan
    type(field_statistics), allocatable :: reports(:, :)
    type(field_statistics) :: last(3)
    integer :: step, ierr, stat, unit
    real(8) :: began, seconds

    call MPI_Init(ierr)
    call distview_initialize()
    call comm%create(MPI_COMM_WORLD)
    if (asks_for_help()) then
        if (comm%rank() == 0) call print_usage()
        call finish()
        stop 0, quiet=.true.
    end if
    call read_options(chosen, comm%size(), stat)
    if (comm%rank() == 0) call open_report("--json", chosen%json, unit, stat)
    call comm%agree("fortran_shallow_water", stat, stat)
    if (stat /= 0) then
        if (comm%rank() == 0) write (error_unit, "(2a)") "fortran_shallow_water: error: ", distview_error_message()
        call finish()
        stop 2, quiet=.true.
    end if
    call begin()
    call set_initial_state()

    allocate(reports(3, size(chosen%report_steps)))
    call comm%barrier()
    began = MPI_Wtime()
    do step = 0, chosen%steps
        if (step > 0) call advance_state(is_euler=step == 1)
        if (any(chosen%report_steps == step)) reports(:, findloc(chosen%report_steps, step, 1)) = &
            [of_field(h), of_field(u), of_field(v)]
    end do
    call comm%barrier()
    seconds = MPI_Wtime() - began
    last = [of_field(h), of_field(u), of_field(v)]
    if (comm%rank() == 0) call write_report()
    if (comm%rank() == 0 .and. .not. all(is_finite(last))) write (error_unit, "(a, i0, a)") &
        "fortran_shallow_water: error: expected finite h, u and v after step ", chosen%steps, ", got infinity or NaN"
    call finish()
    if (.not. all(is_finite(last))) stop 1

contains

    subroutine begin()
        integer(int64), allocatable :: b(:, :)
        call layout%create([chosen%nx, chosen%ny], chosen%grid, padding=1, periodic=[.true., .false.])
        call plan%create(comm, layout)
        b = layout%global_interior(comm%rank())
        first = b(1, :)
        nx = int(b(2, 1) - b(1, 1)) + 1
        ny = int(b(2, 2) - b(1, 2)) + 1
        north_wall = b(2, 2) == chosen%ny
        ! Beyond a wall fn, q and v must stay 0; other values there need only be finite.
        allocate(h(0:nx + 1, 0:ny + 1), source=0d0)
        allocate(u, v, dh, du, dv, hc, fe, fn, q, ke, dh_new, du_new, dv_new, source=h)
        dt = 0.125d0 * min(dx, dy) / sqrt(gravity * depth)
        friction_dx = 1d-3 * coriolis * dx * dx / dx
        friction_dy = 1d-3 * coriolis * dx * dx / dy
    end subroutine

    subroutine finish()
        call plan%release()
        call layout%release()
        call comm%release()
        call distview_finalize()
        call MPI_Finalize(ierr)
    end subroutine

    ! A jet in balance, and waves: sums and products of functions of one coordinate, computed for the whole domain.
    subroutine set_initial_state()
        real(8), dimension(0:chosen%ny + 1) :: speed, height, wave_y
        real(8) :: length_x, length_y, pi, y, x, offset, mean, total
        integer :: i, j, row
        pi = acos(-1d0)
        length_x = max(chosen%nx - 1, 1) * dx
        length_y = max(chosen%ny - 1, 1) * dy
        total = 0
        mean = 0
        do row = 0, chosen%ny + 1
            y = (row - 1) * dy
            offset = (y - length_y / 2) / (0.02d0 * length_x)
            speed(row) = 10 * exp(-(offset * offset))
            total = total + (-dy * speed(row) * (coriolis + beta * y) / gravity)
            mean = mean + total
            height(row) = total
            wave_y(row) = cos(8 * pi * y / length_y)
        end do
        mean = mean / (chosen%ny + 2)
        height = height + (depth - mean)
        do j = merge(0, 1, first(2) == 1), merge(ny + 1, ny, north_wall)
            row = int(first(2)) + j - 1
            do i = 1, nx
                x = (first(1) + i - 2) * dx
                h(i, j) = height(row) + 0.2d0 * sin(10 * pi * x / length_x) * wave_y(row)
                u(i, j) = speed(row)
            end do
        end do
        call plan%exchange(h)
        call plan%exchange(u)
        call exchange_closed(v)
    end subroutine

    ! Exchanges a field on north faces, which is 0 on the wall.
    subroutine exchange_closed(a)
        real(8), intent(inout), contiguous :: a(0:, 0:)
        if (north_wall) a(:, ny) = 0
        call plan%exchange(a)
    end subroutine

    subroutine advance_state(is_euler)
        logical, intent(in) :: is_euler
        integer :: i, j
        new_weight = merge(dt, 1.6d0 * dt, is_euler)
        old_weight = merge(0d0, 0.6d0 * dt, is_euler)
        do j = 0, ny + 1
            do i = 0, nx + 1
                hc(i, j) = h(min(max(i, 1), nx), min(max(j, 1), ny))
            end do
        end do
        call plan%exchange(hc)
        do j = 1, ny
            do i = 1, nx
                fe(i, j) = 0.5d0 * (hc(i, j) + hc(i + 1, j)) * u(i, j)
            end do
        end do
        call plan%exchange(fe)
        do j = 1, ny
            do i = 1, nx
                fn(i, j) = 0.5d0 * (hc(i, j) + hc(i, j + 1)) * v(i, j)
            end do
        end do
        call exchange_closed(fn)
        call find_vorticity()
        call plan%exchange(q)
        do j = 1, ny
            do i = 1, nx
                ke(i, j) = 0.25d0 * ((u(i, j) * u(i, j) + u(i - 1, j) * u(i - 1, j)) &
                                     + (v(i, j) * v(i, j) + v(i, j - 1) * v(i, j - 1)))
            end do
        end do
        call plan%exchange(ke)
        call find_tendencies()

        call advance(u, du_new, du)
        call advance(v, dv_new, dv)
        call advance(h, dh_new, dh)
        call plan%exchange(h)
        call plan%exchange(u)
        call exchange_closed(v)

        call rub(u, u)
        if (chosen%mode == "P") then
            call rub(v, u) ! as published
        else
            call rub(v, v)
            call plan%exchange(u)
            call exchange_closed(v)
        end if
    end subroutine

    subroutine find_vorticity()
        real(8) :: f
        integer :: i, j
        do j = 1, ny
            f = coriolis + beta * dy * real(first(2) + j - 2, 8)
            do i = 1, nx
                q(i, j) = (f + ((v(i + 1, j) - v(i, j)) * (1 / dx) - (u(i, j + 1) - u(i, j)) * (1 / dy))) &
                    / (0.25d0 * ((hc(i, j) + hc(i + 1, j)) + (hc(i, j + 1) + hc(i + 1, j + 1))))
            end do
        end do
    end subroutine

    subroutine find_tendencies()
        integer :: i, j
        do j = 1, ny
            do i = 1, nx
                dh_new(i, j) = (fe(i - 1, j) - fe(i, j)) * (1 / dx) + (fn(i, j - 1) - fn(i, j)) * (1 / dy)
            end do
        end do
        do j = 1, ny
            do i = 1, nx
                du_new(i, j) = (gravity * (h(i, j) - h(i + 1, j)) + (ke(i, j) - ke(i + 1, j))) * (1 / dx) &
                    + 0.5d0 * (q(i, j) * (0.5d0 * (fn(i, j) + fn(i + 1, j))) &
                               + q(i, j - 1) * (0.5d0 * (fn(i, j - 1) + fn(i + 1, j - 1))))
            end do
        end do
        do j = 1, ny
            do i = 1, nx
                dv_new(i, j) = (gravity * (h(i, j) - h(i, j + 1)) + (ke(i, j) - ke(i, j + 1))) * (1 / dy) &
                    - 0.5d0 * (q(i, j) * (0.5d0 * (fe(i, j) + fe(i, j + 1))) &
                               + q(i - 1, j) * (0.5d0 * (fe(i - 1, j) + fe(i - 1, j + 1))))
            end do
        end do
    end subroutine

    subroutine advance(a, tendency, old_tendency)
        real(8), intent(inout), contiguous :: a(0:, 0:), old_tendency(0:, 0:)
        real(8), intent(in), contiguous :: tendency(0:, 0:)
        integer :: i, j
        do j = 1, ny
            do i = 1, nx
                a(i, j) = a(i, j) + (new_weight * tendency(i, j) - old_weight * old_tendency(i, j))
                old_tendency(i, j) = tendency(i, j)
            end do
        end do
    end subroutine

    ! Applies friction to `a`, with differences computed from `w`.
    subroutine rub(a, w)
        real(8), intent(inout), target, contiguous :: a(0:, 0:)
        real(8), intent(in), target, contiguous :: w(0:, 0:)
        integer :: i, j
        do j = 1, ny
            do i = 1, nx
                fe(i, j) = friction_dx * (a(i + 1, j) - w(i, j))
            end do
        end do
        call plan%exchange(fe)
        do j = 1, ny
            do i = 1, nx
                fn(i, j) = friction_dy * (a(i, j + 1) - w(i, j))
            end do
        end do
        call exchange_closed(fn)
        do j = 1, ny
            do i = 1, nx
                a(i, j) = a(i, j) + dt * ((fe(i, j) - fe(i - 1, j)) * (1 / dx) + (fn(i, j) - fn(i, j - 1)) * (1 / dy))
            end do
        end do
    end subroutine

    function of_field(a) result(found)
        real(8), intent(in), contiguous :: a(0:, 0:)
        type(field_statistics) :: found
        found = statistics_of(a, first, [nx, ny], chosen%nx)
    end function

    subroutine write_report()
        character(1), parameter :: names(3) = ["h", "u", "v"]
        integer :: i, f
        if (chosen%json == "") then
            print "(i0, a, i0, a, i0, 3a, i0, a, i0, a, f0.2, a)", chosen%nx, " x ", chosen%ny, " cells, ", chosen%steps, &
                " steps, mode ", chosen%mode, ", ", chosen%grid(2), " x ", chosen%grid(1), " processes: ", seconds, " s"
            do i = 1, size(chosen%report_steps)
                print "(a, i0, 3(4a))", "step ", chosen%report_steps(i), &
                    ("   ", names(f), " ", hexadecimal(reports(f, i)%digest), f=1, 3)
            end do
            return
        end if
        write (unit, "(a, i0, a, i0, 3a, i0, a, i0, a, i0, a, i0, a)") '{"nx": ', chosen%nx, ', "ny": ', chosen%ny, &
            ', "mode": "', chosen%mode, '", "dtype": "float64", "exchanges": "literal", "grid": "', chosen%grid(2), "x", &
            chosen%grid(1), '", "ranks": ', comm%size(), ', "steps_done": ', chosen%steps, ','
        write (unit, "(3a)") ' "run_seconds": ', json_number(seconds), ', "steps": {'
        do i = 1, size(chosen%report_steps)
            write (unit, "(a, i0, a)") '  "', chosen%report_steps(i), '": {'
            do f = 1, 3
                write (unit, "(16a)") '    "', names(f), '": {"sum": ', json_number(reports(f, i)%sum), &
                    ', "min": ', json_number(reports(f, i)%least), ', "max": ', json_number(reports(f, i)%most), &
                    ', "l2": ', json_number(reports(f, i)%l2), ', "wsum": ', json_number(reports(f, i)%weighted), &
                    ', "digest": "', hexadecimal(reports(f, i)%digest), merge('"}}', '"},', f == 3)
            end do
            if (i < size(chosen%report_steps)) write (unit, "(a)") "  ,"
        end do
        write (unit, "(a)") "}}"
        if (unit /= output_unit) close(unit)
    end subroutine

    ! In the form that C prints.
    pure function hexadecimal(number) result(text)
        integer(int64), intent(in) :: number
        character(16) :: text
        integer :: i
        write (text, "(z16.16)") number
        do i = 1, 16
            if (text(i:i) >= "A") text(i:i) = achar(iachar(text(i:i)) + iachar("a") - iachar("A"))
        end do
    end function
end program
