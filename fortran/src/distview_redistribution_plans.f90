! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_redistribution_plans: moves elements from one layout to any other. Programs use module distview.
module distview_redistribution_plans
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64
    use distview_axes
    use distview_base
    use distview_communicators
    use distview_exchanges
    use distview_layouts
    use distview_memories
    use distview_other_programs
    use distview_plain_arrays
    implicit none
    private

    ! A reusable plan that moves elements from one layout to any other.
    !
    ! The plan identifies plain arrays by address, as distview_padding_plan does. A rank that is not a process of a grid
    ! leaves out its section. A rank whose section has no cells may leave it out if it passes the other array, which
    ! determines the element type.
    type, public :: distview_redistribution_plan
        type(c_ptr) :: handle = c_null_ptr ! of the C face
        type(plain_arrays), private :: plain
    contains
        procedure :: create => redistribution_plan_create
        procedure :: create_between => redistribution_plan_create_between
        procedure :: execute => redistribution_plan_execute
        procedure :: start => redistribution_plan_start
        procedure :: execute_scaled => redistribution_plan_execute_scaled
        procedure :: combine => redistribution_plan_combine
        procedure :: forget => redistribution_plan_forget
        procedure :: workspace_bytes => redistribution_plan_workspace_bytes
        procedure :: describe => redistribution_plan_describe
        procedure :: release => redistribution_plan_release
        procedure, private :: redistribution_plan_assign
        generic :: assignment(=) => redistribution_plan_assign
        final :: redistribution_plan_final
    end type

    type, bind(C) :: c_redistribution_options
        type(c_ptr) :: permutation = c_null_ptr, from_slice = c_null_ptr, to_slice = c_null_ptr
        type(c_ptr) :: from_ranks = c_null_ptr, to_ranks = c_null_ptr
        integer(c_int64_t) :: buffer_bytes = 0
        integer(c_int32_t) :: allow_missing_indices = 0, fill_padding = 0, conjugate = 0, in_place = 0
    end type

    interface
        integer(c_int) function c_redistribution_plan_create(comm, from, to, options, result) &
            bind(C, name="distview_redistribution_plan_create")
            import :: c_int, c_ptr, c_redistribution_options
            type(c_ptr), value :: comm, from, to
            type(c_redistribution_options), intent(in) :: options
            type(c_ptr), intent(inout) :: result
        end function
        integer(c_int) function c_other_program_plan(other, sends, mine, options, result) &
            bind(C, name="distview_other_program_plan")
            import :: c_int, c_ptr, c_redistribution_options
            type(c_ptr), value :: other, mine
            integer(c_int), value :: sends
            type(c_redistribution_options), intent(in) :: options
            type(c_ptr), intent(inout) :: result
        end function
        function c_redistribution_plan_retain(plan) bind(C, name="distview_redistribution_plan_retain") result(same)
            import :: c_ptr
            type(c_ptr), value :: plan
            type(c_ptr) :: same
        end function
        subroutine c_redistribution_plan_release(plan) bind(C, name="distview_redistribution_plan_release")
            import :: c_ptr
            type(c_ptr), value :: plan
        end subroutine
        integer(c_int) function c_redistribution_plan_execute(plan, source, target) &
            bind(C, name="distview_redistribution_plan_execute")
            import :: c_int, c_ptr
            type(c_ptr), value :: plan, source, target
        end function
        integer(c_int) function c_redistribution_plan_start(plan, source, target, result) &
            bind(C, name="distview_redistribution_plan_start")
            import :: c_int, c_ptr
            type(c_ptr), value :: plan, source, target
            type(c_ptr), intent(inout) :: result
        end function
        integer(c_int) function c_redistribution_plan_execute_scaled(plan, alpha, source, beta, target) &
            bind(C, name="distview_redistribution_plan_execute_scaled")
            import :: c_int, c_ptr
            type(c_ptr), value :: plan, alpha, source, beta, target
        end function
        integer(c_int) function c_redistribution_plan_combine(plan, operation, source, target) &
            bind(C, name="distview_redistribution_plan_combine")
            import :: c_int, c_ptr
            type(c_ptr), value :: plan, source, target
            integer(c_int), value :: operation
        end function
        integer(c_int) function c_redistribution_plan_workspace_bytes(plan, bytes) &
            bind(C, name="distview_redistribution_plan_workspace_bytes")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan
            integer(c_int64_t), intent(inout) :: bytes
        end function
        integer(c_int) function c_redistribution_plan_describe(plan, text, capacity, length) &
            bind(C, name="distview_redistribution_plan_describe")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan, text
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), intent(inout) :: length
        end function
    end interface

contains

    ! By default every interior cell moves to the cell with the same global numbers.
    !
    ! permutation           axis d of the target is axis permutation(d) of the source: [2, 1] transposes
    ! from_slice, to_slice  cells of the source and of the target, one slice for each axis
    ! from_ranks, to_ranks  the ranks of processes 0, 1, ... of a grid; by default process p is rank p
    ! buffer_bytes          in place: upper limit for a rank's buffers (some memory is needed); 0: the library chooses
    ! allow_missing_indices whether cells of the target may be missing in the source; these keep their values
    ! fill_padding          whether to write also target padding that mirrors cells
    ! conjugate             whether to conjugate complex elements on the way
    ! in_place              whether source and target may share memory
    ! moving                as in distview_padding_plan
    !
    ! Collective: over comm; all ranks pass the same arguments
    ! Errors:     distview_layout_error if numbers of axes differ, `permutation` is not a permutation, slices do not fit,
    !             or an index of the target is not in the source; distview_usage_error if a grid has more processes than
    !             comm has ranks
    subroutine redistribution_plan_create(self, comm, from, to, permutation, from_slice, to_slice, from_ranks, to_ranks, &
                                          buffer_bytes, allow_missing_indices, fill_padding, conjugate, in_place, &
                                          moving, stat, errmsg)
        class(distview_redistribution_plan), intent(inout) :: self
        type(distview_communicator), intent(in) :: comm
        type(distview_layout), intent(in) :: from, to
        integer, intent(in), optional :: permutation(:), from_ranks(:), to_ranks(:)
        type(distview_slice), intent(in), optional :: from_slice(:), to_slice(:)
        integer(int64), intent(in), optional :: buffer_bytes
        logical, intent(in), optional :: allow_missing_indices, fill_padding, conjugate, in_place, moving
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_redistribution_options) :: options
        integer(c_int), allocatable, target :: axes(:), source_ranks(:), target_ranks(:)
        type(c_slice), allocatable, target :: source_slices(:), target_slices(:)
        type(distview_layout) :: layouts(2)
        type(c_ptr) :: made
        integer(c_int) :: status
        made = c_null_ptr
        status = distview_success
        if (c_associated(from%handle) .and. c_associated(to%handle)) then ! else the C face reports the error
            call expect("axes of a permutation", axes_of(to%handle), status, permutation)
            call expect("ranks of the source", processes_of(from), status, from_ranks)
            call expect("ranks of the target", processes_of(to), status, to_ranks)
            if (present(from_slice)) call expect_count("slices of the source", axes_of(from%handle), size(from_slice), status)
            if (present(to_slice)) call expect_count("slices of the target", axes_of(to%handle), size(to_slice), status)
        end if
        if (present(permutation)) then
            axes = c_permutation(permutation)
            options%permutation = c_loc(axes)
        end if
        if (present(from_slice)) then
            source_slices = c_slices(from_slice)
            options%from_slice = c_loc(source_slices)
        end if
        if (present(to_slice)) then
            target_slices = c_slices(to_slice)
            options%to_slice = c_loc(target_slices)
        end if
        if (present(from_ranks)) then
            source_ranks = int(from_ranks, c_int)
            options%from_ranks = c_loc(source_ranks)
        end if
        if (present(to_ranks)) then
            target_ranks = int(to_ranks, c_int)
            options%to_ranks = c_loc(target_ranks)
        end if
        if (present(buffer_bytes)) options%buffer_bytes = buffer_bytes
        if (present(allow_missing_indices)) options%allow_missing_indices = merge(1, 0, allow_missing_indices)
        if (present(fill_padding)) options%fill_padding = merge(1, 0, fill_padding)
        if (present(conjugate)) options%conjugate = merge(1, 0, conjugate)
        if (present(in_place)) options%in_place = merge(1, 0, in_place)
        if (status == distview_success) then
            status = c_redistribution_plan_create(comm%handle, from%handle, to%handle, options, made)
        else
            status = tell_others(comm, "distview_redistribution_plan", status)
        end if
        if (status == distview_success) then
            call self%release()
            self%handle = made
            layouts(1) = from
            layouts(2) = to
            call begin_plain(self%plain, comm, layouts, [process_of(comm, from, from_ranks), &
                                                         process_of(comm, to, to_ranks)], moving)
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! A plan that moves elements to another program (`sends`), or from it. Each program passes the layout of its own
    ! array, with one process for each of its ranks: process p is rank p of the intercommunicator's local group. In
    ! executions a program passes only its own array. Options as in create; both programs pass the same options. If arrays
    ! move, all ranks of a program call forget at the same place: the programs do not agree on new arrays.
    !
    ! Collective: over both programs
    ! Errors:     distview_usage_error if both programs send, or both receive; those of create (on all ranks); a layout
    !             with a wrong number of processes is an error of that rank, and the other ranks get an error, since that
    !             rank does not join their call
    subroutine redistribution_plan_create_between(self, other, sends, mine, permutation, from_slice, to_slice, &
                                                  allow_missing_indices, fill_padding, conjugate, stat, errmsg)
        class(distview_redistribution_plan), intent(inout) :: self
        type(distview_other_program), intent(in) :: other
        logical, intent(in) :: sends
        type(distview_layout), intent(in) :: mine
        integer, intent(in), optional :: permutation(:)
        type(distview_slice), intent(in), optional :: from_slice(:), to_slice(:)
        logical, intent(in), optional :: allow_missing_indices, fill_padding, conjugate
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_redistribution_options) :: options
        integer(c_int), allocatable, target :: axes(:)
        type(c_slice), allocatable, target :: source_slices(:), target_slices(:)
        type(distview_layout) :: layouts(2)
        type(distview_communicator) :: both
        type(c_ptr) :: made
        integer(c_int) :: status, ranks, rank, others
        made = c_null_ptr
        rank = -1
        status = c_other_program_sizes(other%handle, ranks, rank, others)
        if (status == distview_success) then
            both = other%communicator()
            call expect("axes of a permutation", axes_of(mine%handle), status, permutation)
            if (present(from_slice)) call expect_count("slices of the source", axes_of(mine%handle), size(from_slice), status)
            if (present(to_slice)) call expect_count("slices of the target", axes_of(mine%handle), size(to_slice), status)
            if (status /= distview_success) status = tell_others(both, "distview_redistribution_plan", status)
        end if
        if (present(permutation)) then
            axes = c_permutation(permutation)
            options%permutation = c_loc(axes)
        end if
        if (present(from_slice)) then
            source_slices = c_slices(from_slice)
            options%from_slice = c_loc(source_slices)
        end if
        if (present(to_slice)) then
            target_slices = c_slices(to_slice)
            options%to_slice = c_loc(target_slices)
        end if
        if (present(allow_missing_indices)) options%allow_missing_indices = merge(1, 0, allow_missing_indices)
        if (present(fill_padding)) options%fill_padding = merge(1, 0, fill_padding)
        if (present(conjugate)) options%conjugate = merge(1, 0, conjugate)
        if (status == distview_success) &
            status = c_other_program_plan(other%handle, merge(1_c_int, 0_c_int, sends), mine%handle, options, made)
        if (status == distview_success) then
            call self%release()
            self%handle = made
            layouts(1) = mine
            layouts(2) = mine
            call begin_plain(self%plain, both, layouts, [merge(int(rank), -1, sends), merge(-1, int(rank), sends)])
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! Checks that a list has `count` numbers.
    subroutine expect(what, count, status, numbers)
        character(*), intent(in) :: what
        integer, intent(in) :: count
        integer(c_int), intent(inout) :: status
        integer, intent(in), optional :: numbers(:)
        if (present(numbers)) call expect_count(what, count, size(numbers), status)
    end subroutine

    subroutine expect_count(what, count, got, status)
        character(*), intent(in) :: what
        integer, intent(in) :: count, got
        integer(c_int), intent(inout) :: status
        if (got /= count .and. status == distview_success) &
            status = failure(distview_layout_error, "distview_redistribution_plan: expected " // decimal(count) // " " // &
                             what // ", got " // decimal(got))
    end subroutine

    integer function processes_of(layout)
        type(distview_layout), intent(in) :: layout
        integer :: stat
        processes_of = layout%process_count(stat)
    end function

    ! The process of a grid on this rank; -1: none.
    integer function process_of(comm, layout, ranks) result(process)
        type(distview_communicator), intent(in) :: comm
        type(distview_layout), intent(in) :: layout
        integer, intent(in), optional :: ranks(:)
        if (present(ranks)) then
            process = findloc(ranks, comm%rank(), 1) - 1
        else
            process = merge(comm%rank(), -1, comm%rank() < layout%process_count())
        end if
    end function

    ! target = source. Both have the same element type, of 1, 2, 4, 8 or 16 bytes.
    !
    ! Collective: over the plan's communicator
    ! Cost:       no allocation for arrays used before
    ! Errors:     distview_shape_error if an array is not of the plan's layout, or element types differ;
    !             distview_usage_error if source and target share memory and the plan is not in place (on all ranks)
    subroutine redistribution_plan_execute(self, source, target, stat, errmsg)
        class(distview_redistribution_plan), intent(inout) :: self
        type(*), dimension(..), intent(in), asynchronous, optional :: source
        type(*), dimension(..), intent(inout), asynchronous, optional :: target
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        call describe_sections(self%plain, source, target)
        status = resolve_fields(self%plain, "distview_redistribution_plan%execute", self%handle)
        if (status == distview_success) &
            status = c_redistribution_plan_execute(self%handle, self%plain%handles(1), self%plain%handles(2))
        call settle(status, stat, errmsg)
    end subroutine

    ! Begins an execution; `exchange` ends it. Until then the program must not write the source, nor read or write the
    ! target array. Both must have the attribute target, and be asynchronous.
    !
    ! Collective: over the plan's communicator
    ! Cost:       no allocation for arrays used before
    ! Errors:     those of execute; distview_usage_error if an execution of the plan is in flight or was abandoned (on all
    !             ranks)
    subroutine redistribution_plan_start(self, exchange, source, target, stat, errmsg)
        class(distview_redistribution_plan), intent(inout) :: self
        type(distview_exchange), intent(inout) :: exchange
        type(*), dimension(..), intent(in), asynchronous, target, optional :: source ! addresses are kept
        type(*), dimension(..), intent(inout), asynchronous, target, optional :: target
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_ptr) :: made
        integer(c_int) :: status
        made = c_null_ptr
        call describe_sections(self%plain, source, target)
        status = resolve_fields(self%plain, "distview_redistribution_plan%start", self%handle)
        if (status == distview_success) &
            status = c_redistribution_plan_start(self%handle, self%plain%handles(1), self%plain%handles(2), made)
        if (status == distview_success) then
            call exchange%release()
            exchange%handle = made
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! target = beta * target + alpha * source; alpha and beta have the element type: integers, real or complex numbers.
    ! With beta = 0 the target is not read.
    !
    ! Collective: over the plan's communicator; all ranks pass the same values
    ! Errors:     those of execute; distview_shape_error for factors of another type than the elements
    subroutine redistribution_plan_execute_scaled(self, alpha, source, beta, target, stat, errmsg)
        class(distview_redistribution_plan), intent(inout) :: self
        type(*), dimension(..), intent(in), asynchronous :: alpha, beta
        type(*), dimension(..), intent(in), asynchronous, optional :: source
        type(*), dimension(..), intent(inout), asynchronous, optional :: target
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(*), parameter :: name = "distview_redistribution_plan%execute_scaled"
        type(distview_memory) :: factors(2)
        integer(c_int) :: status
        integer :: i
        call c_describe_array(alpha, factors(1))
        call c_describe_array(beta, factors(2))
        call describe_sections(self%plain, source, target)
        status = resolve_fields(self%plain, name, self%handle)
        do i = 1, 2
            if (status /= distview_success .or. self%plain%is_absent(i)) cycle
            if (all(factors%element == self%plain%fields(i)%element)) cycle
            status = failure(distview_shape_error, name // ": expected alpha and beta of the element type, of " // &
                             bytes_of(self%plain%fields(i)) // " bytes, got types of " // bytes_of(factors(1)) // &
                             " and " // bytes_of(factors(2)) // " bytes")
            status = tell_others(self%plain%comm, name, status)
        end do
        if (status == distview_success) &
            status = c_redistribution_plan_execute_scaled(self%handle, factors(1)%data, self%plain%handles(1), &
                                                          factors(2)%data, self%plain%handles(2))
        call settle(status, stat, errmsg)
    end subroutine

    ! target = op(target, source). If several processes of the source hold an index, every copy counts.
    !
    ! Collective: over the plan's communicator; all ranks pass the same operation
    ! Errors:     those of execute; distview_shape_error if elements are not numbers
    subroutine redistribution_plan_combine(self, operation, source, target, stat, errmsg)
        class(distview_redistribution_plan), intent(inout) :: self
        integer, intent(in) :: operation
        type(*), dimension(..), intent(in), asynchronous, optional :: source
        type(*), dimension(..), intent(inout), asynchronous, optional :: target
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        call describe_sections(self%plain, source, target)
        status = resolve_fields(self%plain, "distview_redistribution_plan%combine", self%handle)
        if (status == distview_success) &
            status = c_redistribution_plan_combine(self%handle, int(operation, c_int), self%plain%handles(1), &
                                                   self%plain%handles(2))
        call settle(status, stat, errmsg)
    end subroutine

    function bytes_of(memory) result(bytes)
        type(distview_memory), intent(in) :: memory
        character(:), allocatable :: bytes
        bytes = decimal(int(mod(memory%element, 2**24)))
    end function

    ! Ignores the section of a rank that is not a process of the grid.
    subroutine describe_sections(plain, source, target)
        type(plain_arrays), intent(inout) :: plain
        type(*), dimension(..), intent(in), asynchronous, optional :: source
        type(*), dimension(..), intent(in), asynchronous, optional :: target
        plain%field_count = 2
        plain%has_gap = .false.
        plain%is_absent = .true.
        plain%too_many = 0
        if (.not. associated(plain%processes)) return
        plain%is_absent(:2) = plain%processes < 0
        if (present(source)) call c_describe_array(source, plain%fields(1))
        if (present(target)) call c_describe_array(target, plain%fields(2))
        if (.not. present(source)) call leave_out(plain, 1, present(target))
        if (.not. present(target)) call leave_out(plain, 2, present(source))
    end subroutine

    ! By the language's rules, an unallocated array counts as left out: the other array determines its element type.
    subroutine leave_out(plain, number, has_other)
        type(plain_arrays), intent(inout) :: plain
        integer, intent(in) :: number
        logical, intent(in) :: has_other
        type(distview_memory) :: nothing
        if (plain%is_absent(number)) return
        nothing%rank = axes_of(plain%layouts(number)%handle)
        nothing%element = plain%fields(3 - number)%element
        plain%fields(number) = nothing
        if (.not. has_other) plain%has_gap = .true.
    end subroutine

    ! Forgets all arrays used so far.
    !
    ! Collective: no, but all ranks forget at the same place between executions
    subroutine redistribution_plan_forget(self)
        class(distview_redistribution_plan), intent(inout) :: self
        call forget_known(self%plain)
    end subroutine

    ! Bytes of buffers for the arrays used so far.
    integer(int64) function redistribution_plan_workspace_bytes(self, stat, errmsg) result(bytes)
        class(distview_redistribution_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: answer
        answer = 0
        call settle(c_redistribution_plan_workspace_bytes(self%handle, answer), stat, errmsg)
        bytes = answer
    end function

    function redistribution_plan_describe(self, stat, errmsg) result(text)
        class(distview_redistribution_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(:), allocatable :: text
        text = described(c_redistribution_plan_describe, self%handle, stat, errmsg)
    end function

    subroutine redistribution_plan_release(self)
        class(distview_redistribution_plan), intent(inout) :: self
        if (c_associated(self%handle)) call c_redistribution_plan_release(self%handle)
        self%handle = c_null_ptr
        call end_plain(self%plain)
    end subroutine

    impure elemental subroutine redistribution_plan_assign(self, other)
        class(distview_redistribution_plan), intent(inout) :: self
        type(distview_redistribution_plan), intent(in) :: other
        type(c_ptr) :: same
        same = c_redistribution_plan_retain(other%handle)
        if (c_associated(self%handle)) call c_redistribution_plan_release(self%handle)
        self%handle = same
        call same_plain(self%plain, other%plain)
    end subroutine

    impure elemental subroutine redistribution_plan_final(self)
        type(distview_redistribution_plan), intent(inout) :: self
        call self%release()
    end subroutine
end module
