! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_other_programs: the program at the other end of an intercommunicator. Programs use module distview.
module distview_other_programs
    use, intrinsic :: iso_c_binding
    use distview_base
    use distview_communicators
    use distview_layouts
    implicit none
    private
    public :: c_other_program_sizes ! for the other modules

    ! The program at the other end of an intercommunicator, for redistributing arrays between both programs. The other
    ! program may be written in any language with a face of DistView.
    !
    !     call viewer%create(intercommunicator)                         ! in the model, which has `a`
    !     call plan%create_between(viewer, .true., layout_of_a)
    !     call plan%execute(source=a)
    !
    !     call model%create(intercommunicator)                          ! in the viewer, which gets `b`
    !     call plan%create_between(model, .false., layout_of_b)
    !     call plan%execute(target=b)
    type, public :: distview_other_program
        type(c_ptr) :: handle = c_null_ptr ! of the C face
    contains
        procedure :: create => other_program_create
        procedure :: communicator => other_program_communicator
        procedure :: size => other_program_size
        procedure :: exchange => other_program_exchange
        procedure :: release => other_program_release
        procedure, private :: other_program_assign
        generic :: assignment(=) => other_program_assign
        final :: other_program_final
    end type

    interface
        integer(c_int) function c_other_program_create(intercommunicator, result) &
            bind(C, name="distview_other_program_create_f")
            import :: c_int, c_ptr
            integer(c_int), value :: intercommunicator
            type(c_ptr), intent(inout) :: result
        end function
        function c_other_program_retain(other) bind(C, name="distview_other_program_retain") result(same)
            import :: c_ptr
            type(c_ptr), value :: other
            type(c_ptr) :: same
        end function
        subroutine c_other_program_release(other) bind(C, name="distview_other_program_release")
            import :: c_ptr
            type(c_ptr), value :: other
        end subroutine
        integer(c_int) function c_other_program_communicator(other, result) &
            bind(C, name="distview_other_program_communicator")
            import :: c_int, c_ptr
            type(c_ptr), value :: other
            type(c_ptr), intent(inout) :: result
        end function
        integer(c_int) function c_other_program_sizes(other, own_size, own_rank, other_size) &
            bind(C, name="distview_other_program_sizes")
            import :: c_int, c_ptr
            type(c_ptr), value :: other
            integer(c_int), intent(inout) :: own_size, own_rank, other_size
        end function
        integer(c_int) function c_other_program_exchange(other, mine, theirs) &
            bind(C, name="distview_other_program_exchange")
            import :: c_int, c_ptr
            type(c_ptr), value :: other, mine
            type(c_ptr), intent(inout) :: theirs
        end function
    end interface

contains

    ! Created from MPI's integer handle; with mpi_f08 pass intercommunicator%mpi_val.
    !
    ! Collective: over both programs at the intercommunicator's first use
    ! Errors:     distview_usage_error for intracommunicators
    subroutine other_program_create(self, intercommunicator, stat, errmsg)
        class(distview_other_program), intent(inout) :: self
        integer, intent(in) :: intercommunicator
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_ptr) :: made
        integer(c_int) :: status
        made = c_null_ptr
        status = c_other_program_create(int(intercommunicator, c_int), made)
        if (status == distview_success) then
            call self%release()
            self%handle = made
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! The communicator of the ranks of both programs.
    function other_program_communicator(self, stat, errmsg) result(comm)
        class(distview_other_program), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_communicator) :: comm
        call settle(c_other_program_communicator(self%handle, comm%handle), stat, errmsg)
    end function

    ! Number of the other program's ranks.
    integer function other_program_size(self, stat, errmsg) result(ranks)
        class(distview_other_program), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: own_size, own_rank, other_size
        other_size = -1
        call settle(c_other_program_sizes(self%handle, own_size, own_rank, other_size), stat, errmsg)
        ranks = other_size
    end function

    ! Exchanges layouts: passes this program's layout and returns the other program's. A layout that was not created
    ! reaches the other program as a layout without axes.
    !
    ! Collective: over both programs
    subroutine other_program_exchange(self, mine, theirs, stat, errmsg)
        class(distview_other_program), intent(in) :: self
        type(distview_layout), intent(in) :: mine
        type(distview_layout), intent(inout) :: theirs
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_ptr) :: made
        integer(c_int) :: status
        made = c_null_ptr
        status = c_other_program_exchange(self%handle, mine%handle, made)
        if (status == distview_success) then
            call theirs%release()
            theirs%handle = made
        end if
        call settle(status, stat, errmsg)
    end subroutine

    subroutine other_program_release(self)
        class(distview_other_program), intent(inout) :: self
        if (c_associated(self%handle)) call c_other_program_release(self%handle)
        self%handle = c_null_ptr
    end subroutine

    impure elemental subroutine other_program_assign(self, other)
        class(distview_other_program), intent(inout) :: self
        type(distview_other_program), intent(in) :: other
        type(c_ptr) :: same
        same = c_other_program_retain(other%handle)
        call self%release()
        self%handle = same
    end subroutine

    impure elemental subroutine other_program_final(self)
        type(distview_other_program), intent(inout) :: self
        call self%release()
    end subroutine
end module
