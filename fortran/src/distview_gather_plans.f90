! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_gather_plans: reusable plans for elements by global numbers. Programs use module distview.
module distview_gather_plans
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64
    use distview_arrays, only: check_values
    use distview_base
    use distview_communicators
    use distview_exchanges
    use distview_index_lists
    use distview_layouts
    use distview_memories
    use distview_plain_arrays
    implicit none
    private

    ! Copies the elements of a list to this rank, or combines this rank's values with them.
    !
    ! The plan identifies plain arrays by address, as distview_padding_plan does.
    type, public :: distview_gather_plan
        type(c_ptr) :: handle = c_null_ptr ! of the C face
        type(plain_arrays), private :: plain
    contains
        procedure :: create => gather_plan_create
        procedure :: gather => gather_plan_gather
        procedure :: start => gather_plan_start
        procedure :: combine => gather_plan_combine
        procedure :: size => gather_plan_size
        procedure :: forget => gather_plan_forget
        procedure :: describe => gather_plan_describe
        procedure :: release => gather_plan_release
        procedure, private :: gather_plan_assign
        generic :: assignment(=) => gather_plan_assign
        final :: gather_plan_final
    end type

    interface
        integer(c_int) function c_gather_plan_create(comm, layout, list, result) &
            bind(C, name="distview_gather_plan_create")
            import :: c_int, c_ptr
            type(c_ptr), value :: comm, layout, list
            type(c_ptr), intent(inout) :: result
        end function
        function c_gather_plan_retain(plan) bind(C, name="distview_gather_plan_retain") result(same)
            import :: c_ptr
            type(c_ptr), value :: plan
            type(c_ptr) :: same
        end function
        subroutine c_gather_plan_release(plan) bind(C, name="distview_gather_plan_release")
            import :: c_ptr
            type(c_ptr), value :: plan
        end subroutine
        integer(c_int) function c_gather_plan_size(plan, size) bind(C, name="distview_gather_plan_size")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan
            integer(c_int64_t), intent(inout) :: size
        end function
        integer(c_int) function c_gather_plan_describe(plan, text, capacity, length) &
            bind(C, name="distview_gather_plan_describe")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan, text
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), intent(inout) :: length
        end function
        integer(c_int) function c_gather_plan_execute(plan, array, count, values) &
            bind(C, name="distview_gather_plan_execute")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan, array, values
            integer(c_int64_t), value :: count
        end function
        integer(c_int) function c_gather_plan_start(plan, array, count, values, result) &
            bind(C, name="distview_gather_plan_start")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan, array, values
            integer(c_int64_t), value :: count
            type(c_ptr), intent(inout) :: result
        end function
        integer(c_int) function c_gather_plan_combine(plan, operation, count, values, array) &
            bind(C, name="distview_gather_plan_combine")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan, array, values
            integer(c_int), value :: operation
            integer(c_int64_t), value :: count
        end function
    end interface

contains

    ! A plan for arrays of a layout. Each rank passes its own list, which is copied. `moving`: as in
    ! distview_padding_plan.
    !
    ! Collective: over comm
    ! Errors:     distview_usage_error if an element has no owner, or the list has another number of axes (on all ranks)
    subroutine gather_plan_create(self, comm, layout, list, moving, stat, errmsg)
        class(distview_gather_plan), intent(inout) :: self
        type(distview_communicator), intent(in) :: comm
        type(distview_layout), intent(in) :: layout
        type(distview_index_list), intent(in) :: list
        logical, intent(in), optional :: moving
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_ptr) :: made
        integer(c_int) :: status
        made = c_null_ptr
        status = c_gather_plan_create(comm%handle, layout%handle, list%handle, made)
        if (status == distview_success) then
            call self%release()
            self%handle = made
            call begin_one(self%plain, comm, layout, moving)
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! values(k) = element k of this rank's list, taken from `u`, for all elements.
    !
    ! Collective: over the plan's communicator
    ! Shapes:     elements of 1, 2, 4, 8 or 16 bytes, at strides of whole elements; contiguous values
    ! Errors:     distview_shape_error if the numbers of values and elements differ, or `u` is not of the plan's layout
    subroutine gather_plan_gather(self, u, values, stat, errmsg)
        class(distview_gather_plan), intent(inout) :: self
        type(*), dimension(..), intent(in), asynchronous :: u
        type(*), dimension(..), intent(inout), asynchronous :: values
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_memory) :: memory
        integer(c_int) :: status
        call c_describe_array(values, memory)
        call describe_field(self%plain, u)
        status = prepare(self, memory, "distview_gather_plan%gather")
        if (status == distview_success) &
            status = c_gather_plan_execute(self%handle, self%plain%handles(1), count_of(memory), memory%data)
        call settle(status, stat, errmsg)
    end subroutine

    ! Begins a gather; exchange%finish() ends it. Until then the program must not write `u`, nor access `values`; both must
    ! be targets.
    !
    ! Collective: over the plan's communicator
    ! Errors:     those of gather; distview_usage_error if an execution of the plan is in flight
    subroutine gather_plan_start(self, exchange, u, values, stat, errmsg)
        class(distview_gather_plan), intent(inout) :: self
        type(distview_exchange), intent(inout) :: exchange
        type(*), dimension(..), intent(in), asynchronous :: u
        type(*), dimension(..), intent(inout), asynchronous :: values
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_memory) :: memory
        type(c_ptr) :: made
        integer(c_int) :: status
        made = c_null_ptr
        call c_describe_array(values, memory)
        call describe_field(self%plain, u)
        status = prepare(self, memory, "distview_gather_plan%start")
        if (status == distview_success) &
            status = c_gather_plan_start(self%handle, self%plain%handles(1), count_of(memory), memory%data, made)
        if (status == distview_success) then
            call exchange%release()
            exchange%handle = made
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! Element k of the list = op(element, values(k)), for all values of all ranks, by ascending rank and within a rank in
    ! the list's order. The order does not depend on the transport, so the bits of the result do not, either.
    !
    ! Collective: over the plan's communicator; all ranks pass the same operation
    ! Errors:     those of gather; distview_shape_error if elements are not numbers
    subroutine gather_plan_combine(self, operation, values, u, stat, errmsg)
        class(distview_gather_plan), intent(inout) :: self
        integer, intent(in) :: operation
        type(*), dimension(..), intent(in), asynchronous :: values
        type(*), dimension(..), intent(inout), asynchronous :: u
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_memory) :: memory
        integer(c_int) :: status
        call c_describe_array(values, memory)
        call describe_field(self%plain, u)
        status = prepare(self, memory, "distview_gather_plan%combine")
        if (status == distview_success) &
            status = c_gather_plan_combine(self%handle, int(operation, c_int), count_of(memory), memory%data, &
                                           self%plain%handles(1))
        call settle(status, stat, errmsg)
    end subroutine

    ! The handle of the described array. Checks that the values have its type.
    integer(c_int) function prepare(self, values, name) result(status)
        class(distview_gather_plan), intent(inout) :: self
        type(distview_memory), intent(in) :: values
        character(*), intent(in) :: name
        status = resolve_fields(self%plain, name, self%handle)
        if (status == distview_success) &
            status = check_values(values, self%plain%fields(1)%element, self%plain%comm, name)
    end function

    ! Number of elements in this rank's list.
    integer(int64) function gather_plan_size(self, stat, errmsg) result(elements)
        class(distview_gather_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: answer
        answer = 0
        call settle(c_gather_plan_size(self%handle, answer), stat, errmsg)
        elements = answer
    end function

    ! Forgets all arrays used so far.
    !
    ! Collective: no, but all ranks forget at the same place between executions
    subroutine gather_plan_forget(self)
        class(distview_gather_plan), intent(inout) :: self
        call forget_known(self%plain)
    end subroutine

    function gather_plan_describe(self, stat, errmsg) result(text)
        class(distview_gather_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(:), allocatable :: text
        text = described(c_gather_plan_describe, self%handle, stat, errmsg)
    end function

    subroutine gather_plan_release(self)
        class(distview_gather_plan), intent(inout) :: self
        if (c_associated(self%handle)) call c_gather_plan_release(self%handle)
        self%handle = c_null_ptr
        call end_plain(self%plain)
    end subroutine

    impure elemental subroutine gather_plan_assign(self, other)
        class(distview_gather_plan), intent(inout) :: self
        type(distview_gather_plan), intent(in) :: other
        type(c_ptr) :: same
        same = c_gather_plan_retain(other%handle)
        if (c_associated(self%handle)) call c_gather_plan_release(self%handle)
        self%handle = same
        call same_plain(self%plain, other%plain)
    end subroutine

    impure elemental subroutine gather_plan_final(self)
        type(distview_gather_plan), intent(inout) :: self
        call self%release()
    end subroutine
end module
