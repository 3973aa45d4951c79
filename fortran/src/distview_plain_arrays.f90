! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_plain_arrays: handles of the C face for plain arrays that are passed to plans. Programs use module
! distview.
module distview_plain_arrays
    use, intrinsic :: iso_c_binding
    use distview_base
    use distview_communicators
    use distview_layouts
    use distview_memories
    implicit none
    private
    public :: begin_plain, begin_one, same_plain, end_plain, forget_known
    public :: describe_fields, describe_field, take_fields, resolve_fields, mark_known_written, label_known

    ! At most `most_known` arrays are known: a plan keeps 32 sets of 16 fields.
    integer, parameter, public :: most_known = 512, most_fields = 16
    type :: known_array
        type(distview_memory) :: memory
        type(c_ptr) :: array = c_null_ptr
        integer :: layout = 1
    end type
    ! Field i is a section of layout i, or of the last layout; this rank is process processes(i) of its grid. begin_plain
    ! allocates the targets of the pointers and end_plain frees them: keep_communicator() says why pointers.
    type, public :: plain_arrays
        type(distview_communicator), pointer :: comm => null()
        type(distview_layout), pointer :: layouts(:) => null()
        integer(c_int), pointer :: processes(:) => null()
        logical :: moving = .false.
        ! The fields of one call: their descriptions and handles.
        type(distview_memory) :: fields(most_fields)
        logical :: is_absent(most_fields) = .false.
        type(c_ptr) :: handles(most_fields) = c_null_ptr
        integer :: field_count = 0
        logical :: has_gap = .false.
        integer :: too_many = 0 ! number of fields, if above most_fields
        type(known_array), pointer :: known(:) => null()
        integer :: count = 0
        integer :: next = 1
    end type

    interface
        integer(c_int) function c_array_borrow_local(comm, layout, process, memory, result) &
            bind(C, name="distview_array_borrow_local")
            import :: c_int, c_ptr, distview_memory
            type(c_ptr), value :: comm, layout
            integer(c_int), value :: process
            type(distview_memory), intent(in) :: memory
            type(c_ptr), intent(inout) :: result
        end function
        integer(c_int) function c_array_mark_written(array) bind(C, name="distview_array_mark_written")
            import :: c_int, c_ptr
            type(c_ptr), value :: array
        end function
        integer(c_int) function c_array_set_label(array, label) bind(C, name="distview_array_set_label")
            import :: c_char, c_int, c_ptr
            type(c_ptr), value :: array
            character(kind=c_char), intent(in) :: label(*)
        end function
        subroutine c_array_release(array) bind(C, name="distview_array_release")
            import :: c_ptr
            type(c_ptr), value :: array
        end subroutine
    end interface

contains

    subroutine begin_plain(plain, comm, layouts, processes, moving)
        type(plain_arrays), intent(inout) :: plain
        type(distview_communicator), intent(in) :: comm
        type(distview_layout), intent(in) :: layouts(:)
        integer, intent(in) :: processes(:)
        logical, intent(in), optional :: moving
        integer :: i
        call end_plain(plain)
        call keep_communicator(plain%comm, comm)
        allocate(plain%layouts(size(layouts)), plain%processes(size(processes)))
        do i = 1, size(layouts)
            plain%layouts(i) = layouts(i)
        end do
        plain%processes = int(processes, c_int)
        plain%moving = .false.
        if (present(moving)) plain%moving = moving
    end subroutine

    ! For one layout, with a communicator whose rank r is process r.
    subroutine begin_one(plain, comm, layout, moving)
        type(plain_arrays), intent(inout) :: plain
        type(distview_communicator), intent(in) :: comm
        type(distview_layout), intent(in) :: layout
        logical, intent(in), optional :: moving
        type(distview_layout) :: layouts(1)
        layouts(1) = layout
        call begin_plain(plain, comm, layouts, [comm%rank()], moving)
    end subroutine

    ! For another name of a plan, which keeps its own list of known arrays.
    subroutine same_plain(plain, other)
        type(plain_arrays), intent(inout) :: plain
        type(plain_arrays), intent(in) :: other
        type(distview_communicator) :: comm
        type(distview_layout), allocatable :: layouts(:)
        integer, allocatable :: processes(:)
        logical :: moving
        integer :: i
        if (.not. associated(other%layouts)) then
            call end_plain(plain)
            return
        end if
        comm = other%comm
        allocate(layouts(size(other%layouts)))
        do i = 1, size(layouts)
            layouts(i) = other%layouts(i)
        end do
        processes = other%processes
        moving = other%moving
        call begin_plain(plain, comm, layouts, processes, moving)
    end subroutine

    subroutine end_plain(plain)
        type(plain_arrays), intent(inout) :: plain
        call forget_known(plain)
        call drop_communicator(plain%comm)
        if (associated(plain%layouts)) deallocate(plain%layouts)
        if (associated(plain%processes)) deallocate(plain%processes)
        if (associated(plain%known)) deallocate(plain%known)
    end subroutine

    subroutine forget_known(plain)
        type(plain_arrays), intent(inout) :: plain
        integer :: i
        do i = 1, plain%count
            call c_array_release(plain%known(i)%array)
        end do
        plain%count = 0
        plain%next = 1
    end subroutine

    subroutine describe_fields(plain, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16)
        type(plain_arrays), intent(inout) :: plain
        type(*), dimension(..), intent(inout), asynchronous :: f1
        type(*), dimension(..), intent(inout), asynchronous, optional :: f2, f3, f4, f5, f6, f7, f8, f9, &
            f10, f11, f12, f13, f14, f15, f16
        plain%field_count = 1
        plain%has_gap = .false.
        plain%is_absent = .false.
        plain%too_many = 0
        call c_describe_array(f1, plain%fields(1))
        if (present(f2)) call add_field(plain, 2, f2)
        if (present(f3)) call add_field(plain, 3, f3)
        if (present(f4)) call add_field(plain, 4, f4)
        if (present(f5)) call add_field(plain, 5, f5)
        if (present(f6)) call add_field(plain, 6, f6)
        if (present(f7)) call add_field(plain, 7, f7)
        if (present(f8)) call add_field(plain, 8, f8)
        if (present(f9)) call add_field(plain, 9, f9)
        if (present(f10)) call add_field(plain, 10, f10)
        if (present(f11)) call add_field(plain, 11, f11)
        if (present(f12)) call add_field(plain, 12, f12)
        if (present(f13)) call add_field(plain, 13, f13)
        if (present(f14)) call add_field(plain, 14, f14)
        if (present(f15)) call add_field(plain, 15, f15)
        if (present(f16)) call add_field(plain, 16, f16)
    end subroutine

    subroutine describe_field(plain, f)
        type(plain_arrays), intent(inout) :: plain
        type(*), dimension(..), intent(in), asynchronous :: f
        plain%field_count = 1
        plain%has_gap = .false.
        plain%is_absent = .false.
        plain%too_many = 0
        call c_describe_array(f, plain%fields(1))
    end subroutine

    ! By the language's rules, an unallocated array counts as absent.
    subroutine add_field(plain, number, f)
        type(plain_arrays), intent(inout) :: plain
        integer, intent(in) :: number
        type(*), dimension(..), intent(in), asynchronous :: f
        if (number /= plain%field_count + 1) plain%has_gap = .true.
        plain%field_count = number
        call c_describe_array(f, plain%fields(number))
    end subroutine

    subroutine take_fields(plain, fields)
        type(plain_arrays), intent(inout) :: plain
        type(distview_memory), intent(in) :: fields(:)
        plain%field_count = min(size(fields), most_fields)
        plain%has_gap = .false.
        plain%is_absent = .false.
        plain%too_many = merge(size(fields), 0, size(fields) > most_fields)
        plain%fields(:plain%field_count) = fields(:plain%field_count)
    end subroutine

    ! The number of a field among the known arrays, 0 if it is new. Calls usually pass fields in the same order. Fields
    ! without an address are indistinguishable: each is new if arrays move; else all of them are the same field.
    integer function find_known(plain, field, layout)
        type(plain_arrays), intent(inout) :: plain
        type(distview_memory), intent(in) :: field
        integer, intent(in) :: layout
        integer :: i, at
        find_known = 0
        if (plain%moving .and. .not. c_associated(field%data)) return
        at = plain%next
        do i = 1, plain%count
            if (at > plain%count) at = 1
            if (plain%known(at)%layout == layout) then
                if (is_same(plain%known(at)%memory, field)) then
                    plain%next = at + 1
                    find_known = at
                    return
                end if
            end if
            at = at + 1
        end do
    end function

    integer(c_int) function add_known(plain, name, field, layout) result(status)
        type(plain_arrays), intent(inout) :: plain
        character(*), intent(in) :: name
        type(distview_memory), intent(in) :: field
        integer, intent(in) :: layout
        type(known_array), pointer :: more(:)
        type(distview_memory) :: memory
        type(c_ptr) :: made
        logical :: is_missing
        made = c_null_ptr
        memory = field
        call take_nothing(plain%layouts(layout)%handle, plain%processes(layout), memory, is_missing)
        if (is_missing) then
            status = failure(distview_usage_error, name // ": expected an array that is allocated, got one that is not")
        else
            status = c_array_borrow_local(plain%comm%handle, plain%layouts(layout)%handle, plain%processes(layout), memory, made)
        end if
        if (status /= distview_success) return
        if (.not. associated(plain%known)) allocate(plain%known(8))
        if (plain%count == size(plain%known)) then
            allocate(more(2 * plain%count))
            more(:plain%count) = plain%known
            deallocate(plain%known)
            plain%known => more
        end if
        plain%count = plain%count + 1
        plain%known(plain%count)%memory = field
        plain%known(plain%count)%layout = layout
        plain%known(plain%count)%array = made
    end function

    ! Finds handles for the described fields. `plan` is the calling plan, `name` the procedure's name. An error on this
    ! rank is reported to all ranks, unless the plan was not created.
    integer(c_int) function resolve_fields(plain, name, plan) result(status)
        type(plain_arrays), intent(inout) :: plain
        character(*), intent(in) :: name
        type(c_ptr), intent(in) :: plan
        integer :: i, at, layout
        status = distview_success
        if (.not. c_associated(plan)) then
            status = failure(distview_usage_error, name // ": expected a plan, got one that was not created")
            return
        end if
        if (plain%moving) status = forget_moved(plain, name)
        if (status /= distview_success) return ! all ranks know of this error
        if (plain%count + plain%field_count > most_known) call forget_known(plain)
        status = check_count(plain, name)
        do i = 1, plain%field_count
            if (status /= distview_success) exit
            plain%handles(i) = c_null_ptr
            if (plain%is_absent(i)) cycle
            layout = min(i, size(plain%layouts))
            at = find_known(plain, plain%fields(i), layout)
            if (at == 0) then
                status = add_known(plain, name, plain%fields(i), layout)
                at = plain%count
            end if
            if (status == distview_success) plain%handles(i) = plain%known(at)%array
        end do
        if (status /= distview_success) status = tell_others(plain%comm, name, status)
    end function

    integer(c_int) function check_count(plain, name) result(status)
        type(plain_arrays), intent(in) :: plain
        character(*), intent(in) :: name
        status = distview_success
        if (plain%too_many > 0) then
            status = failure(distview_usage_error, name // ": expected at most " // decimal(most_fields) // " fields, got " // &
                             decimal(plain%too_many))
        else if (plain%has_gap) then
            status = failure(distview_usage_error, name // ": expected fields that are allocated, got one that is not")
        end if
    end function

    ! Marks the described fields as written. Unknown fields need no mark: none of their padding is valid.
    integer(c_int) function mark_known_written(plain, name, plan) result(status)
        type(plain_arrays), intent(inout) :: plain
        character(*), intent(in) :: name
        type(c_ptr), intent(in) :: plan
        integer :: i, at
        status = distview_success
        if (.not. c_associated(plan)) then
            status = failure(distview_usage_error, name // ": expected a plan, got one that was not created")
        else
            status = check_count(plain, name)
        end if
        do i = 1, plain%field_count
            if (status /= distview_success) exit
            at = find_known(plain, plain%fields(i), min(i, size(plain%layouts)))
            if (at > 0) status = c_array_mark_written(plain%known(at)%array)
        end do
    end function

    ! Sets a name for the described field, which the plan must know.
    integer(c_int) function label_known(plain, name, plan, label) result(status)
        type(plain_arrays), intent(inout) :: plain
        character(*), intent(in) :: name, label
        type(c_ptr), intent(in) :: plan
        type(distview_memory) :: empty
        logical :: is_missing
        integer :: at
        status = distview_success
        if (.not. c_associated(plan)) then
            status = failure(distview_usage_error, name // ": expected a plan, got one that was not created")
        else if (plain%has_gap) then
            status = failure(distview_usage_error, name // ": expected a field that is allocated, got one that is not")
        end if
        if (status /= distview_success) return
        empty = plain%fields(1)
        call take_nothing(plain%layouts(1)%handle, plain%processes(1), empty, is_missing)
        ! A section without cells appears in no message.
        if (.not. (is_missing .or. c_associated(empty%data))) return
        at = find_known(plain, plain%fields(1), 1)
        if (at == 0) then
            status = failure(distview_usage_error, name // ": expected a field that this plan has exchanged, got another field")
        else
            status = c_array_set_label(plain%known(at)%array, trim(label) // c_null_char)
        end if
    end function

    ! If arrays move, all ranks forget their arrays as soon as one rank has new ones. If the agreement fails, the call ends.
    integer(c_int) function forget_moved(plain, name) result(status)
        type(plain_arrays), intent(inout) :: plain
        character(*), intent(in) :: name
        integer(c_int) :: new, is_any
        integer :: i
        new = 0
        is_any = 0
        do i = 1, plain%field_count
            if (plain%is_absent(i)) cycle
            if (find_known(plain, plain%fields(i), min(i, size(plain%layouts))) == 0) new = 1
        end do
        status = c_communicator_any(plain%comm%handle, name // c_null_char, new, is_any)
        if (status == distview_success .and. is_any /= 0) call forget_known(plain)
    end function
end module
