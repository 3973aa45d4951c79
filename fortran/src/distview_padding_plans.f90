! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_padding_plans: padding exchanges and their adjoint. Programs use module distview.
module distview_padding_plans
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64
    use distview_arrays
    use distview_base
    use distview_c_layouts, only: c_layout_interior
    use distview_communicators
    use distview_exchanges
    use distview_layouts
    use distview_memories
    use distview_plain_arrays
    implicit none
    private

    ! A reusable plan that fills the padding of arrays from their owners' sections.
    !
    ! The plan identifies arrays by address, type, shape and strides. A new set of arrays costs agreements of all ranks;
    ! later uses of the set allocate nothing. A set must be new on all ranks or on none: a program that reallocates arrays
    ! between calls creates the plan with moving=.true.
    type, public :: distview_padding_plan
        type(c_ptr) :: handle = c_null_ptr ! of the C face
        type(plain_arrays), private :: plain
    contains
        procedure, private :: padding_plan_create, padding_plan_create_fields
        generic :: create => padding_plan_create, padding_plan_create_fields
        procedure :: exchange => padding_plan_exchange
        procedure :: exchange_memory => padding_plan_exchange_memory
        procedure :: exchange_arrays => padding_plan_exchange_arrays
        procedure :: require => padding_plan_require
        procedure :: require_memory => padding_plan_require_memory
        procedure :: require_arrays => padding_plan_require_arrays
        procedure :: mark_written => padding_plan_mark_written
        procedure :: mark_written_memory => padding_plan_mark_written_memory
        procedure :: set_label => padding_plan_set_label
        procedure :: start => padding_plan_start
        procedure :: start_memory => padding_plan_start_memory
        procedure :: combine => padding_plan_combine
        procedure :: apply => padding_plan_apply
        procedure :: forget => padding_plan_forget
        procedure :: is_usable => padding_plan_is_usable
        procedure :: workspace_bytes => padding_plan_workspace_bytes
        procedure :: describe => padding_plan_describe
        procedure :: release => padding_plan_release
        procedure, private :: padding_plan_assign
        generic :: assignment(=) => padding_plan_assign
        final :: padding_plan_final
    end type

    abstract interface
        ! Computes the cells lower(d) : upper(d) of a section along each axis d, in local numbers. stat is 0 at entry; the
        ! kernel sets it by distview_fail() if it fails.
        subroutine distview_kernel(lower, upper, stat)
            import :: int64
            integer(int64), intent(in) :: lower(:), upper(:)
            integer, intent(inout) :: stat
        end subroutine
    end interface
    public :: distview_kernel
    type :: kernel_call
        procedure(distview_kernel), pointer, nopass :: kernel => null()
        integer(c_int64_t) :: first(distview_max_rank) = 0 ! position of the first interior cell, C's order
    end type

    type, bind(C) :: c_padding_options
        type(c_ptr) :: widths = c_null_ptr
        integer(c_int32_t) :: stencil = 0, unused = 0
    end type

    interface
        integer(c_int) function c_padding_plan_create_fields(comm, count, layouts, options, result) &
            bind(C, name="distview_padding_plan_create_fields")
            import :: c_int, c_ptr, c_padding_options
            type(c_ptr), value :: comm
            integer(c_int), value :: count
            type(c_ptr), intent(in) :: layouts(*)
            type(c_padding_options), intent(in) :: options(*)
            type(c_ptr), intent(inout) :: result
        end function
        integer(c_int) function c_padding_plan_create(comm, layout, options, result) &
            bind(C, name="distview_padding_plan_create")
            import :: c_int, c_ptr, c_padding_options
            type(c_ptr), value :: comm, layout
            type(c_padding_options), intent(in) :: options
            type(c_ptr), intent(inout) :: result
        end function
        function c_padding_plan_retain(plan) bind(C, name="distview_padding_plan_retain") result(same)
            import :: c_ptr
            type(c_ptr), value :: plan
            type(c_ptr) :: same
        end function
        subroutine c_padding_plan_release(plan) bind(C, name="distview_padding_plan_release")
            import :: c_ptr
            type(c_ptr), value :: plan
        end subroutine
        integer(c_int) function c_padding_plan_execute(plan, count, arrays) &
            bind(C, name="distview_padding_plan_execute")
            import :: c_int, c_ptr
            type(c_ptr), value :: plan
            integer(c_int), value :: count
            type(c_ptr), intent(in) :: arrays(*)
        end function
        integer(c_int) function c_padding_plan_require(plan, low, high, count, arrays, exchanged) &
            bind(C, name="distview_padding_plan_require")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan
            integer(c_int64_t), value :: low, high
            integer(c_int), value :: count
            type(c_ptr), intent(in) :: arrays(*)
            integer(c_int), intent(inout) :: exchanged
        end function
        integer(c_int) function c_padding_plan_start(plan, count, arrays, result) &
            bind(C, name="distview_padding_plan_start")
            import :: c_int, c_ptr
            type(c_ptr), value :: plan
            integer(c_int), value :: count
            type(c_ptr), intent(in) :: arrays(*)
            type(c_ptr), intent(inout) :: result
        end function
        integer(c_int) function c_padding_plan_combine(plan, operation, count, arrays) &
            bind(C, name="distview_padding_plan_combine")
            import :: c_int, c_ptr
            type(c_ptr), value :: plan
            integer(c_int), value :: operation, count
            type(c_ptr), intent(in) :: arrays(*)
        end function
        integer(c_int) function c_padding_plan_apply(plan, count, arrays, kernel, user) &
            bind(C, name="distview_padding_plan_apply")
            import :: c_int, c_ptr, c_funptr
            type(c_ptr), value :: plan
            integer(c_int), value :: count
            type(c_ptr), intent(in) :: arrays(*)
            type(c_funptr), value :: kernel
            type(c_ptr), value :: user
        end function
        integer(c_int) function c_padding_plan_is_usable(plan, usable) &
            bind(C, name="distview_padding_plan_is_usable")
            import :: c_int, c_ptr
            type(c_ptr), value :: plan
            integer(c_int), intent(inout) :: usable
        end function
        integer(c_int) function c_padding_plan_workspace_bytes(plan, bytes) &
            bind(C, name="distview_padding_plan_workspace_bytes")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan
            integer(c_int64_t), intent(inout) :: bytes
        end function
        integer(c_int) function c_padding_plan_describe(plan, text, capacity, length) &
            bind(C, name="distview_padding_plan_describe")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan, text
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), intent(inout) :: length
        end function
    end interface

contains

    ! A plan for any number of fields of a layout. `widths(:, d)`: low and high width to fill along axis d; by default all
    ! padding. `stencil`: distview_box, or distview_faces for neighbours along one axis only. `moving`: ranks agree before
    ! every exchange whether arrays are new, which costs a few microseconds.
    !
    ! Collective: over comm; all ranks pass the same arguments
    ! Errors:     distview_layout_error if the widths do not fit the layout; distview_usage_error
    subroutine padding_plan_create(self, comm, layout, widths, stencil, moving, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        type(distview_communicator), intent(in) :: comm
        type(distview_layout), intent(in) :: layout
        integer, intent(in), optional :: widths(:, :), stencil
        logical, intent(in), optional :: moving
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_padding_options) :: options
        type(c_ptr) :: made
        integer(c_int64_t), target :: c_widths(2, distview_max_rank)
        type(distview_layout) :: layouts(1)
        integer(c_int) :: status
        integer :: n
        n = axes_of(layout%handle)
        layouts(1) = layout
        made = c_null_ptr
        status = distview_success
        if (present(stencil)) options%stencil = stencil
        if (present(widths)) then
            if (size(widths, 1) == 2 .and. size(widths, 2) == n) then
                c_widths(:, :n) = widths(:, n:1:-1)
                options%widths = c_loc(c_widths)
            else
                status = failure(distview_layout_error, "distview_padding_plan: expected 2 widths for each of " // &
                                 decimal(n) // " axes, got " // decimal(size(widths, 1)) // " for " // &
                                 decimal(size(widths, 2)))
            end if
        end if
        ! Other ranks reach the matching agreement inside the C face.
        if (status /= distview_success) then
            status = tell_others(comm, "distview_padding_plan", status)
        else
            status = c_padding_plan_create(comm%handle, layout%handle, options, made)
        end if
        if (status == distview_success) call take_plan(self, comm, layouts, made, moving)
        call settle(status, stat, errmsg)
    end subroutine

    ! A plan with one field per layout.
    !
    ! Collective: over comm; all ranks pass the same arguments
    subroutine padding_plan_create_fields(self, comm, layouts, stencil, moving, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        type(distview_communicator), intent(in) :: comm
        type(distview_layout), intent(in) :: layouts(:)
        integer, intent(in), optional :: stencil
        logical, intent(in), optional :: moving
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_padding_options) :: options(size(layouts))
        type(c_ptr) :: handles(size(layouts)), made
        integer(c_int) :: status
        integer :: i
        made = c_null_ptr
        do i = 1, size(layouts)
            handles(i) = layouts(i)%handle
            if (present(stencil)) options(i)%stencil = stencil
        end do
        status = c_padding_plan_create_fields(comm%handle, int(size(layouts), c_int), handles, options, made)
        if (status == distview_success) call take_plan(self, comm, layouts, made, moving)
        call settle(status, stat, errmsg)
    end subroutine

    subroutine take_plan(self, comm, layouts, made, moving)
        class(distview_padding_plan), intent(inout) :: self
        type(distview_communicator), intent(in) :: comm
        type(distview_layout), intent(in) :: layouts(:)
        type(c_ptr), intent(in) :: made
        logical, intent(in), optional :: moving
        integer :: i, process
        call self%release()
        self%handle = made
        process = comm%rank()
        call begin_plain(self%plain, comm, layouts, [(process, i=1, size(layouts))], moving)
    end subroutine

    ! Fills the padding of all fields together, with one message per neighbour. Element types may differ.
    !
    ! Collective: over the plan's communicator; all ranks pass the same arrays
    ! Touches:    reads owned elements near the section's border, writes padding
    ! Cost:       that of the C++ call and some 0.1 us; no allocation for a set used before
    ! Errors:     distview_shape_error if an array's shape is not that of the layout's section: if that is so on some
    !             ranks only, the others get a distview_usage_error that names the calls that did not match;
    !             distview_usage_error if an exchange of the plan is in flight or was abandoned (on all ranks);
    !             distview_mpi_error
    subroutine padding_plan_exchange(self, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, &
                                     f16, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        type(*), dimension(..), intent(inout), asynchronous :: f1
        type(*), dimension(..), intent(inout), asynchronous, optional :: f2, f3, f4, f5, f6, f7, f8, f9, &
            f10, f11, f12, f13, f14, f15, f16
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        call describe_fields(self%plain, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16)
        status = resolve_fields(self%plain, "distview_padding_plan%exchange", self%handle)
        if (status == distview_success) &
            status = c_padding_plan_execute(self%handle, self%plain%field_count, self%plain%handles)
        call settle(status, stat, errmsg)
    end subroutine

    ! The same with memory: at most 16 fields.
    !
    ! Collective: over the plan's communicator; all ranks pass the same memory
    subroutine padding_plan_exchange_memory(self, fields, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        type(distview_memory), intent(in) :: fields(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        call take_fields(self%plain, fields)
        status = resolve_fields(self%plain, "distview_padding_plan%exchange_memory", self%handle)
        if (status == distview_success) &
            status = c_padding_plan_execute(self%handle, self%plain%field_count, self%plain%handles)
        call settle(status, stat, errmsg)
    end subroutine

    ! The same with arrays that have handles: neighbours read arrays of distview_array%create() in place.
    !
    ! Collective: over the plan's communicator; all ranks pass the same arrays
    subroutine padding_plan_exchange_arrays(self, arrays, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        type(distview_array), intent(in) :: arrays(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_ptr) :: handles(size(arrays))
        integer :: i
        do i = 1, size(arrays)
            handles(i) = arrays(i)%handle
        end do
        call settle(c_padding_plan_execute(self%handle, int(size(arrays), c_int), handles), stat, errmsg)
    end subroutine

    ! Exchanges the fields whose padding is not valid to `depth`, on high sides to `depth_high` if present. The decision
    ! needs no communication. `exchanged`: whether a field was exchanged. docs/valid_padding.md explains it.
    !
    !     call plan%require(1, u, v)      ! exchanges both
    !     u = ...
    !     call plan%mark_written(u)       ! the library does not see what the program writes
    !     call plan%require(1, u, v)      ! exchanges u
    !
    ! The record of a plain array belongs to this plan (to this name of it): only its exchange and combine update it. Call
    ! mark_written after all other writes to the array, also by other plans, and after reallocation. For an array with a
    ! handle (require_arrays) all plans share one record.
    !
    ! Collective: over the plan's communicator; all ranks pass the same arguments, and have marked the same arrays
    ! Cost:       that of exchange, or some 0.1 us
    ! Errors:     distview_usage_error if the plan fills no side so deep; those of exchange
    subroutine padding_plan_require(self, depth, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, &
                                    f16, depth_high, exchanged, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        integer, intent(in) :: depth
        type(*), dimension(..), intent(inout), asynchronous :: f1
        type(*), dimension(..), intent(inout), asynchronous, optional :: f2, f3, f4, f5, f6, f7, f8, f9, &
            f10, f11, f12, f13, f14, f15, f16
        integer, intent(in), optional :: depth_high
        logical, intent(out), optional :: exchanged
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call describe_fields(self%plain, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16)
        call require_fields(self, "distview_padding_plan%require", depth, depth_high, exchanged, stat, errmsg)
    end subroutine

    ! The same with memory: at most 16 fields.
    !
    ! Collective: over the plan's communicator; all ranks pass the same arguments, and have marked the same memory
    subroutine padding_plan_require_memory(self, depth, fields, depth_high, exchanged, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        integer, intent(in) :: depth
        type(distview_memory), intent(in) :: fields(:)
        integer, intent(in), optional :: depth_high
        logical, intent(out), optional :: exchanged
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call take_fields(self%plain, fields)
        call require_fields(self, "distview_padding_plan%require_memory", depth, depth_high, exchanged, stat, errmsg)
    end subroutine

    subroutine require_fields(self, name, depth, depth_high, exchanged, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        character(*), intent(in) :: name
        integer, intent(in) :: depth
        integer, intent(in), optional :: depth_high
        logical, intent(out), optional :: exchanged
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        if (present(exchanged)) exchanged = .false.
        status = resolve_fields(self%plain, name, self%handle)
        if (status == distview_success) call require_handles(self%handle, self%plain%handles(:self%plain%field_count), &
                                                             status, depth, depth_high, exchanged)
        call settle(status, stat, errmsg)
    end subroutine

    ! The same with arrays that have handles: distview_array%valid_padding() returns the depth, mark_written reports a write.
    !
    ! Collective: over the plan's communicator; all ranks pass the same arguments, and have marked the same arrays
    subroutine padding_plan_require_arrays(self, depth, arrays, depth_high, exchanged, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        integer, intent(in) :: depth
        type(distview_array), intent(in) :: arrays(:)
        integer, intent(in), optional :: depth_high
        logical, intent(out), optional :: exchanged
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_ptr) :: handles(size(arrays))
        integer(c_int) :: status
        integer :: i
        do i = 1, size(arrays)
            handles(i) = arrays(i)%handle
        end do
        call require_handles(self%handle, handles, status, depth, depth_high, exchanged)
        call settle(status, stat, errmsg)
    end subroutine

    subroutine require_handles(plan, handles, status, depth, depth_high, exchanged)
        type(c_ptr), intent(in) :: plan, handles(:)
        integer(c_int), intent(out) :: status
        integer, intent(in) :: depth
        integer, intent(in), optional :: depth_high
        logical, intent(out), optional :: exchanged
        integer(c_int64_t) :: low, high
        integer(c_int) :: any_field
        low = depth
        high = low
        if (present(depth_high)) high = depth_high
        any_field = 0
        status = c_padding_plan_require(plan, low, high, int(size(handles), c_int), handles, any_field)
        if (present(exchanged)) exchanged = any_field /= 0
    end subroutine

    ! Reports that the program or another plan has written fields: none of their padding is valid any more.
    !
    ! Collective: no, but ranks that do not all call it get an error in the next require
    subroutine padding_plan_mark_written(self, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, &
                                         f16, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        type(*), dimension(..), intent(inout), asynchronous :: f1
        type(*), dimension(..), intent(inout), asynchronous, optional :: f2, f3, f4, f5, f6, f7, f8, f9, &
            f10, f11, f12, f13, f14, f15, f16
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call describe_fields(self%plain, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16)
        call settle(mark_known_written(self%plain, "distview_padding_plan%mark_written", self%handle), stat, errmsg)
    end subroutine

    ! Collective: as mark_written
    subroutine padding_plan_mark_written_memory(self, fields, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        type(distview_memory), intent(in) :: fields(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call take_fields(self%plain, fields)
        call settle(mark_known_written(self%plain, "distview_padding_plan%mark_written_memory", self%handle), stat, errmsg)
    end subroutine

    ! Sets a name for a plain array in messages of the checking mode (distview_set_check), in place of a number, until the
    ! plan forgets the array. Has no effect if the plan first used the array while the mode was off. If the plan has several
    ! layouts, the array must be a field of the first one.
    !
    ! Collective: no
    ! Errors:     distview_usage_error unless the plan has exchanged the array
    subroutine padding_plan_set_label(self, field, label, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        type(*), dimension(..), intent(inout), asynchronous :: field
        character(*), intent(in) :: label
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call describe_fields(self%plain, field)
        call settle(label_known(self%plain, "distview_padding_plan%set_label", self%handle, label), stat, errmsg)
    end subroutine

    ! Begins an exchange; `exchange` ends it. The fields must be targets, and asynchronous until then.
    !
    ! Collective: over the plan's communicator; all ranks pass the same arrays
    ! Errors:     those of exchange
    subroutine padding_plan_start(self, exchange, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, &
                                  f15, f16, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        type(distview_exchange), intent(inout) :: exchange
        type(*), dimension(..), intent(inout), asynchronous, target :: f1 ! addresses are kept
        type(*), dimension(..), intent(inout), asynchronous, target, optional :: f2, f3, f4, f5, f6, f7, f8, f9, &
            f10, f11, f12, f13, f14, f15, f16
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call describe_fields(self%plain, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16)
        call start_fields(self, "distview_padding_plan%start", exchange, stat, errmsg)
    end subroutine

    ! Collective: over the plan's communicator; all ranks pass the same memory
    subroutine padding_plan_start_memory(self, exchange, fields, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        type(distview_exchange), intent(inout) :: exchange
        type(distview_memory), intent(in) :: fields(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call take_fields(self%plain, fields)
        call start_fields(self, "distview_padding_plan%start_memory", exchange, stat, errmsg)
    end subroutine

    subroutine start_fields(self, name, exchange, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        character(*), intent(in) :: name
        type(distview_exchange), intent(inout) :: exchange
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_ptr) :: made
        integer(c_int) :: status
        made = c_null_ptr
        status = resolve_fields(self%plain, name, self%handle)
        if (status == distview_success) &
            status = c_padding_plan_start(self%handle, self%plain%field_count, self%plain%handles, made)
        if (status == distview_success) then
            call exchange%release()
            exchange%handle = made
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! Combines owned elements with their copies in padding: the adjoint of exchange. Padding keeps its values.
    ! `operation`: distview_sum, distview_minimum, distview_maximum or one from distview_operation_create().
    !
    ! Collective: over the plan's communicator; all ranks pass the same arguments
    ! Errors:     those of exchange; distview_shape_error if elements are not numbers
    subroutine padding_plan_combine(self, operation, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, &
                                    f14, f15, f16, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        integer, intent(in) :: operation
        type(*), dimension(..), intent(inout), asynchronous :: f1
        type(*), dimension(..), intent(inout), asynchronous, optional :: f2, f3, f4, f5, f6, f7, f8, f9, &
            f10, f11, f12, f13, f14, f15, f16
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        call describe_fields(self%plain, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16)
        status = resolve_fields(self%plain, "distview_padding_plan%combine", self%handle)
        if (status == distview_success) &
            status = c_padding_plan_combine(self%handle, int(operation, c_int), self%plain%field_count, &
                                            self%plain%handles)
        call settle(status, stat, errmsg)
    end subroutine

    ! Fills the padding of the fields and calls the kernel for all interior cells. Cells that need no padding are computed
    ! while elements of other ranks are in transit.
    !
    ! Collective: over the plan's communicator; all ranks pass the same arrays
    ! Shapes:     the kernel reads around a cell no further than the plan's widths; it writes none of the fields
    ! Errors:     those of exchange; the kernel's own error (on all ranks)
    subroutine padding_plan_apply(self, kernel, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, &
                                  f15, f16, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        procedure(distview_kernel) :: kernel
        type(*), dimension(..), intent(inout), asynchronous :: f1
        type(*), dimension(..), intent(inout), asynchronous, optional :: f2, f3, f4, f5, f6, f7, f8, f9, &
            f10, f11, f12, f13, f14, f15, f16
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(kernel_call), target :: user
        integer(c_int64_t) :: end(distview_max_rank)
        integer(c_int) :: status
        call describe_fields(self%plain, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16)
        status = resolve_fields(self%plain, "distview_padding_plan%apply", self%handle)
        user%kernel => kernel
        if (status == distview_success) &
            status = c_layout_interior(self%plain%layouts(1)%handle, self%plain%processes(1), user%first, end)
        if (status == distview_success) &
            status = c_padding_plan_apply(self%handle, self%plain%field_count, self%plain%handles, &
                                          c_funloc(call_kernel), c_loc(user))
        call settle(status, stat, errmsg)
    end subroutine

    integer(c_int) function call_kernel(rank, begin, end, user) bind(C, name="") result(status)
        integer(c_int), value :: rank
        integer(c_int64_t), intent(in) :: begin(rank), end(rank)
        type(c_ptr), value :: user
        type(kernel_call), pointer :: to
        integer :: stat
        call c_f_pointer(user, to)
        stat = distview_success
        call to%kernel(begin(rank:1:-1) - to%first(rank:1:-1) + 1, end(rank:1:-1) - to%first(rank:1:-1), stat)
        status = stat
    end function

    ! Forgets all arrays used so far.
    !
    ! Collective: no, but all ranks forget at the same place between exchanges
    subroutine padding_plan_forget(self)
        class(distview_padding_plan), intent(inout) :: self
        call forget_known(self%plain)
    end subroutine

    ! Whether the plan is still usable: false if an exchange was abandoned or failed, as far as this rank knows.
    logical function padding_plan_is_usable(self, stat, errmsg) result(is_usable)
        class(distview_padding_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: answer
        answer = 0
        call settle(c_padding_plan_is_usable(self%handle, answer), stat, errmsg)
        is_usable = answer /= 0
    end function

    ! Bytes of buffers for the sets of arrays used so far.
    integer(int64) function padding_plan_workspace_bytes(self, stat, errmsg) result(bytes)
        class(distview_padding_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: answer
        answer = 0
        call settle(c_padding_plan_workspace_bytes(self%handle, answer), stat, errmsg)
        bytes = answer
    end function

    ! Geometry, partners and transports of this process, as text.
    function padding_plan_describe(self, stat, errmsg) result(text)
        class(distview_padding_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(:), allocatable :: text
        text = described(c_padding_plan_describe, self%handle, stat, errmsg)
    end function

    subroutine padding_plan_release(self)
        class(distview_padding_plan), intent(inout) :: self
        if (c_associated(self%handle)) call c_padding_plan_release(self%handle)
        self%handle = c_null_ptr
        call end_plain(self%plain)
    end subroutine

    impure elemental subroutine padding_plan_assign(self, other)
        class(distview_padding_plan), intent(inout) :: self
        type(distview_padding_plan), intent(in) :: other
        type(c_ptr) :: same
        same = c_padding_plan_retain(other%handle)
        if (c_associated(self%handle)) call c_padding_plan_release(self%handle)
        self%handle = same
        call same_plain(self%plain, other%plain)
    end subroutine

    impure elemental subroutine padding_plan_final(self)
        type(distview_padding_plan), intent(inout) :: self
        call self%release()
    end subroutine
end module
