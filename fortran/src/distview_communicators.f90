! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_communicators: communicators of ranks. Programs use module distview.
module distview_communicators
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: real64
    use distview_base
    implicit none
    private

    ! The library's own duplicate of an MPI communicator.
    type, public :: distview_communicator
        type(c_ptr) :: handle = c_null_ptr ! of the C face, for functions of the program in C
    contains
        procedure :: create => communicator_create
        procedure :: rank => communicator_rank
        procedure :: size => communicator_size
        procedure :: nodes => communicator_nodes
        procedure :: order_ranks => communicator_order_ranks
        procedure :: set_deadline => communicator_set_deadline
        procedure :: set_report => communicator_set_report
        procedure :: barrier => communicator_barrier
        procedure :: agree => communicator_agree
        procedure :: close => communicator_close
        procedure :: release => communicator_release
        procedure, private :: communicator_assign
        generic :: assignment(=) => communicator_assign
        final :: communicator_final
    end type

    interface
        integer(c_int) function c_communicator_create(comm, result) &
            bind(C, name="distview_communicator_create_f")
            import :: c_int, c_ptr
            integer(c_int), value :: comm
            type(c_ptr), intent(inout) :: result
        end function
        function c_communicator_retain(comm) bind(C, name="distview_communicator_retain") result(same)
            import :: c_ptr
            type(c_ptr), value :: comm
            type(c_ptr) :: same
        end function
        subroutine c_communicator_release(comm) bind(C, name="distview_communicator_release")
            import :: c_ptr
            type(c_ptr), value :: comm
        end subroutine
        integer(c_int) function c_communicator_rank(comm, rank) bind(C, name="distview_communicator_rank")
            import :: c_int, c_ptr
            type(c_ptr), value :: comm
            integer(c_int), intent(inout) :: rank
        end function
        integer(c_int) function c_communicator_size(comm, size) bind(C, name="distview_communicator_size")
            import :: c_int, c_ptr
            type(c_ptr), value :: comm
            integer(c_int), intent(inout) :: size
        end function
        integer(c_int) function c_communicator_nodes(comm, nodes) bind(C, name="distview_communicator_nodes")
            import :: c_int, c_ptr
            type(c_ptr), value :: comm
            integer(c_int), intent(inout) :: nodes(*)
        end function
        integer(c_int) function c_communicator_order_ranks(comm, ranks, result) &
            bind(C, name="distview_communicator_order_ranks_f")
            import :: c_int, c_ptr
            type(c_ptr), value :: comm
            integer(c_int), intent(in) :: ranks(*)
            integer(c_int), intent(inout) :: result
        end function
        integer(c_int) function c_communicator_set_deadline(comm, seconds) &
            bind(C, name="distview_communicator_set_deadline")
            import :: c_double, c_int, c_ptr
            type(c_ptr), value :: comm
            real(c_double), value :: seconds
        end function
        integer(c_int) function c_communicator_set_report(comm, file) bind(C, name="distview_communicator_set_report")
            import :: c_int, c_ptr, c_char
            type(c_ptr), value :: comm
            character(kind=c_char), intent(in) :: file(*)
        end function
        integer(c_int) function c_communicator_barrier(comm) bind(C, name="distview_communicator_barrier")
            import :: c_int, c_ptr
            type(c_ptr), value :: comm
        end function
        integer(c_int) function c_communicator_close(comm) bind(C, name="distview_communicator_close")
            import :: c_int, c_ptr
            type(c_ptr), value :: comm
        end function
        integer(c_int) function c_communicator_agree(comm, caller, status) &
            bind(C, name="distview_communicator_agree")
            import :: c_int, c_ptr, c_char
            type(c_ptr), value :: comm
            character(kind=c_char), intent(in) :: caller(*)
            integer(c_int), value :: status
        end function
        integer(c_int) function c_communicator_any(comm, caller, flag, answer) bind(C, name="distview_communicator_any")
            import :: c_int, c_ptr, c_char
            type(c_ptr), value :: comm
            character(kind=c_char), intent(in) :: caller(*)
            integer(c_int), value :: flag
            integer(c_int), intent(inout) :: answer
        end function
        integer(c_int) function c_communicator_refuse(comm, caller, status) &
            bind(C, name="distview_communicator_refuse")
            import :: c_int, c_ptr, c_char
            type(c_ptr), value :: comm
            character(kind=c_char), intent(in) :: caller(*)
            integer(c_int), value :: status
        end function
    end interface
    public :: c_communicator_any, tell_others, keep_communicator, drop_communicator ! for the other modules

contains

    ! A communicator from MPI's integer handle; with mpi_f08 pass comm%mpi_val, or use module distview_mpi_f08.
    !
    ! Collective: over mpi_comm at its first use
    subroutine communicator_create(self, mpi_comm, stat, errmsg)
        class(distview_communicator), intent(inout) :: self
        integer, intent(in) :: mpi_comm
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_ptr) :: made
        integer(c_int) :: status
        made = c_null_ptr
        status = c_communicator_create(int(mpi_comm, c_int), made)
        if (status == distview_success) then
            call self%release()
            self%handle = made
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! Rank and number of ranks.
    integer function communicator_rank(self, stat, errmsg) result(rank)
        class(distview_communicator), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: answer
        answer = -1
        call settle(c_communicator_rank(self%handle, answer), stat, errmsg)
        rank = answer
    end function

    integer function communicator_size(self, stat, errmsg) result(ranks)
        class(distview_communicator), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: answer
        answer = -1
        call settle(c_communicator_size(self%handle, answer), stat, errmsg)
        ranks = answer
    end function

    ! The node of every rank: the lowest rank with which it shares memory. Element r + 1 is the node of rank r.
    !
    ! Collective: over the communicator
    function communicator_nodes(self, stat, errmsg) result(nodes)
        class(distview_communicator), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer, allocatable :: nodes(:)
        integer(c_int), allocatable :: answer(:)
        integer(c_int) :: ranks, status
        ranks = 0
        status = c_communicator_size(self%handle, ranks)
        allocate(answer(ranks), source=-1_c_int)
        if (status == distview_success) status = c_communicator_nodes(self%handle, answer)
        call settle(status, stat, errmsg)
        nodes = answer
    end function

    ! The same ranks in another order, for example from distview_place_on_nodes(): rank p of `mpi_comm`, an integer handle
    ! of MPI, is rank ranks(p + 1) of this communicator. The caller owns it, and frees it by MPI_Comm_free after the
    ! objects made with it.
    !
    ! Collective: over the communicator; all ranks pass the same order
    ! Errors:     distview_usage_error unless `ranks` names each rank once (on all ranks)
    subroutine communicator_order_ranks(self, ranks, mpi_comm, stat, errmsg)
        class(distview_communicator), intent(in) :: self
        integer, intent(in) :: ranks(:)
        integer, intent(inout) :: mpi_comm
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: expected, made, status
        expected = 0
        status = c_communicator_size(self%handle, expected)
        if (status == distview_success .and. size(ranks) /= expected) then
            status = failure(distview_usage_error, "distview_communicator%order_ranks: expected " // &
                             decimal(int(expected)) // " ranks, got " // decimal(size(ranks)))
            status = tell_others(self, "distview_communicator%order_ranks", status)
        end if
        if (status == distview_success) status = c_communicator_order_ranks(self%handle, int(ranks, c_int), made)
        if (status == distview_success) mpi_comm = made
        call settle(status, stat, errmsg)
    end subroutine

    ! Sets how many seconds a rank waits for others in a collective procedure. After that the procedure is a
    ! distview_deadline_error; its text names the missing ranks and their last known call. 0, the default, means no limit.
    ! The communicator is unusable after the error. docs/deadlines.md lists waits that the deadline does not cover.
    !
    ! Collective: no; all ranks set the same
    ! Errors:     distview_usage_error if `seconds` is negative or not finite
    subroutine communicator_set_deadline(self, seconds, stat, errmsg)
        class(distview_communicator), intent(in) :: self
        real(real64), intent(in) :: seconds
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call settle(c_communicator_set_deadline(self%handle, real(seconds, c_double)), stat, errmsg)
    end subroutine

    ! Requests a report of all plans made from now on. Rank 0 writes it to `file` when the communicator is closed or MPI
    ! ends: JSON lines if the name ends in ".json", else text. Blank: no report. docs/report.md shows a report.
    !
    ! Collective: no; all ranks set the same
    ! Cost:       each execution of a plan reads the clock, some 0.3 us
    subroutine communicator_set_report(self, file, stat, errmsg)
        class(distview_communicator), intent(in) :: self
        character(*), intent(in) :: file
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call settle(c_communicator_set_report(self%handle, trim(file) // c_null_char), stat, errmsg)
    end subroutine

    ! Returns when all ranks have called it.
    !
    ! Collective: over the communicator
    subroutine communicator_barrier(self, stat, errmsg)
        class(distview_communicator), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call settle(c_communicator_barrier(self%handle), stat, errmsg)
    end subroutine

    ! Ends a step of the program that may have failed on some ranks. If `status`, for example from distview_fail(), is not
    ! 0 on some ranks, the call fails on all ranks with the error of the lowest of them.
    !
    ! Collective: over the communicator
    subroutine communicator_agree(self, caller, status, stat, errmsg)
        class(distview_communicator), intent(in) :: self
        character(*), intent(in) :: caller
        integer, value :: status ! may be the same variable as stat
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call settle(c_communicator_agree(self%handle, trim(caller) // c_null_char, &
                                         int(status, c_int)), stat, errmsg)
    end subroutine

    ! Reports that this rank has refused an argument and does not join the collective call: the other ranks get an error
    ! that names the calls that did not match. This rank keeps its own error.
    integer(c_int) function tell_others(comm, caller, status)
        type(distview_communicator), intent(in), optional :: comm ! absent: no other ranks
        character(*), intent(in) :: caller
        integer(c_int), intent(in) :: status
        tell_others = status
        if (present(comm)) tell_others = c_communicator_refuse(comm%handle, caller // c_null_char, status)
    end function

    ! Objects keep a name for a communicator, and lists of layouts, behind pointers, because of two faults of gfortran 14.
    ! For a(i) = a(j) it copies a(j) bit by bit and finalises the copy's components, which would release a reference that
    ! was never retained. It also does not finalise a function's result with such components.
    subroutine keep_communicator(kept, comm)
        type(distview_communicator), pointer, intent(inout) :: kept
        type(distview_communicator), intent(in), optional :: comm
        type(distview_communicator), pointer :: same
        same => null()
        if (present(comm)) then
            allocate(same)
            same = comm
        end if
        call drop_communicator(kept)
        kept => same
    end subroutine

    subroutine drop_communicator(kept)
        type(distview_communicator), pointer, intent(inout) :: kept
        if (associated(kept)) deallocate(kept)
        kept => null()
    end subroutine

    ! Frees the duplicate. Afterwards objects made with it can only be released.
    !
    ! Collective: over the communicator
    subroutine communicator_close(self, stat, errmsg)
        class(distview_communicator), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call settle(c_communicator_close(self%handle), stat, errmsg)
    end subroutine

    subroutine communicator_release(self)
        class(distview_communicator), intent(inout) :: self
        if (c_associated(self%handle)) call c_communicator_release(self%handle)
        self%handle = c_null_ptr
    end subroutine

    impure elemental subroutine communicator_assign(self, other)
        class(distview_communicator), intent(inout) :: self
        type(distview_communicator), intent(in) :: other
        type(c_ptr) :: same
        same = c_communicator_retain(other%handle)
        call self%release()
        self%handle = same
    end subroutine

    impure elemental subroutine communicator_final(self)
        type(distview_communicator), intent(inout) :: self
        call self%release()
    end subroutine
end module
