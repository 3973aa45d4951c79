! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Options of the programs here: names and values, one after the other. What is wrong is said by distview_fail().
module command_line
    use, intrinsic :: iso_fortran_env, only: int64
    use distview
    implicit none
    private
    public :: argument, refuse, number, read_grid

contains

    function argument(at) result(text)
        integer, intent(in) :: at
        character(:), allocatable :: text
        integer :: length
        call get_command_argument(at, length=length)
        allocate(character(length) :: text)
        call get_command_argument(at, text)
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
        number = 0
        read (text, *, iostat=error) number
        if (error /= 0 .or. verify(text, "0123456789") /= 0 .or. number < least) &
            call refuse(stat, name // ": expected a whole number, got '" // text // "'")
    end function

    ! "3x2": 3 rows and 2 columns of processes.
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
end module
