! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_memories: plain arrays as descriptions for the C face. Programs use module distview.
module distview_memories
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64
    use distview_base
    use distview_c_layouts, only: c_layout_local_extents
    implicit none
    private
    public :: distview_memory_of, distview_component_of, distview_memory_at
    public :: c_describe_array, is_same, is_packed, count_of, take_nothing ! for the other modules

    ! distview_memory of distview/c/array.h, axes in C's order. distview_memory_of and distview_memory_at make it.
    type, bind(C), public :: distview_memory
        type(c_ptr) :: data = c_null_ptr
        integer(c_int32_t) :: element = 0
        integer(c_int32_t) :: rank = 0
        integer(c_int64_t) :: extents(distview_max_rank) = 0
        integer(c_int64_t) :: strides(distview_max_rank) = 0 ! in bytes
        integer(c_int32_t) :: order = 2                       ! by strides
        integer(c_int32_t) :: read_only = 0
        integer(c_int32_t) :: device_type = 0
        integer(c_int32_t) :: device_id = 0
    end type

    interface
        ! Pass a bind(C) dummy, not the user's actual argument: gfortran 14 moves the base address of an allocatable
        ! array if its component is passed to a bind(C) procedure.
        subroutine c_describe_array(a, memory) bind(C, name="distview_fortran_describe")
            import :: distview_memory
            type(*), dimension(..), asynchronous :: a
            type(distview_memory), intent(out) :: memory
        end subroutine
    end interface

contains

    ! The memory of a plain array, for exchange_memory() and similar procedures. For a component of an array of derived
    ! type, which gfortran would copy here, use distview_component_of().
    function distview_memory_of(a) result(memory)
        type(*), dimension(..), asynchronous, target :: a ! target: the address is kept
        type(distview_memory) :: memory
        call c_describe_array(a, memory)
    end function

    ! Memory of one component of all elements of `a`; `address` is the component of the first element:
    !
    !     call plan%exchange_memory([distview_component_of(cells, c_loc(cells(0, 0)%u), distview_float64)])
    function distview_component_of(a, address, element) result(memory)
        type(*), dimension(..), asynchronous, target :: a
        type(c_ptr), intent(in) :: address
        integer(c_int32_t), intent(in) :: element
        type(distview_memory) :: memory
        call c_describe_array(a, memory)
        memory%data = address
        memory%element = element
    end function

    ! Memory at an address, also on a device: elements of one type, by default contiguous with the first axis fastest;
    ! `strides` in bytes.
    !
    ! Errors: distview_shape_error unless there is one stride for each extent
    function distview_memory_at(address, element, extents, strides, device_type, device_id, stat, errmsg) result(memory)
        type(c_ptr), intent(in) :: address
        integer(c_int32_t), intent(in) :: element
        integer(int64), intent(in) :: extents(:)
        integer(int64), intent(in), optional :: strides(:)
        integer, intent(in), optional :: device_type, device_id
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_memory) :: memory
        integer(int64) :: stride
        integer(c_int) :: status
        integer :: d, n
        n = size(extents)
        status = distview_success
        if (present(strides)) then
            if (size(strides) /= n) status = failure(distview_shape_error, "distview_memory_at: expected " // decimal(n) // &
                                                     " strides, one for each extent, got " // decimal(size(strides)))
        end if
        call settle(status, stat, errmsg)
        if (status /= distview_success) return
        memory%data = address
        memory%element = element
        memory%rank = n
        stride = mod(element, 2**24)
        do d = 1, n
            if (n > distview_max_rank) exit ! for the C face to refuse
            memory%extents(n + 1 - d) = extents(d)
            memory%strides(n + 1 - d) = stride
            if (present(strides)) memory%strides(n + 1 - d) = strides(d)
            stride = stride * extents(d)
        end do
        if (present(device_type)) memory%device_type = device_type
        if (present(device_id)) memory%device_id = device_id
    end function

    ! Accepts an unallocated array if a section has no cells, and gives it the section's extents. `is_missing`: the section
    ! has cells.
    subroutine take_nothing(layout, process, memory, is_missing)
        type(c_ptr), intent(in) :: layout
        integer(c_int), intent(in) :: process
        type(distview_memory), intent(inout) :: memory
        logical, intent(out) :: is_missing
        integer(c_int64_t) :: extents(distview_max_rank)
        integer :: n
        is_missing = .false.
        if (c_associated(memory%data) .or. count_of(memory) > 0) return
        extents = 1
        ! The C face reports errors in a layout or a process.
        if (c_layout_local_extents(layout, process, extents) /= distview_success) return
        is_missing = all(extents > 0)
        n = min(int(memory%rank), distview_max_rank)
        if (.not. is_missing) memory%extents(:n) = extents(:n)
    end subroutine

    ! Number of elements.
    pure integer(int64) function count_of(memory)
        type(distview_memory), intent(in) :: memory
        count_of = product(memory%extents(:min(memory%rank, distview_max_rank)))
    end function

    ! Whether elements are contiguous, Fortran's first axis fastest.
    pure logical function is_packed(memory)
        type(distview_memory), intent(in) :: memory
        integer(int64) :: stride
        integer :: d
        is_packed = .true.
        stride = mod(memory%element, 2**24)
        do d = min(memory%rank, distview_max_rank), 1, -1
            if (memory%extents(d) > 1 .and. memory%strides(d) /= stride) is_packed = .false.
            stride = stride * memory%extents(d)
        end do
        if (count_of(memory) == 0) is_packed = .true.
    end function

    pure logical function is_same(a, b)
        type(distview_memory), intent(in) :: a, b
        integer :: n
        is_same = transfer(a%data, 0_c_intptr_t) == transfer(b%data, 0_c_intptr_t) .and. &
            a%element == b%element .and. a%rank == b%rank .and. a%read_only == b%read_only .and. &
            a%device_type == b%device_type .and. a%device_id == b%device_id
        if (.not. is_same) return
        n = min(a%rank, distview_max_rank)
        is_same = all(a%extents(:n) == b%extents(:n)) .and. all(a%strides(:n) == b%strides(:n))
    end function
end module
