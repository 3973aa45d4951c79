! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Options of the programs in this folder: alternating names and values. Errors go to distview_fail(). The module also
! formats the numbers of their reports.
module command_line
    use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
    use, intrinsic :: iso_fortran_env, only: int64, output_unit
    use distview
    implicit none
    private
    public :: argument, asks_for_help, refuse, number, real_number, read_grid, require_grid_of, open_report, json_number

contains

    function argument(at) result(text)
        integer, intent(in) :: at
        character(:), allocatable :: text
        integer :: length
        call get_command_argument(at, length=length)
        allocate(character(length) :: text)
        call get_command_argument(at, text)
    end function

    logical function asks_for_help()
        integer :: i
        asks_for_help = .false.
        do i = 1, command_argument_count()
            asks_for_help = asks_for_help .or. argument(i) == "--help" .or. argument(i) == "-h"
        end do
    end function

    subroutine refuse(stat, text)
        integer, intent(out) :: stat
        character(*), intent(in) :: text
        call distview_fail(stat, distview_usage_error, text)
    end subroutine

    integer function number(name, text, least, stat)
        character(*), intent(in) :: name, text
        integer, intent(in) :: least
        integer, intent(inout) :: stat
        integer :: error
        character(24) :: from_to
        number = 0
        read (text, *, iostat=error) number
        if (error /= 0 .or. verify(text, "0123456789") /= 0 .or. number < least) then
            write (from_to, "(i0, a, i0)") least, " to ", huge(number)
            call refuse(stat, name // ": expected a whole number from " // trim(from_to) // ", got '" // text // "'")
        end if
    end function

    ! A finite number. Characters are checked because a list-directed read accepts "2,5" as "2" and "/" as nothing.
    real(8) function real_number(name, text, stat)
        character(*), intent(in) :: name, text
        integer, intent(inout) :: stat
        integer :: error
        real_number = 0
        read (text, *, iostat=error) real_number
        if (error /= 0 .or. verify(text, "0123456789+-.eEdD") /= 0 .or. .not. ieee_is_finite(real_number)) &
            call refuse(stat, name // ": expected a finite number, got '" // text // "'")
    end function

    ! The unit for a report: "-" is the standard output. Call it on one rank, before the work: a file that cannot be
    ! written is wrong use.
    subroutine open_report(name, path, unit, stat)
        character(*), intent(in) :: name, path
        integer, intent(out) :: unit
        integer, intent(inout) :: stat
        character(200) :: why
        integer :: error
        unit = output_unit
        if (path == "" .or. path == "-" .or. stat /= 0) return
        open(newunit=unit, file=path, action="write", status="replace", iostat=error, iomsg=why)
        if (error /= 0) call refuse(stat, name // ": " // trim(why))
    end subroutine

    ! A number with all its bits; JSON has no infinity and no NaN.
    function json_number(value) result(text)
        real(8), intent(in) :: value
        character(:), allocatable :: text
        character(24) :: digits
        text = "null"
        if (.not. ieee_is_finite(value)) return
        write (digits, "(es24.16e3)") value
        text = trim(adjustl(digits))
    end function

    ! Reads "3x2" as 3 rows and 2 columns of processes.
    subroutine read_grid(name, text, rows, columns, stat)
        character(*), intent(in) :: name, text
        integer, intent(out) :: rows, columns
        integer, intent(inout) :: stat
        integer :: cross
        rows = 0
        columns = 0
        cross = index(text, "x")
        if (cross == 0) then
            call refuse(stat, name // ": expected rows x columns of processes, such as 3x2, got '" // text // "'")
            return
        end if
        rows = number(name, text(:cross - 1), 1, stat)
        columns = number(name, text(cross + 1:), 1, stat)
    end subroutine

    ! Requires as many processes as ranks. A default integer may be too small for the product of two given numbers.
    subroutine require_grid_of(ranks, grid, stat)
        integer, intent(in) :: ranks, grid(2)
        integer, intent(inout) :: stat
        character(100) :: why
        integer(int64) :: processes
        processes = product(int(grid, int64))
        if (processes == ranks) return
        write (why, "(2(a, i0))") "--grid: expected as many processes as ranks, ", ranks, ", got ", processes
        call refuse(stat, trim(why))
    end subroutine
end module
