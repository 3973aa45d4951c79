! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Objects that are made, assigned, returned by functions and abandoned repeatedly must not leak: the memory of the process
! must not grow.
!
!     test_fortran_cycles LOCAL COLLECTIVE: the numbers of cycles
program test_cycles
    use, intrinsic :: iso_fortran_env, only: int64
    use check_support
    use distview
    implicit none
    type(distview_layout) :: layout
    type(distview_array) :: whole
    real(8), allocatable, target :: u(:, :)
    integer(int64), allocatable :: n(:)
    integer(int64) :: before
    integer :: times(2), turn

    call begin_checks()
    times = [count_of(1), count_of(2)]
    call layout%create([8, 6 * ranks], [1, ranks], padding=1)
    n = layout%local_shape(rank)
    allocate(u(n(1), n(2)), source=1d0)
    call whole%borrow(comm, layout, u)
    do turn = 1, max(times(1) / 10, 10)
        call local_objects()
    end do
    before = resident()
    do turn = 1, times(1)
        call local_objects()
    end do
    call check(resident() - before < 1500, "local objects stay behind")
    do turn = 1, max(times(2) / 10, 10)
        call collective_objects()
    end do
    before = resident()
    do turn = 1, times(2)
        call collective_objects()
    end do
    call check(resident() - before < 4000, "collective objects stay behind")
    call end_checks()
contains
    ! All of these objects go out of scope at the end.
    subroutine local_objects()
        type(distview_layout) :: made, same, pair(2), turned
        type(distview_layout), allocatable :: more(:)
        type(distview_index_list) :: list, again
        type(distview_array) :: part
        call made%create([8, 6 * ranks], [1, ranks], padding=1)
        same = made
        same = same
        pair(1) = made
        pair(2) = same
        allocate(more(2)) ! a defined assignment, as this is, does not allocate
        more = pair
        pair = more(2:1:-1)
        turned = made%permuted([2, 1])
        turned = turned%permuted([2, 1])
        call made%create([5], [ranks])
        call list%create(2)
        call list%add([1, 1, 2, 2])
        again = list
        call list%release()
        part = whole%slice([distview_slice(2, 3), distview_slice(1, 4)])
        part = part%slice([distview_slice(2, 1), distview_slice()])
    end subroutine

    subroutine collective_objects()
        type(distview_padding_plan) :: plan, other, plans(2)
        type(distview_redistribution_plan) :: turn, turns(2)
        type(distview_exchange) :: exchange
        type(distview_array) :: a, part, same(2)
        type(distview_layout) :: of_part
        type(distview_value) :: found
        integer :: i, j
        call plan%create(comm, layout)
        call plan%exchange(u)
        other = plan
        call other%start(exchange, u)
        call exchange%finish()
        call turn%create(comm, layout, layout, in_place=.true.)
        call turn%execute(u, u)
        call a%borrow(comm, layout, u)
        part = a%slice([distview_slice(2, 3), distview_slice(1, 4)])
        of_part = part%layout()
        same(1) = a
        same(2) = part
        found = same(1)%sum()
        ! Elements of one array: a compiler that cannot tell whether both sides are the same element copies the right side.
        do i = 1, 2
            j = 3 - i
            plans(i) = plan
            turns(i) = turn
            plans(j) = plans(i)
            turns(j) = turns(i)
            plans(i) = plans(i)
            same(i) = same(j)
            call plans(j)%exchange(u)
            call turns(j)%execute(u, u)
        end do
    end subroutine

    ! The resident memory of the process in KiB.
    integer(int64) function resident()
        character(200) :: line
        integer :: unit, error
        resident = 0
        open(newunit=unit, file="/proc/self/status", action="read", iostat=error)
        do while (error == 0)
            read (unit, "(a)", iostat=error) line
            if (line(:6) == "VmRSS:") read (line(7:), *) resident
        end do
        close(unit)
    end function

    integer function count_of(which)
        integer, intent(in) :: which
        character(20) :: text
        call get_command_argument(which, text)
        read (text, *) count_of
    end function
end program
