! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_migration_plans: moves elements of lists to ranks that the program names. Programs use module distview.
module distview_migration_plans
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64
    use distview_base
    use distview_communicators
    use distview_exchanges
    use distview_memories
    implicit none
    private

    ! A plan that moves each element of a list to the rank named for it: particles, or other elements that change owner.
    !
    !     call plan%create(comm, targets)             ! element k goes to rank targets(k)
    !     n = plan%size()
    !     allocate(x2(3, n), id2(n))
    !     call plan%execute(x, x2, id, id2)           ! x(:, k) and id(k) of all elements
    !
    ! Elements arrive by ascending source rank, in the order that they had there; a rank's own elements take its place in
    ! that order. The last axis of an array counts elements: x(:, k) is one element of three numbers.
    type, public :: distview_migration_plan
        type(c_ptr) :: handle = c_null_ptr ! of the C face
        type(distview_communicator), pointer, private :: comm => null()
    contains
        procedure :: create => migration_plan_create
        procedure :: source_size => migration_plan_source_size
        procedure :: size => migration_plan_size
        procedure :: kept => migration_plan_kept
        procedure :: execute => migration_plan_execute
        procedure :: start => migration_plan_start
        procedure :: is_usable => migration_plan_is_usable
        procedure :: workspace_bytes => migration_plan_workspace_bytes
        procedure :: describe => migration_plan_describe
        procedure :: release => migration_plan_release
        procedure, private :: migration_plan_assign
        generic :: assignment(=) => migration_plan_assign
        final :: migration_plan_final
    end type

    integer, parameter :: most_fields = 8
    ! distview_migrating_field of C.
    type, bind(C) :: c_field
        type(c_ptr) :: from = c_null_ptr, to = c_null_ptr
        integer(c_int64_t) :: from_count = 0, to_count = 0
        integer(c_int32_t) :: element = 0, unused = 0
    end type
    ! The fields of one call, and the error in them, if any.
    type :: field_list
        type(c_field) :: fields(most_fields)
        integer :: count = 0
        integer(c_int) :: status = distview_success
    end type

    interface
        integer(c_int) function c_migration_plan_create(comm, count, targets, result) &
            bind(C, name="distview_migration_plan_create")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: comm
            integer(c_int64_t), value :: count
            integer(c_int), intent(in) :: targets(*)
            type(c_ptr), intent(inout) :: result
        end function
        function c_migration_plan_retain(plan) bind(C, name="distview_migration_plan_retain") result(same)
            import :: c_ptr
            type(c_ptr), value :: plan
            type(c_ptr) :: same
        end function
        subroutine c_migration_plan_release(plan) bind(C, name="distview_migration_plan_release")
            import :: c_ptr
            type(c_ptr), value :: plan
        end subroutine
        integer(c_int) function c_migration_plan_sizes(plan, source_size, size, kept) &
            bind(C, name="distview_migration_plan_sizes")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan
            integer(c_int64_t), intent(inout) :: source_size, size, kept
        end function
        integer(c_int) function c_migration_plan_execute(plan, count, fields) &
            bind(C, name="distview_migration_plan_execute")
            import :: c_field, c_int, c_ptr
            type(c_ptr), value :: plan
            integer(c_int), value :: count
            type(c_field), intent(in) :: fields(*)
        end function
        integer(c_int) function c_migration_plan_start(plan, count, fields, result) &
            bind(C, name="distview_migration_plan_start")
            import :: c_field, c_int, c_ptr
            type(c_ptr), value :: plan
            integer(c_int), value :: count
            type(c_field), intent(in) :: fields(*)
            type(c_ptr), intent(inout) :: result
        end function
        integer(c_int) function c_migration_plan_is_usable(plan, usable) &
            bind(C, name="distview_migration_plan_is_usable")
            import :: c_int, c_ptr
            type(c_ptr), value :: plan
            integer(c_int), intent(inout) :: usable
        end function
        integer(c_int) function c_migration_plan_workspace_bytes(plan, bytes) &
            bind(C, name="distview_migration_plan_workspace_bytes")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan
            integer(c_int64_t), intent(inout) :: bytes
        end function
        integer(c_int) function c_migration_plan_describe(plan, text, capacity, length) &
            bind(C, name="distview_migration_plan_describe")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan, text
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), intent(inout) :: length
        end function
    end interface

contains

    ! A plan for the size(targets) elements of this rank, which may be 0.
    !
    ! Collective: over comm
    ! Errors:     distview_usage_error if a target is not a rank (on all ranks)
    subroutine migration_plan_create(self, comm, targets, stat, errmsg)
        class(distview_migration_plan), intent(inout) :: self
        type(distview_communicator), intent(in) :: comm
        integer, intent(in) :: targets(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int), allocatable :: c_targets(:) ! any number: not on the stack
        type(c_ptr) :: made
        integer(c_int) :: status
        made = c_null_ptr
        c_targets = int(targets, c_int)
        status = c_migration_plan_create(comm%handle, size(targets, kind=c_int64_t), c_targets, made)
        if (status == distview_success) then
            call self%release()
            self%handle = made
            call keep_communicator(self%comm, comm)
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! Numbers of elements on this rank before the move, after it, and of elements that stay.
    integer(int64) function migration_plan_source_size(self, stat, errmsg) result(elements)
        class(distview_migration_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: sizes(3)
        call ask_sizes(self, sizes, stat, errmsg)
        elements = sizes(1)
    end function

    integer(int64) function migration_plan_size(self, stat, errmsg) result(elements)
        class(distview_migration_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: sizes(3)
        call ask_sizes(self, sizes, stat, errmsg)
        elements = sizes(2)
    end function

    integer(int64) function migration_plan_kept(self, stat, errmsg) result(elements)
        class(distview_migration_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: sizes(3)
        call ask_sizes(self, sizes, stat, errmsg)
        elements = sizes(3)
    end function

    subroutine ask_sizes(self, sizes, stat, errmsg)
        class(distview_migration_plan), intent(in) :: self
        integer(c_int64_t), intent(out) :: sizes(3)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        sizes = 0
        call settle(c_migration_plan_sizes(self%handle, sizes(1), sizes(2), sizes(3)), stat, errmsg)
    end subroutine

    ! Copies elements to their target ranks. Arguments are pairs: an array of elements to move, then the array for arriving
    ! elements. All arrays travel together. The first array of a pair keeps its elements.
    !
    ! Collective: over the plan's communicator; all ranks pass arrays of the same types
    ! Shapes:     source_size() elements to move, size() to write, along the last axis; without gaps
    ! Cost:       no allocation for element types used before
    ! Errors:     distview_shape_error for wrong numbers of elements, different types in a pair, or gaps;
    !             distview_usage_error if written arrays share memory with others. If that is so on some ranks only, the
    !             ranks that need them get an error that names the calls that did not match
    subroutine migration_plan_execute(self, from1, to1, from2, to2, from3, to3, from4, to4, from5, to5, from6, to6, from7, &
                                      to7, from8, to8, stat, errmsg)
        class(distview_migration_plan), intent(inout) :: self
        type(*), dimension(..), intent(in), asynchronous :: from1
        type(*), dimension(..), intent(inout), asynchronous :: to1
        type(*), dimension(..), intent(in), asynchronous, optional :: from2, from3, from4, from5, from6, from7, from8
        type(*), dimension(..), intent(inout), asynchronous, optional :: to2, to3, to4, to5, to6, to7, to8
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(field_list) :: list
        call add_pair(list, from1, to1)
        call add_pair(list, from2, to2)
        call add_pair(list, from3, to3)
        call add_pair(list, from4, to4)
        call add_pair(list, from5, to5)
        call add_pair(list, from6, to6)
        call add_pair(list, from7, to7)
        call add_pair(list, from8, to8)
        call tell_of(self, list, "distview_migration_plan%execute")
        if (list%status == distview_success) &
            list%status = c_migration_plan_execute(self%handle, int(list%count, c_int), list%fields)
        call settle(list%status, stat, errmsg)
    end subroutine

    ! Begins an execution; `exchange` ends it. Until then the program must not write elements to move, nor read or write
    ! the arrays for arriving elements. The arrays must be targets, and asynchronous.
    !
    ! Collective: over the plan's communicator; all ranks pass arrays of the same types
    ! Errors:     those of execute; distview_usage_error if an execution of the plan is in flight
    subroutine migration_plan_start(self, exchange, from1, to1, from2, to2, from3, to3, from4, to4, from5, to5, from6, to6, &
                                    from7, to7, from8, to8, stat, errmsg)
        class(distview_migration_plan), intent(inout) :: self
        type(distview_exchange), intent(inout) :: exchange
        type(*), dimension(..), intent(in), asynchronous, target :: from1 ! addresses are kept
        type(*), dimension(..), intent(inout), asynchronous, target :: to1
        type(*), dimension(..), intent(in), asynchronous, target, optional :: from2, from3, from4, from5, from6, from7, from8
        type(*), dimension(..), intent(inout), asynchronous, target, optional :: to2, to3, to4, to5, to6, to7, to8
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(field_list) :: list
        type(c_ptr) :: made
        made = c_null_ptr
        call add_pair(list, from1, to1)
        call add_pair(list, from2, to2)
        call add_pair(list, from3, to3)
        call add_pair(list, from4, to4)
        call add_pair(list, from5, to5)
        call add_pair(list, from6, to6)
        call add_pair(list, from7, to7)
        call add_pair(list, from8, to8)
        call tell_of(self, list, "distview_migration_plan%start")
        if (list%status == distview_success) &
            list%status = c_migration_plan_start(self%handle, int(list%count, c_int), list%fields, made)
        if (list%status == distview_success) then
            call exchange%release()
            exchange%handle = made
        end if
        call settle(list%status, stat, errmsg)
    end subroutine

    subroutine add_pair(list, from, to)
        type(field_list), intent(inout) :: list
        type(*), dimension(..), intent(in), asynchronous, optional :: from, to
        type(distview_memory) :: source, target
        integer(c_int32_t) :: elements(2)
        if (list%status /= distview_success .or. .not. (present(from) .or. present(to))) return
        list%count = list%count + 1
        if (.not. (present(from) .and. present(to))) then
            list%status = failure(distview_usage_error, "distview_migration_plan: expected an array to move and one to write, " // &
                                  "got a missing or unallocated array in pair " // decimal(list%count))
            return
        end if
        call c_describe_array(from, source)
        call c_describe_array(to, target)
        if (max(source%rank, target%rank) > distview_max_rank) then
            list%status = failure(distview_shape_error, "distview_migration_plan: expected arrays of at most " // &
                                  decimal(distview_max_rank) // " dimensions, got more in pair " // decimal(list%count))
            return
        end if
        if (.not. (is_packed(source) .and. is_packed(target))) then
            list%status = failure(distview_shape_error, "distview_migration_plan: expected contiguous elements, got " // &
                                  "elements with gaps in pair " // decimal(list%count))
            return
        end if
        if (min(source%element, target%element) < 0 .or. max(bytes_of(source), bytes_of(target)) >= 2_c_int64_t**24) then
            list%status = failure(distview_shape_error, "distview_migration_plan: expected elements of less than 16 MiB, got " // &
                                  "larger ones in pair " // decimal(list%count))
            return
        end if
        elements = [element_of(source), element_of(target)]
        if (elements(1) /= elements(2)) then
            list%status = failure(distview_shape_error, "distview_migration_plan: expected arrays of one element type, got " // &
                                  "two types in pair " // decimal(list%count))
            return
        end if
        associate (field => list%fields(list%count))
            field%element = elements(1)
            field%from = source%data
            field%to = target%data
            field%from_count = length_of(source)
            field%to_count = length_of(target)
        end associate
    end subroutine

    ! All axes except the last one form an element; the last axis is C's first one.
    pure integer(c_int32_t) function element_of(memory) result(element)
        type(distview_memory), intent(in) :: memory
        element = memory%element
        if (memory%rank > 1) element = distview_opaque + int(bytes_of(memory), c_int32_t)
    end function

    pure integer(c_int64_t) function bytes_of(memory)
        type(distview_memory), intent(in) :: memory
        bytes_of = mod(memory%element, 2**24)
        if (memory%rank > 1) bytes_of = bytes_of * product(memory%extents(2:min(memory%rank, distview_max_rank)))
    end function

    pure integer(c_int64_t) function length_of(memory)
        type(distview_memory), intent(in) :: memory
        length_of = 1
        if (memory%rank > 0) length_of = memory%extents(1)
    end function

    ! Tells the other ranks about an error on this rank.
    subroutine tell_of(self, list, name)
        type(distview_migration_plan), intent(in) :: self
        type(field_list), intent(inout) :: list
        character(*), intent(in) :: name
        if (.not. c_associated(self%handle)) then
            list%status = failure(distview_usage_error, name // ": expected a plan, got one that was not created")
        else if (list%status /= distview_success) then
            list%status = tell_others(self%comm, name, list%status)
        end if
    end subroutine

    ! Whether the plan is still usable: false if an execution was abandoned or failed, as far as this rank knows.
    logical function migration_plan_is_usable(self, stat, errmsg) result(is_usable)
        class(distview_migration_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: answer
        answer = 0
        call settle(c_migration_plan_is_usable(self%handle, answer), stat, errmsg)
        is_usable = answer /= 0
    end function

    ! Bytes of buffers and tables for the element types used so far.
    integer(int64) function migration_plan_workspace_bytes(self, stat, errmsg) result(bytes)
        class(distview_migration_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: answer
        answer = 0
        call settle(c_migration_plan_workspace_bytes(self%handle, answer), stat, errmsg)
        bytes = answer
    end function

    ! Numbers of elements and transports of this process, as text.
    function migration_plan_describe(self, stat, errmsg) result(text)
        class(distview_migration_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(:), allocatable :: text
        text = described(c_migration_plan_describe, self%handle, stat, errmsg)
    end function

    subroutine migration_plan_release(self)
        class(distview_migration_plan), intent(inout) :: self
        if (c_associated(self%handle)) call c_migration_plan_release(self%handle)
        self%handle = c_null_ptr
        call drop_communicator(self%comm)
    end subroutine

    impure elemental subroutine migration_plan_assign(self, other)
        class(distview_migration_plan), intent(inout) :: self
        type(distview_migration_plan), intent(in) :: other
        type(distview_communicator), pointer :: comm
        type(c_ptr) :: same
        same = c_migration_plan_retain(other%handle)
        comm => null()
        call keep_communicator(comm, other%comm)
        call self%release()
        self%handle = same
        self%comm => comm
    end subroutine

    impure elemental subroutine migration_plan_final(self)
        type(distview_migration_plan), intent(inout) :: self
        call self%release()
    end subroutine
end module
