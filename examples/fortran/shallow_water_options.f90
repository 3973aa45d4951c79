! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The command line of fortran_shallow_water.
module shallow_water_options
    use command_line
    implicit none
    private
    public :: options, print_usage, read_options

    type :: options
        integer :: nx = 360, ny = 180, steps = 101
        integer, allocatable :: report_steps(:) ! ascending
        integer :: grid(2) = 0                  ! columns and rows of processes; 0: to be chosen
        character(1) :: mode = "C"
        character(:), allocatable :: json
    end type

contains

    subroutine print_usage()
        print "(a)", "Usage: mpirun -n RANKS fortran_shallow_water [OPTION VALUE]...", &
            "The shallow-water model of the mpi4jax benchmark in Fortran.", &
            "  --nx N            cells from west to east (360)", &
            "  --ny N            cells from south to north (180)", &
            "  --steps N         time steps (101)", &
            "  --report-steps N,N,...  steps whose digests are reported (0, 1 and the last one)", &
            "  --grid RxC        rows and columns of processes (chosen)", &
            "  --mode C|P        the corrected or the published program (C)", &
            "  --json FILE       write the report to this file; - is standard output (a text)"
    end subroutine

    ! Sets stat and errmsg, like distview_fail(), if the command line is wrong.
    subroutine read_options(chosen, ranks, stat)
        type(options), intent(out) :: chosen
        integer, intent(in) :: ranks
        integer, intent(out) :: stat
        character(:), allocatable :: name, value
        integer :: at
        stat = 0
        chosen%json = ""
        at = 1
        do while (at <= command_argument_count() .and. stat == 0)
            name = argument(at)
            if (at == command_argument_count()) then
                call refuse(stat, name // ": expected a value after it, got none")
                return
            end if
            value = argument(at + 1)
            select case (name)
            case ("--nx"); chosen%nx = number(name, value, 1, stat)
            case ("--ny"); chosen%ny = number(name, value, 1, stat)
            case ("--steps"); chosen%steps = number(name, value, 0, stat)
            case ("--report-steps"); call read_steps(name, value, chosen%report_steps, stat)
            case ("--grid"); call read_grid(name, value, chosen%grid(2), chosen%grid(1), stat)
            case ("--mode")
                chosen%mode = value
                if (value /= "C" .and. value /= "P") call refuse(stat, name // ": expected C or P, got '" // value // "'")
            case ("--json"); chosen%json = value
            case default
                call refuse(stat, "expected --nx, --ny, --steps, --report-steps, --grid, --mode or --json, got '" // name // "'")
            end select
            at = at + 2
        end do
        if (stat /= 0) return
        if (.not. allocated(chosen%report_steps)) &
            chosen%report_steps = pack([0, 1, chosen%steps], [.true., chosen%steps > 0, chosen%steps > 1])
        if (maxval(chosen%report_steps) > chosen%steps) &
            call refuse(stat, "--report-steps: expected steps of the run, got a later one")
        if (all(chosen%grid == 0)) then
            call choose_grid(chosen, ranks, stat)
        else
            call require_grid_of(ranks, chosen%grid, stat)
            if (stat == 0 .and. any(chosen%grid > [chosen%nx, chosen%ny])) &
                call refuse(stat, "--grid: expected at least one cell for every process")
        end if
    end subroutine

    ! Chooses the grid that is nearest to a square and gives every process a cell.
    subroutine choose_grid(chosen, ranks, stat)
        type(options), intent(inout) :: chosen
        integer, intent(in) :: ranks
        integer, intent(inout) :: stat
        character(160) :: why
        integer :: grid(2), columns
        do columns = 1, ranks
            grid = [columns, ranks / columns]
            if (product(grid) /= ranks .or. any(grid > [chosen%nx, chosen%ny])) cycle
            if (all(chosen%grid == 0) .or. maxval(grid) <= maxval(chosen%grid)) chosen%grid = grid
        end do
        if (any(chosen%grid > 0)) return
        write (why, "(3(a, i0), a)") "no grid of ", ranks, " processes gives each process a cell: there are ", chosen%ny, &
            " rows and ", chosen%nx, " columns: use fewer ranks"
        call refuse(stat, trim(why))
    end subroutine

    subroutine read_steps(name, text, steps, stat)
        character(*), intent(in) :: name, text
        integer, allocatable, intent(out) :: steps(:)
        integer, intent(inout) :: stat
        integer :: begin, comma, step, i
        steps = [integer ::]
        begin = 1
        do while (begin <= len(text) .and. stat == 0)
            comma = index(text(begin:) // ",", ",") + begin - 1
            step = number(name, text(begin:comma - 1), 0, stat)
            i = count(steps < step)
            if (.not. any(steps == step)) steps = [steps(:i), step, steps(i + 1:)]
            begin = comma + 1
        end do
        if (size(steps) == 0) call refuse(stat, name // ": expected numbers of steps, got none")
    end subroutine
end module
