! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! between_cpp.cpp in Fortran: sends or receives. Elements (i, j) have the same values; i is the second axis of C.
program between_fortran
    use, intrinsic :: iso_fortran_env, only: error_unit, int64
    use distview
    use mpi
    implicit none
    integer, parameter :: rows = 30, columns = 22
    type(distview_other_program) :: there
    type(distview_layout) :: mine, none, theirs
    type(distview_redistribution_plan) :: to, from
    real(8), allocatable :: a(:, :)
    integer(int64), allocatable :: n(:)
    character(20) :: role
    logical :: begins, wrong(1), some(1)
    integer :: own, other, size, rank, turn, ierr

    call MPI_Init(ierr)
    call distview_initialize()
    call get_command_argument(1, role)
    begins = role == "sends"
    call MPI_Comm_split(MPI_COMM_WORLD, merge(0, 1, begins), 0, own, ierr)
    call MPI_Comm_size(own, size, ierr)
    call MPI_Comm_rank(own, rank, ierr)
    call MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, merge(size, 0, begins), 1, other, ierr)
    wrong = .false.

    call there%create(other)
    if (begins) then
        call mine%create([columns, rows], distview_balanced_grid(size, 2))
        call there%exchange(mine, theirs)
    else
        call mine%create([columns, rows], distview_balanced_grid(size, 2), kinds=[distview_cyclic, distview_cyclic], &
                         block_sizes=[3, 4])
        call there%exchange(none, theirs)
        call check(theirs%process_count() == there%size(), "the processes of a layout")
        call check(all(theirs%extents() == [columns, rows]), "the extents of a layout")
    end if
    n = mine%local_shape(rank)
    allocate(a(n(1), n(2)), source=-1d0)
    call to%create_between(there, begins, mine)
    call from%create_between(there, .not. begins, mine)
    do turn = 1, 3
        if (turn == 2) call to%forget()
        if (turn == 3) call from%forget()
        if (begins) then
            call set(turn)
            call to%execute(source=a)
            a = -1
            call from%execute(target=a)
            call compare(2 * turn)
        else
            call to%execute(target=a)
            call compare(turn)
            call set(2 * turn)
            call from%execute(source=a)
        end if
    end do
    call to%release()
    call from%release()
    call there%release()

    call MPI_Allreduce(wrong, some, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
    call MPI_Comm_free(other, ierr)
    call MPI_Comm_free(own, ierr)
    if (begins .and. rank == 0) print "(a)", trim(merge("DISTVIEW-TEST-FAILED", "DISTVIEW-TEST-PASSED", some(1)))
    call distview_finalize()
    call MPI_Finalize(ierr)
    if (some(1)) error stop 1
contains
    subroutine check(is_right, what)
        logical, intent(in) :: is_right
        character(*), intent(in) :: what
        if (is_right) return
        write (error_unit, "(2a)") "between_fortran: wrong: ", what
        wrong = .true.
    end subroutine

    real(8) function value(i, j)
        integer, intent(in) :: i, j
        value = 1000 * (mine%to_global(rank, 2, j) - 1) + mine%to_global(rank, 1, i)
    end function

    subroutine set(factor)
        integer, intent(in) :: factor
        integer :: i, j
        do j = 1, int(n(2))
            do i = 1, int(n(1))
                a(i, j) = factor * value(i, j)
            end do
        end do
    end subroutine

    subroutine compare(factor)
        integer, intent(in) :: factor
        integer :: i, j
        do j = 1, int(n(2))
            do i = 1, int(n(1))
                call check(a(i, j) == factor * value(i, j), "an element")
            end do
        end do
    end subroutine
end program
