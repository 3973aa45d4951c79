! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Parallel transposition as in the HPC Challenge: C = beta * C + A^T. A is m x n in blocks of mb x nb, C is n x m in blocks
! of nb x mb. Both are plain arrays, dealt out over rows x columns of processes.
!
!     mpirun -n 4 fortran_ptrans --n 4096 --nb 128 --grid 2x2 --json -
!
! Matrices, check and sums are those of the C++ program of the same name; sums are kept modulo 2**64. The exit status
! is 2 for wrong use, 1 for a wrong result.
program fortran_ptrans
    use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
    use, intrinsic :: iso_fortran_env, only: error_unit, int64, output_unit
    use command_line
    use distview
    use mpi
    use ptrans_matrices
    implicit none
    integer :: m = 0, n = 0, mb = 0, nb = 0 ! 0: not given
    integer :: grid(2) = 0, trials = 5
    integer(int64) :: seed_a = 100, seed_c = 200
    real(8) :: beta = 1
    character(:), allocatable :: json
    type(distview_communicator) :: comm
    type(distview_layout) :: of_a, of_c
    type(distview_redistribution_plan) :: plan
    real(8), allocatable :: a(:, :), c(:, :)
    real(8) :: residual, seconds
    integer(int64) :: sums(2) ! of 2**30 * C, plain and weighted
    logical :: sums_are_exact ! if false, the report has null: elements are no multiples of 2**-30, or exceed 64 bits
    integer :: ierr, stat, trial, unit

    call MPI_Init(ierr)
    call distview_initialize()
    call comm%create(MPI_COMM_WORLD)
    if (asks_for_help()) then
        if (comm%rank() == 0) call print_usage()
        call finish()
        stop 0, quiet=.true.
    end if
    call read_options(stat)
    if (comm%rank() == 0) call open_report("--json", json, unit, stat)
    call comm%agree("fortran_ptrans", stat, stat)
    if (stat /= 0) then
        if (comm%rank() == 0) write (error_unit, "(2a)") "fortran_ptrans: error: ", distview_error_message()
        call finish()
        stop 2, quiet=.true.
    end if

    call of_a%create([m, n], grid, kinds=[distview_cyclic, distview_cyclic], block_sizes=[mb, nb])
    call of_c%create([n, m], grid, kinds=[distview_cyclic, distview_cyclic], block_sizes=[nb, mb])
    call plan%create(comm, of_a, of_c, permutation=[2, 1])
    call set_a()
    seconds = 0
    do trial = 0, trials ! trial 0 is not timed
        call set_c()
        call transpose_once(trial > 0)
    end do
    call check_result()
    if (comm%rank() == 0) call report()
    call finish()
    if (.not. residual <= 16) stop 1

contains

    subroutine finish()
        call plan%release()
        call of_a%release()
        call of_c%release()
        call comm%release()
        call distview_finalize()
        call MPI_Finalize(ierr)
    end subroutine

    subroutine print_usage()
        print "(a)", "Usage: mpirun -n RANKS fortran_ptrans [OPTION VALUE]...", &
            "C = beta * C + A^T, where A has m x n elements in blocks of mb x nb, dealt out over RxC processes.", &
            "  --m N, --n N      rows and columns of A (4096, or equal to the other)", &
            "  --mb N, --nb N    rows and columns of a block (128, or equal to the other)", &
            "  --grid RxC        rows and columns of processes (chosen)", &
            "  --beta X          factor of C (1)", &
            "  --seed-a N, --seed-c N  seeds of the matrices' elements (100, 200)", &
            "  --trials N        timed trials; the report has the slowest (5)", &
            "  --json FILE       write the report to this file; - is standard output (a text)"
    end subroutine

    subroutine read_options(stat)
        integer, intent(out) :: stat
        character(:), allocatable :: name, value
        integer :: at
        stat = 0
        json = ""
        do at = 1, command_argument_count(), 2
            name = argument(at)
            if (at == command_argument_count()) then
                call refuse(stat, name // ": expected a value after it, got none")
                return
            end if
            value = argument(at + 1)
            select case (name)
            case ("--m"); m = number(name, value, 1, stat)
            case ("--n"); n = number(name, value, 1, stat)
            case ("--mb"); mb = number(name, value, 1, stat)
            case ("--nb"); nb = number(name, value, 1, stat)
            case ("--grid"); call read_grid(name, value, grid(1), grid(2), stat)
            case ("--seed-a"); seed_a = number(name, value, 0, stat)
            case ("--seed-c"); seed_c = number(name, value, 0, stat)
            case ("--trials"); trials = number(name, value, 1, stat)
            case ("--json"); json = value
            case ("--beta"); beta = real_number(name, value, stat)
            case default
                call refuse(stat, "expected --m, --n, --mb, --nb, --grid, --beta, --seed-a, --seed-c, --trials or --json, " // &
                            "got '" // name // "'")
            end select
            if (stat /= 0) return
        end do
        call default(m, n, 4096)
        call default(mb, nb, 128)
        if (all(grid == 0)) grid = distview_balanced_grid(comm%size(), 2)
        call require_grid_of(comm%size(), grid, stat)
    end subroutine

    ! If one of two sizes is not given, it equals the other.
    subroutine default(first, second, otherwise)
        integer, intent(inout) :: first, second
        integer, intent(in) :: otherwise
        if (first == 0 .and. second == 0) first = otherwise
        if (first == 0) first = second
        if (second == 0) second = first
    end subroutine

    ! Global numbers of the local cells along an axis, from 0.
    function numbers(layout, axis) result(of_cells)
        type(distview_layout), intent(in) :: layout
        integer, intent(in) :: axis
        integer(int64), allocatable :: of_cells(:), cells(:)
        integer(int64) :: i
        cells = layout%local_shape(comm%rank())
        allocate(of_cells(cells(axis)))
        do i = 1, cells(axis)
            of_cells(i) = layout%to_global(comm%rank(), axis, i) - 1
        end do
    end function

    ! A(i, j) is number i + j * m of its sequence; C(i, j), and A^T(i, j), are number i * m + j of theirs.
    subroutine set_a()
        type(elements) :: made
        integer(int64), allocatable :: cells(:)
        integer :: i, j
        cells = of_a%local_shape(comm%rank())
        allocate(a(cells(1), cells(2)))
        made = elements_of(seed_a, numbers(of_a, 1), numbers(of_a, 2), 1_int64, int(m, int64))
        do j = 1, size(a, 2)
            do i = 1, size(a, 1)
                a(i, j) = element(made, i, j)
            end do
        end do
        cells = of_c%local_shape(comm%rank())
        allocate(c(cells(1), cells(2)))
    end subroutine

    ! With beta = 0 the transposition must not read C.
    subroutine set_c()
        type(elements) :: made
        integer :: i, j
        if (beta == 0) then
            c = ieee_value(c, ieee_quiet_nan)
            return
        end if
        made = elements_of(seed_c, numbers(of_c, 1), numbers(of_c, 2), int(m, int64), 1_int64)
        do j = 1, size(c, 2)
            do i = 1, size(c, 1)
                c(i, j) = element(made, i, j)
            end do
        end do
    end subroutine

    ! The time is that of the slowest rank and of the worst trial.
    subroutine transpose_once(is_timed)
        logical, intent(in) :: is_timed
        real(8) :: began, took, longest
        call comm%barrier()
        began = MPI_Wtime()
        call plan%execute_scaled(1d0, a, beta, c)
        took = MPI_Wtime() - began
        call MPI_Allreduce(took, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
        if (is_timed) seconds = max(seconds, longest)
    end subroutine

    subroutine check_result()
        type(elements) :: from_a, from_c
        integer(int64), allocatable :: rows(:), columns(:)
        integer(int64) :: mine(2), scaled
        real(8) :: expected, error(2), largest(2), size_of(2), size_of_sums(2)
        integer :: i, j
        rows = numbers(of_c, 1)
        columns = numbers(of_c, 2)
        from_a = elements_of(seed_a, rows, columns, int(m, int64), 1_int64)
        from_c = elements_of(seed_c, rows, columns, int(m, int64), 1_int64)
        error = 0
        largest = 0
        mine = 0
        size_of = 0
        do j = 1, size(c, 2)
            do i = 1, size(c, 1)
                expected = beta * element(from_c, i, j) + element(from_a, i, j)
                error(1) = max(error(1), merge(abs(expected - c(i, j)), huge(0d0), c(i, j) == c(i, j)))
                largest(1) = max(largest(1), abs(expected))
                scaled = nint(c(i, j) * 2d0**30, int64)
                mine(1) = mine(1) + scaled
                size_of = size_of + c(i, j) * 2d0**30 * [1d0, mod(rows(i) * m + columns(j), 1009_int64) + 1d0]
                mine(2) = mine(2) + scaled * (mod(rows(i) * m + columns(j), 1009_int64) + 1)
            end do
        end do
        call MPI_Allreduce(mine, sums, 2, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierr)
        call MPI_Allreduce(error(1), error(2), 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
        call MPI_Allreduce(largest(1), largest(2), 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
        call MPI_Allreduce(size_of, size_of_sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
        ! Sums of integers modulo 2**64 are right if the whole sum is small, even if parts of it overflow.
        sums_are_exact = beta == aint(beta) .and. abs(beta) <= 2d0**22 .and. all(abs(size_of_sums) < 2d0**62)
        residual = 0
        if (error(2) > 0) residual = error(2) / largest(2) / (2d0**(-53) * max(m, n))
    end subroutine

    subroutine report()
        if (json == "") then
            print "(4(a, i0), 2(a, i0))", "A: ", m, " x ", n, " in blocks of ", mb, " x ", nb, ", processes: ", grid(1), " x ", &
                grid(2)
            print "(a, es12.4, a, f0.3, a)", "worst of the trials: ", seconds, " s, ", gigabytes(), " GB/s"
            print "(4a)", "sum * 2^30: ", sum_text(1, "none"), ", weighted: ", sum_text(2, "none")
            print "(a, es12.4, 2a)", "residual: ", residual, ", at most 16: ", trim(merge("passed", "FAILED", residual <= 16))
            return
        end if
        write (unit, "(4(a, i0), 2(a, i0), a, i0, a)") '{"variant": "hpcc", "m": ', m, ', "n": ', n, ', "mb": ', mb, ', "nb": ', &
            nb, ', "grid": "', grid(1), "x", grid(2), '", "ranks": ', comm%size(), ','
        write (unit, "(2a, 2(a, i0), 5a)") ' "beta": ', json_number(beta), ', "seed_a": ', seed_a, ', "seed_c": ', &
            seed_c, ', "residual": ', json_number(residual), ', "passed": ', trim(merge("true ", "false", residual <= 16)), ','
        write (unit, "(11a, i0, a)") ' "sum_2p30": ', sum_text(1, "null"), ', "wsum_2p30": ', sum_text(2, "null"), &
            ', "sums_are_exact": ', trim(merge("true ", "false", sums_are_exact)), ', "seconds": ', &
            json_number(seconds), ', "gbs": ', json_number(gigabytes()), ', "trials": ', trials, '}'
        if (unit /= output_unit) close(unit)
    end subroutine

    function sum_text(which, none) result(text)
        integer, intent(in) :: which
        character(*), intent(in) :: none
        character(:), allocatable :: text
        character(24) :: digits
        text = none
        if (.not. sums_are_exact) return
        write (digits, "(i0)") sums(which)
        text = trim(digits)
    end function

    real(8) function gigabytes()
        gigabytes = 8d-9 * m * n / max(seconds, tiny(0d0))
    end function
end program
