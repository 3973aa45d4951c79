! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_ghosts: copies of other processes' elements of unstructured axes. Programs use module distview.
module distview_ghosts
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64
    use distview_axes
    use distview_base
    use distview_communicators
    use distview_layouts
    use distview_plain_arrays
    implicit none
    private

    ! A layout whose last axis has, on each process, the labels that the process owns, followed by ghosts: copies of
    ! labels that other processes own.
    type, public :: distview_ghosted_layout
        type(c_ptr) :: handle = c_null_ptr ! of the C face
        integer(int64), private :: needed = 0
    contains
        procedure :: create => ghosted_layout_create
        procedure :: layout => ghosted_layout_layout
        procedure :: owned => ghosted_layout_owned
        procedure :: ghosts => ghosted_layout_ghosts
        procedure :: positions => ghosted_layout_positions
        procedure :: release => ghosted_layout_release
        procedure, private :: ghosted_layout_assign
        generic :: assignment(=) => ghosted_layout_assign
        final :: ghosted_layout_final
    end type

    ! Fills the ghosts of arrays, or combines them with their owners' elements.
    !
    ! The plan identifies plain arrays by address, as distview_padding_plan does.
    type, public :: distview_ghost_plan
        type(c_ptr) :: handle = c_null_ptr ! of the C face
        type(plain_arrays), private :: plain
    contains
        procedure :: create => ghost_plan_create
        procedure :: exchange => ghost_plan_exchange
        procedure :: combine => ghost_plan_combine
        procedure :: forget => ghost_plan_forget
        procedure :: describe => ghost_plan_describe
        procedure :: release => ghost_plan_release
        procedure, private :: ghost_plan_assign
        generic :: assignment(=) => ghost_plan_assign
        final :: ghost_plan_final
    end type

    interface
        integer(c_int) function c_ghosted_layout_create(comm, owned_count, owned, needed_count, needed, more_count, &
                                                        more_axes, result) &
            bind(C, name="distview_ghosted_layout_create")
            import :: c_axis, c_int, c_int64_t, c_ptr
            type(c_ptr), value :: comm
            integer(c_int64_t), value :: owned_count, needed_count
            integer(c_int64_t), intent(in) :: owned(*), needed(*)
            integer(c_int), value :: more_count
            type(c_axis), intent(in) :: more_axes(*)
            type(c_ptr), intent(inout) :: result
        end function
        function c_ghosted_layout_retain(ghosted) bind(C, name="distview_ghosted_layout_retain") result(same)
            import :: c_ptr
            type(c_ptr), value :: ghosted
            type(c_ptr) :: same
        end function
        subroutine c_ghosted_layout_release(ghosted) bind(C, name="distview_ghosted_layout_release")
            import :: c_ptr
            type(c_ptr), value :: ghosted
        end subroutine
        integer(c_int) function c_ghosted_layout_layout(ghosted, layout) &
            bind(C, name="distview_ghosted_layout_layout")
            import :: c_int, c_ptr
            type(c_ptr), value :: ghosted
            type(c_ptr), intent(inout) :: layout
        end function
        integer(c_int) function c_ghosted_layout_counts(ghosted, owned, ghosts) &
            bind(C, name="distview_ghosted_layout_counts")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: ghosted
            integer(c_int64_t), intent(inout) :: owned, ghosts
        end function
        integer(c_int) function c_ghosted_layout_positions(ghosted, count, positions) &
            bind(C, name="distview_ghosted_layout_positions")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: ghosted
            integer(c_int64_t), value :: count
            integer(c_int64_t), intent(inout) :: positions(*)
        end function
        integer(c_int) function c_ghost_plan_create(comm, ghosted, result) bind(C, name="distview_ghost_plan_create")
            import :: c_int, c_ptr
            type(c_ptr), value :: comm, ghosted
            type(c_ptr), intent(inout) :: result
        end function
        function c_ghost_plan_retain(plan) bind(C, name="distview_ghost_plan_retain") result(same)
            import :: c_ptr
            type(c_ptr), value :: plan
            type(c_ptr) :: same
        end function
        subroutine c_ghost_plan_release(plan) bind(C, name="distview_ghost_plan_release")
            import :: c_ptr
            type(c_ptr), value :: plan
        end subroutine
        integer(c_int) function c_ghost_plan_describe(plan, text, capacity, length) &
            bind(C, name="distview_ghost_plan_describe")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan, text
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), intent(inout) :: length
        end function
        integer(c_int) function c_ghost_plan_execute(plan, array) bind(C, name="distview_ghost_plan_execute")
            import :: c_int, c_ptr
            type(c_ptr), value :: plan, array
        end function
        integer(c_int) function c_ghost_plan_combine(plan, operation, array) &
            bind(C, name="distview_ghost_plan_combine")
            import :: c_int, c_ptr
            type(c_ptr), value :: plan, array
            integer(c_int), value :: operation
        end function
    end interface

contains

    ! The layout in which this process owns the labels `owned`, from 1, and has as ghosts the labels of `needed` that it
    ! does not own, each once, ascending. `more_axes`: further axes of arrays, each on one process, before the axis of
    ! labels: components of a cell are contiguous, u(component, cell).
    !
    ! Collective: over comm
    ! Errors:     distview_layout_error if a label occurs twice in `owned` (on all ranks). A label with two owners or none
    !             is an error only when a plan is made
    subroutine ghosted_layout_create(self, comm, owned, needed, more_axes, stat, errmsg)
        class(distview_ghosted_layout), intent(inout) :: self
        type(distview_communicator), intent(in) :: comm
        integer(int64), intent(in) :: owned(:), needed(:)
        type(distview_axis), intent(in), optional :: more_axes(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(axis_lists), target :: of_axis(distview_max_rank)
        type(distribution_call), target :: calls(distview_max_rank)
        type(c_axis) :: axes(distview_max_rank)
        type(c_ptr) :: made
        integer(c_int) :: status
        integer :: d, n
        n = 0
        if (present(more_axes)) n = size(more_axes)
        made = c_null_ptr
        status = distview_success
        do d = 1, n
            if (n >= distview_max_rank) exit ! for the C face to refuse
            if (status == distview_success) &
                status = c_axis_of(more_axes(d), 1, axes(n + 1 - d), of_axis(d), calls(d))
        end do
        if (status == distview_success) then
            status = c_ghosted_layout_create(comm%handle, size(owned, kind=c_int64_t), owned - 1, &
                                             size(needed, kind=c_int64_t), needed - 1, int(n, c_int), axes, made)
        else
            status = tell_others(comm, "distview_ghosted_layout", status)
        end if
        if (status == distview_success) then
            call self%release()
            self%handle = made
            self%needed = size(needed, kind=int64)
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! The layout of arrays.
    function ghosted_layout_layout(self, stat, errmsg) result(layout)
        class(distview_ghosted_layout), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_layout) :: layout
        call settle(c_ghosted_layout_layout(self%handle, layout%handle), stat, errmsg)
    end function

    ! Cells 1 : owned() of the section are owned, owned() + 1 : owned() + ghosts() are ghosts.
    integer(int64) function ghosted_layout_owned(self, stat, errmsg) result(count)
        class(distview_ghosted_layout), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: owned, ghosts
        owned = 0
        call settle(c_ghosted_layout_counts(self%handle, owned, ghosts), stat, errmsg)
        count = owned
    end function

    integer(int64) function ghosted_layout_ghosts(self, stat, errmsg) result(count)
        class(distview_ghosted_layout), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: owned, ghosts
        ghosts = 0
        call settle(c_ghosted_layout_counts(self%handle, owned, ghosts), stat, errmsg)
        count = ghosts
    end function

    ! The number in the section, from 1, of each needed label.
    function ghosted_layout_positions(self, stat, errmsg) result(positions)
        class(distview_ghosted_layout), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: positions(:)
        allocate(positions(self%needed), source=-1_int64)
        call settle(c_ghosted_layout_positions(self%handle, self%needed, positions), stat, errmsg)
        positions = positions + 1
    end function

    subroutine ghosted_layout_release(self)
        class(distview_ghosted_layout), intent(inout) :: self
        if (c_associated(self%handle)) call c_ghosted_layout_release(self%handle)
        self%handle = c_null_ptr
        self%needed = 0
    end subroutine

    impure elemental subroutine ghosted_layout_assign(self, other)
        class(distview_ghosted_layout), intent(inout) :: self
        type(distview_ghosted_layout), intent(in) :: other
        type(c_ptr) :: same
        integer(int64) :: needed
        same = c_ghosted_layout_retain(other%handle)
        needed = other%needed
        call self%release()
        self%handle = same
        self%needed = needed
    end subroutine

    impure elemental subroutine ghosted_layout_final(self)
        type(distview_ghosted_layout), intent(inout) :: self
        call self%release()
    end subroutine

    ! Plans

    ! `moving`: as in distview_padding_plan.
    !
    ! Collective: over comm
    ! Errors:     distview_usage_error if a ghost has no owner, or a label has several owners (on all ranks)
    subroutine ghost_plan_create(self, comm, ghosted, moving, stat, errmsg)
        class(distview_ghost_plan), intent(inout) :: self
        type(distview_communicator), intent(in) :: comm
        type(distview_ghosted_layout), intent(in) :: ghosted
        logical, intent(in), optional :: moving
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_layout) :: layout
        type(c_ptr) :: made
        integer(c_int) :: status
        made = c_null_ptr
        status = c_ghost_plan_create(comm%handle, ghosted%handle, made)
        if (status == distview_success) status = c_ghosted_layout_layout(ghosted%handle, layout%handle)
        if (status == distview_success) then
            call self%release()
            self%handle = made
            call begin_one(self%plain, comm, layout, moving)
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! Ghosts = their owners' elements.
    !
    ! Collective: over the plan's communicator
    ! Shapes:     elements of 1, 2, 4, 8 or 16 bytes, at strides of whole elements
    ! Errors:     distview_shape_error if `u` is not of the plan's layout (on all ranks)
    subroutine ghost_plan_exchange(self, u, stat, errmsg)
        class(distview_ghost_plan), intent(inout) :: self
        type(*), dimension(..), intent(inout), asynchronous :: u
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        call describe_field(self%plain, u)
        status = resolve_fields(self%plain, "distview_ghost_plan%exchange", self%handle)
        if (status == distview_success) status = c_ghost_plan_execute(self%handle, self%plain%handles(1))
        call settle(status, stat, errmsg)
    end subroutine

    ! Owners' elements = op(...op(element, ghost), ghost...), ghosts by ascending rank. Ghosts keep their values.
    !
    ! Collective: over the plan's communicator; all ranks pass the same operation
    subroutine ghost_plan_combine(self, operation, u, stat, errmsg)
        class(distview_ghost_plan), intent(inout) :: self
        integer, intent(in) :: operation
        type(*), dimension(..), intent(inout), asynchronous :: u
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        call describe_field(self%plain, u)
        status = resolve_fields(self%plain, "distview_ghost_plan%combine", self%handle)
        if (status == distview_success) &
            status = c_ghost_plan_combine(self%handle, int(operation, c_int), self%plain%handles(1))
        call settle(status, stat, errmsg)
    end subroutine

    ! Forgets all arrays used so far.
    !
    ! Collective: no, but all ranks forget at the same place between exchanges
    subroutine ghost_plan_forget(self)
        class(distview_ghost_plan), intent(inout) :: self
        call forget_known(self%plain)
    end subroutine

    function ghost_plan_describe(self, stat, errmsg) result(text)
        class(distview_ghost_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(:), allocatable :: text
        text = described(c_ghost_plan_describe, self%handle, stat, errmsg)
    end function

    subroutine ghost_plan_release(self)
        class(distview_ghost_plan), intent(inout) :: self
        if (c_associated(self%handle)) call c_ghost_plan_release(self%handle)
        self%handle = c_null_ptr
        call end_plain(self%plain)
    end subroutine

    impure elemental subroutine ghost_plan_assign(self, other)
        class(distview_ghost_plan), intent(inout) :: self
        type(distview_ghost_plan), intent(in) :: other
        type(c_ptr) :: same
        same = c_ghost_plan_retain(other%handle)
        if (c_associated(self%handle)) call c_ghost_plan_release(self%handle)
        self%handle = same
        call same_plain(self%plain, other%plain)
    end subroutine

    impure elemental subroutine ghost_plan_final(self)
        type(distview_ghost_plan), intent(inout) :: self
        call self%release()
    end subroutine
end module
