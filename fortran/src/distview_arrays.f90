! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_arrays: sections of distributed arrays as objects, and procedures for whole arrays. Programs use module
! distview. The bodies are in submodules: distview_array_reductions, distview_array_elements, distview_array_local_copies.
module distview_arrays
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int32, int64, real64
    use distview_axes
    use distview_base
    use distview_communicators
    use distview_index_lists
    use distview_layouts
    use distview_memories
    implicit none
    private
    public :: check_values ! for the other modules
    public :: rank_of ! for the submodules: gfortran 14 gives them no private procedures

    ! The result of a reduction, for any element type.
    type, bind(C), public :: distview_value
        real(c_double) :: real = 0      ! the result, or its real part; rounded for integers
        real(c_double) :: imaginary = 0 ! for complex arrays
        integer(c_int64_t) :: integer = 0 ! for integer arrays, modulo 2**64
    end type

    ! A plain array as Fortran 77 and LAPACK expect it. Valid until the procedure that gets it returns.
    type, public :: distview_plain_array
        type(c_ptr) :: data = c_null_ptr
        integer(int32) :: element = 0                    ! distview_float64, ...
        integer :: rank = 0
        integer(int64) :: extents(distview_max_rank) = 0
        integer(int64) :: leading_dimension = 1          ! distance in elements along the second axis
        logical :: is_copy = .false.                     ! false: the distributed array's own memory
    end type
    ! Bytes copied on this rank, before and after the procedure's call.
    type, bind(C), public :: distview_copied_bytes
        integer(c_int64_t) :: in = 0, out = 0
    end type
    abstract interface
        ! Works on a plain array. stat is 0 at entry. If the work fails, the procedure sets stat by distview_fail(), and
        ! nothing is written back.
        subroutine distview_local_procedure(a, stat)
            import :: distview_plain_array
            type(distview_plain_array), intent(in) :: a
            integer, intent(inout) :: stat
        end subroutine
    end interface
    public :: distview_local_procedure

    ! One process's section of a distributed array. Its memory belongs to the program (borrowed) or to the array.
    !
    ! Reductions, elements by index and local copies need host memory with strides of whole elements, none negative.
    type, public :: distview_array
        type(c_ptr) :: handle = c_null_ptr ! of the C face
        type(distview_communicator), pointer, private :: comm => null()
    contains
        procedure :: borrow => array_borrow
        procedure :: borrow_memory => array_borrow_memory
        procedure :: create => array_create
        procedure :: address => array_address
        procedure :: memory => array_memory
        procedure :: layout => array_layout
        procedure :: process => array_process
        procedure :: slice => array_slice
        procedure :: valid_padding => array_valid_padding
        procedure :: mark_written => array_mark_written
        procedure :: mark_padding_valid => array_mark_padding_valid
        procedure :: set_label => array_set_label
        procedure :: describe => array_describe
        procedure :: sum => array_sum
        procedure :: dot => array_dot
        procedure :: norm => array_norm
        procedure :: minimum => array_minimum
        procedure :: maximum => array_maximum
        procedure :: axis_reduce => array_axis_reduce
        procedure :: inclusive_scan => array_inclusive_scan
        procedure :: exclusive_scan => array_exclusive_scan
        procedure :: gather => array_gather
        procedure :: scatter => array_scatter
        procedure :: get => array_get
        procedure :: put => array_put
        procedure :: accumulate => array_accumulate
        procedure, private :: get_box_int32, get_box_int64, put_box_int32, put_box_int64
        procedure, private :: accumulate_box_int32, accumulate_box_int64
        generic :: get_box => get_box_int32, get_box_int64
        generic :: put_box => put_box_int32, put_box_int64
        generic :: accumulate_box => accumulate_box_int32, accumulate_box_int64
        procedure :: with_local_copy => array_with_local_copy
        procedure :: with_local_copy_of_box => array_with_local_copy_of_box
        procedure :: with_local_copy_of_whole => array_with_local_copy_of_whole
        procedure :: release => array_release
        procedure, private :: array_assign
        generic :: assignment(=) => array_assign
        final :: array_final
    end type

    interface
        ! The sum of all cells, on every rank: single precision is added in double, integers modulo 2**64. `owned`:
        ! includes boundary padding. `reproducible`: the exact sum, rounded once: the same bits for any number of ranks
        ! and any layout.
        !
        ! Collective: over the array's communicator
        ! Errors:     distview_shape_error if elements are not numbers; distview_usage_error if ranks pass different
        !             arrays or options (on all ranks)
        module function array_sum(self, owned, reproducible, stat, errmsg) result(value)
            class(distview_array), intent(in) :: self
            logical, intent(in), optional :: owned, reproducible
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
            type(distview_value) :: value
        end function
        ! The sum of conjg(x) * y over all cells of two arrays with the same distribution and element type.
        !
        ! Collective: over the array's communicator
        module function array_dot(self, other, owned, reproducible, stat, errmsg) result(value)
            class(distview_array), intent(in) :: self
            type(distview_array), intent(in) :: other
            logical, intent(in), optional :: owned, reproducible
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
            type(distview_value) :: value
        end function
        ! The norm of `order` 1 (sum of absolute values), 2 (Euclidean, the default) or 0: infinity (the greatest
        ! absolute value).
        !
        ! Collective: over the array's communicator
        module function array_norm(self, order, owned, reproducible, stat, errmsg) result(norm)
            class(distview_array), intent(in) :: self
            integer, intent(in), optional :: order
            logical, intent(in), optional :: owned, reproducible
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
            real(real64) :: norm
        end function
        ! The least and the greatest value; NaN if any cell is NaN. `index` gets the global numbers, one for each axis, of
        ! the first cell with that value in Fortran's order (first axis fastest), as minloc() does.
        !
        ! Collective: over the array's communicator
        ! Errors:     distview_usage_error if the array has no cells (on all ranks)
        module function array_minimum(self, index, owned, stat, errmsg) result(value)
            class(distview_array), intent(in) :: self
            integer(int64), intent(inout), optional :: index(:)
            logical, intent(in), optional :: owned
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
            type(distview_value) :: value
        end function
        module function array_maximum(self, index, owned, stat, errmsg) result(value)
            class(distview_array), intent(in) :: self
            integer(int64), intent(inout), optional :: index(:)
            logical, intent(in), optional :: owned
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
            type(distview_value) :: value
        end function
        ! `target` = the reduction of this array along an axis. The target has extent 1 along that axis and this array's
        ! cells along all other axes: layout%reduced() makes such a layout. `operation`: distview_sum (the default),
        ! distview_minimum, distview_maximum or one from distview_operation_create(), associative and commutative.
        !
        ! Collective: over the array's communicator; all ranks pass the same operation
        ! Shapes:     elements of one type: integers of 32 and 64 bits, floating-point numbers, for sums also complex
        ! Errors:     distview_shape_error for other cells or element types; distview_usage_error for an unknown axis or
        !             operation, if `reproducible` with an operation other than distview_sum, or for a minimum, maximum
        !             or operation of the program over no cells (on all ranks)
        module subroutine array_axis_reduce(self, axis, target, operation, reproducible, stat, errmsg)
            class(distview_array), intent(in) :: self
            integer, intent(in) :: axis
            type(distview_array), intent(in) :: target
            integer, intent(in), optional :: operation
            logical, intent(in), optional :: reproducible
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
        ! Each cell of `target` = the reduction of this array's cells along an axis up to and including it, in the order of
        ! global numbers (unstructured axes: of labels). The target may be this array.
        !
        ! Collective: over the array's communicator; all ranks pass the same operation
        ! Errors:     those of axis_reduce
        module subroutine array_inclusive_scan(self, axis, target, operation, stat, errmsg)
            class(distview_array), intent(in) :: self
            integer, intent(in) :: axis
            type(distview_array), intent(in) :: target
            integer, intent(in), optional :: operation
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
        ! The same without the cell itself: the first cell gets `start`, a number of the element type.
        !
        ! Collective: over the array's communicator; all ranks pass the same operation and value
        module subroutine array_exclusive_scan(self, axis, start, target, operation, stat, errmsg)
            class(distview_array), intent(in) :: self
            integer, intent(in) :: axis
            type(*), dimension(..), intent(in), asynchronous :: start
            type(distview_array), intent(in) :: target
            integer, intent(in), optional :: operation
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
        ! Gathers the whole interior to rank `root`, into a plain array without gaps; other ranks may leave out `whole`.
        ! Unstructured axes are ordered by ascending label.
        !
        ! Collective: over the array's communicator
        ! Errors:     distview_shape_error if `whole` has another size or element type, or gaps; distview_usage_error if
        !             `root` is not a rank (on all ranks)
        module subroutine array_gather(self, root, whole, stat, errmsg)
            class(distview_array), intent(in) :: self
            integer, intent(in) :: root
            type(*), dimension(..), intent(inout), asynchronous, optional :: whole
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
        ! Scatters the cells of a whole array on `root` to all sections: the reverse of gather.
        !
        ! Collective: over the array's communicator
        module subroutine array_scatter(self, root, whole, stat, errmsg)
            class(distview_array), intent(in) :: self
            integer, intent(in) :: root
            type(*), dimension(..), intent(in), asynchronous, optional :: whole
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
    end interface

    interface
        ! Gets the elements of a list, puts this rank's values there, or combines values with them, once; for repeated use
        ! make a plan. `values` have the array's element type and no gaps. put: if an element gets several values, the
        ! last one stays, from the highest rank.
        !
        ! Collective: over the array's communicator; lists may differ
        ! Errors:     distview_shape_error for a wrong number of values; distview_usage_error for elements outside of the
        !             array (on all ranks)
        module subroutine array_get(self, list, values, stat, errmsg)
            class(distview_array), intent(in) :: self
            type(distview_index_list), intent(in) :: list
            type(*), dimension(..), intent(inout), asynchronous :: values
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
        module subroutine array_put(self, list, values, stat, errmsg)
            class(distview_array), intent(in) :: self
            type(distview_index_list), intent(in) :: list
            type(*), dimension(..), intent(in), asynchronous :: values
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
        module subroutine array_accumulate(self, operation, list, values, stat, errmsg)
            class(distview_array), intent(in) :: self
            integer, intent(in) :: operation
            type(distview_index_list), intent(in) :: list
            type(*), dimension(..), intent(in), asynchronous :: values
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
        ! The same for the box lower(d) : upper(d) of global numbers; a box may be empty.
        !
        ! Collective: over the array's communicator; boxes may differ
        module subroutine get_box_int64(self, lower, upper, values, stat, errmsg)
            class(distview_array), intent(in) :: self
            integer(int64), intent(in) :: lower(:), upper(:)
            type(*), dimension(..), intent(inout), asynchronous :: values
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
        module subroutine get_box_int32(self, lower, upper, values, stat, errmsg)
            class(distview_array), intent(in) :: self
            integer(int32), intent(in) :: lower(:), upper(:)
            type(*), dimension(..), intent(inout), asynchronous :: values
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
        module subroutine put_box_int64(self, lower, upper, values, stat, errmsg)
            class(distview_array), intent(in) :: self
            integer(int64), intent(in) :: lower(:), upper(:)
            type(*), dimension(..), intent(in), asynchronous :: values
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
        module subroutine put_box_int32(self, lower, upper, values, stat, errmsg)
            class(distview_array), intent(in) :: self
            integer(int32), intent(in) :: lower(:), upper(:)
            type(*), dimension(..), intent(in), asynchronous :: values
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
        module subroutine accumulate_box_int64(self, operation, lower, upper, values, stat, errmsg)
            class(distview_array), intent(in) :: self
            integer, intent(in) :: operation
            integer(int64), intent(in) :: lower(:), upper(:)
            type(*), dimension(..), intent(in), asynchronous :: values
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
        module subroutine accumulate_box_int32(self, operation, lower, upper, values, stat, errmsg)
            class(distview_array), intent(in) :: self
            integer, intent(in) :: operation
            integer(int32), intent(in) :: lower(:), upper(:)
            type(*), dimension(..), intent(in), asynchronous :: values
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
    end interface

    interface
        ! Calls a procedure with the cells of this process as one plain array, for code that expects an address and
        ! extents. The procedure gets the section's own memory if its order and gaps are as requested; else a copy, filled
        ! and written back as the intent requires: distview_in, distview_out or distview_inout. Elements that it does not
        ! write keep their values. `packed`: without gaps, for code without a leading dimension. `writes_all`: with
        ! distview_out, promises to write every element.
        !
        ! Collective: no
        ! Errors:     distview_shape_error for strides that are negative or not of whole elements; the procedure's own error
        module subroutine array_with_local_copy(self, intent, work, owned, packed, writes_all, bytes, stat, errmsg)
            class(distview_array), intent(in) :: self
            integer, intent(in) :: intent
            procedure(distview_local_procedure) :: work
            logical, intent(in), optional :: owned, packed, writes_all
            type(distview_copied_bytes), intent(out), optional :: bytes
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
        ! The same with the box lower(d) : upper(d) of cells of the whole array, held by any ranks. Each rank passes its
        ! own box, which may be empty.
        !
        ! Collective: over the array's communicator; all ranks pass equal options
        ! Errors:     also distview_usage_error if written boxes share cells, distview_layout_error if a box
        !             leaves the interior (on all ranks)
        module subroutine array_with_local_copy_of_box(self, lower, upper, intent, work, packed, writes_all, bytes, &
                                                       stat, errmsg)
            class(distview_array), intent(in) :: self
            integer(int64), intent(in) :: lower(:), upper(:)
            integer, intent(in) :: intent
            procedure(distview_local_procedure) :: work
            logical, intent(in), optional :: packed, writes_all
            type(distview_copied_bytes), intent(out), optional :: bytes
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
        ! The same with the whole array. Calls the procedure on rank `root` only, or for -1 on every rank.
        !
        ! Collective: over the array's communicator; all ranks pass equal options and roots
        module subroutine array_with_local_copy_of_whole(self, root, intent, work, packed, writes_all, bytes, stat, &
                                                         errmsg)
            class(distview_array), intent(in) :: self
            integer, intent(in) :: root, intent
            procedure(distview_local_procedure) :: work
            logical, intent(in), optional :: packed, writes_all
            type(distview_copied_bytes), intent(out), optional :: bytes
            integer, intent(out), optional :: stat
            character(*), intent(inout), optional :: errmsg
        end subroutine
    end interface

    interface
        integer(c_int) function c_array_borrow(comm, layout, memory, result) bind(C, name="distview_array_borrow")
            import :: c_int, c_ptr, distview_memory
            type(c_ptr), value :: comm, layout
            type(distview_memory), intent(in) :: memory
            type(c_ptr), intent(inout) :: result
        end function
        integer(c_int) function c_array_create(comm, layout, element, order, result) &
            bind(C, name="distview_array_create")
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), value :: comm, layout
            integer(c_int32_t), value :: element
            integer(c_int), value :: order
            type(c_ptr), intent(inout) :: result
        end function
        integer(c_int) function c_array_slice(array, slices, result) bind(C, name="distview_array_slice")
            import :: c_int, c_ptr, c_slice
            type(c_ptr), value :: array
            type(c_slice), intent(in) :: slices(*)
            type(c_ptr), intent(inout) :: result
        end function
        function c_array_retain(array) bind(C, name="distview_array_retain") result(same)
            import :: c_ptr
            type(c_ptr), value :: array
            type(c_ptr) :: same
        end function
        subroutine c_array_release(array) bind(C, name="distview_array_release")
            import :: c_ptr
            type(c_ptr), value :: array
        end subroutine
        integer(c_int) function c_array_memory(array, memory) bind(C, name="distview_array_memory")
            import :: c_int, c_ptr, distview_memory
            type(c_ptr), value :: array
            type(distview_memory), intent(inout) :: memory
        end function
        integer(c_int) function c_array_layout(array, layout) bind(C, name="distview_array_layout")
            import :: c_int, c_ptr
            type(c_ptr), value :: array
            type(c_ptr), intent(inout) :: layout
        end function
        integer(c_int) function c_array_process(array, process) bind(C, name="distview_array_process")
            import :: c_int, c_ptr
            type(c_ptr), value :: array
            integer(c_int), intent(inout) :: process
        end function
        integer(c_int) function c_array_valid_padding(array, depths, has_corners) &
            bind(C, name="distview_array_valid_padding")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: array
            integer(c_int64_t), intent(inout) :: depths(2, *)
            integer(c_int), intent(inout) :: has_corners
        end function
        integer(c_int) function c_array_mark_written(array) bind(C, name="distview_array_mark_written")
            import :: c_int, c_ptr
            type(c_ptr), value :: array
        end function
        integer(c_int) function c_array_mark_padding_valid(array, depths, has_corners) &
            bind(C, name="distview_array_mark_padding_valid")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: array
            integer(c_int64_t), intent(in) :: depths(2, *)
            integer(c_int), value :: has_corners
        end function
        integer(c_int) function c_array_set_label(array, label) bind(C, name="distview_array_set_label")
            import :: c_char, c_int, c_ptr
            type(c_ptr), value :: array
            character(kind=c_char), intent(in) :: label(*)
        end function
        integer(c_int) function c_array_describe(array, text, capacity, length) &
            bind(C, name="distview_array_describe")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: array, text
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), intent(inout) :: length
        end function
    end interface

contains

    ! Makes an array whose section on this rank is a plain array: rank r of the communicator is process r of the grid.
    ! Copies nothing; the plain array must be a target and stay valid until this array is released. It need not be
    ! allocated if the section has no cells.
    !
    ! Collective: over comm; all ranks pass equal layouts and the same element type
    ! Errors:     distview_shape_error for another shape than the section's; distview_usage_error if ranks differ (on all
    !             ranks)
    subroutine array_borrow(self, comm, layout, a, stat, errmsg)
        class(distview_array), intent(inout) :: self
        type(distview_communicator), intent(in) :: comm
        type(distview_layout), intent(in) :: layout
        type(*), dimension(..), asynchronous, target :: a ! the address is kept
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_memory) :: memory
        call c_describe_array(a, memory)
        call array_borrow_memory(self, comm, layout, memory, stat, errmsg)
    end subroutine

    ! Collective: over comm
    subroutine array_borrow_memory(self, comm, layout, memory, stat, errmsg)
        class(distview_array), intent(inout) :: self
        type(distview_communicator), intent(in) :: comm
        type(distview_layout), intent(in) :: layout
        type(distview_memory), intent(in) :: memory
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_memory) :: section
        type(c_ptr) :: made
        integer(c_int) :: status
        integer :: no_comm
        logical :: is_missing
        made = c_null_ptr
        section = memory
        call take_nothing(layout%handle, int(comm%rank(no_comm), c_int), section, is_missing)
        status = c_array_borrow(comm%handle, layout%handle, section, made)
        call take_array(self, comm, made, status)
        call settle(status, stat, errmsg)
    end subroutine

    ! A new array of zeros, in memory that the processes of a node share if possible, so that neighbours read it in
    ! place: c_f_pointer(u%address(), p, layout%local_shape(process)) makes a pointer to it.
    !
    ! Collective: over comm; all ranks pass equal layouts and element types
    subroutine array_create(self, comm, layout, element, stat, errmsg)
        class(distview_array), intent(inout) :: self
        type(distview_communicator), intent(in) :: comm
        type(distview_layout), intent(in) :: layout
        integer(int32), intent(in) :: element
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int), parameter :: row_major = 0 ! of C's reversed axes
        type(c_ptr) :: made
        integer(c_int) :: status
        made = c_null_ptr
        status = c_array_create(comm%handle, layout%handle, element, row_major, made)
        call take_array(self, comm, made, status)
        call settle(status, stat, errmsg)
    end subroutine

    subroutine take_array(self, comm, made, status)
        class(distview_array), intent(inout) :: self
        type(distview_communicator), intent(in), optional :: comm ! absent if the handle is not an array
        type(c_ptr), intent(in) :: made
        integer(c_int), intent(in) :: status
        if (status /= distview_success) return
        call self%release()
        self%handle = made
        call keep_communicator(self%comm, comm)
    end subroutine

    ! The interior cells that the slices pick, one slice for each axis: a distributed array over the same memory.
    !
    ! Errors: distview_layout_error if a slice leaves the interior, has a negative step, or picks cells that no layout
    !         describes
    function array_slice(self, slices, stat, errmsg) result(part)
        class(distview_array), intent(in) :: self
        type(distview_slice), intent(in) :: slices(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_array) :: part
        type(c_ptr) :: made
        integer(c_int) :: status
        made = c_null_ptr
        if (size(slices) == rank_of(self) .or. .not. c_associated(self%handle)) then
            status = c_array_slice(self%handle, c_slices(slices), made)
        else
            status = failure(distview_layout_error, "distview_array%slice: expected " // decimal(rank_of(self)) // &
                             " slices, got " // decimal(size(slices)))
        end if
        call take_array(part, self%comm, made, status)
        call settle(status, stat, errmsg)
    end function

    ! Address of the first element of the section, padding included.
    type(c_ptr) function array_address(self, stat, errmsg) result(address)
        class(distview_array), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_memory) :: memory
        call settle(c_array_memory(self%handle, memory), stat, errmsg)
        address = memory%data
    end function

    ! The memory of the section, axes in C's order.
    function array_memory(self, stat, errmsg) result(memory)
        class(distview_array), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_memory) :: memory
        call settle(c_array_memory(self%handle, memory), stat, errmsg)
    end function

    function array_layout(self, stat, errmsg) result(layout)
        class(distview_array), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_layout) :: layout
        call settle(c_array_layout(self%handle, layout%handle), stat, errmsg)
    end function

    ! The process that the section belongs to.
    integer function array_process(self, stat, errmsg) result(process)
        class(distview_array), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: answer
        answer = -1
        call settle(c_array_process(self%handle, answer), stat, errmsg)
        process = answer
    end function

    ! The depth to which padding holds its owners' current elements, as far as the library knows, the same on all ranks:
    ! depths(:, d) on the low and on the high side of axis d. `has_corners`: whether padding of several axes is valid, too.
    ! docs/valid_padding.md lists the calls that change it.
    function array_valid_padding(self, has_corners, stat, errmsg) result(depths)
        class(distview_array), intent(in) :: self
        logical, intent(out), optional :: has_corners
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: depths(:, :)
        integer(c_int64_t) :: answer(2, distview_max_rank)
        integer(c_int) :: corners
        integer :: n
        n = rank_of(self)
        answer = 0
        corners = 0
        call settle(c_array_valid_padding(self%handle, answer, corners), stat, errmsg)
        depths = answer(:, n:1:-1)
        if (present(has_corners)) has_corners = corners /= 0
    end function

    ! Reports that the program has written the plain array, which the library does not see: no padding is valid any more.
    !
    ! Collective: no, but ranks that do not all call it get an error in the next distview_padding_plan%require_arrays()
    subroutine array_mark_written(self, stat, errmsg)
        class(distview_array), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call settle(c_array_mark_written(self%handle), stat, errmsg)
    end subroutine

    ! Reports that the program has filled padding itself: it is valid to depths(:, d) along axis d, in corners too unless
    ! `has_corners` is false. A rank at a wall passes the other ranks' depth for that side.
    !
    ! Collective: as mark_written
    ! Errors:     distview_usage_error for negative depths, distview_shape_error for a wrong number of depths
    subroutine array_mark_padding_valid(self, depths, has_corners, stat, errmsg)
        class(distview_array), intent(in) :: self
        integer, intent(in) :: depths(:, :)
        logical, intent(in), optional :: has_corners
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: c_depths(2, distview_max_rank)
        integer(c_int) :: status, corners
        integer :: n
        n = rank_of(self)
        corners = 1
        if (present(has_corners)) corners = merge(1_c_int, 0_c_int, has_corners)
        c_depths = 0
        if (.not. c_associated(self%handle)) then
            status = c_array_mark_padding_valid(self%handle, c_depths, corners)
        else if (size(depths, 1) == 2 .and. size(depths, 2) == n) then
            c_depths(:, :n) = depths(:, n:1:-1)
            status = c_array_mark_padding_valid(self%handle, c_depths, corners)
        else
            status = failure(distview_shape_error, "distview_array%mark_padding_valid: expected 2 depths for each of " // &
                             decimal(n) // " axes, got " // decimal(size(depths, 1)) // " for " // decimal(size(depths, 2)))
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! Sets a name for the array in messages of the checking mode (distview_set_check), in place of a number. Has no effect
    ! on an array made while the mode was off.
    !
    ! Collective: no
    subroutine array_set_label(self, label, stat, errmsg)
        class(distview_array), intent(in) :: self
        character(*), intent(in) :: label
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call settle(c_array_set_label(self%handle, trim(label) // c_null_char), stat, errmsg)
    end subroutine

    ! Layout, element type and memory, as text.
    function array_describe(self, stat, errmsg) result(text)
        class(distview_array), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(:), allocatable :: text
        text = described(c_array_describe, self%handle, stat, errmsg)
    end function

    ! Number of axes; 0 if the handle is not an array.
    integer function rank_of(self)
        class(distview_array), intent(in) :: self
        type(distview_memory) :: memory
        integer(c_int) :: status
        status = c_array_memory(self%handle, memory)
        rank_of = merge(int(memory%rank), 0, status == distview_success)
    end function

    ! Checks that values have the element type. If they do not on this rank, all ranks get an error.
    integer(c_int) function check_values(values, element, comm, name) result(status)
        type(distview_memory), intent(in) :: values
        integer(int32), intent(in) :: element
        type(distview_communicator), intent(in), optional :: comm
        character(*), intent(in) :: name
        status = distview_success
        if (values%element /= element) then
            status = failure(distview_shape_error, name // ": expected values of the array's element type, of " // &
                             decimal(int(mod(element, 2**24))) // " bytes, got another type, of " // &
                             decimal(int(mod(values%element, 2**24))) // " bytes")
        else if (.not. is_packed(values)) then
            status = failure(distview_shape_error, name // ": expected contiguous values, got values with gaps")
        end if
        if (status /= distview_success) status = tell_others(comm, name, status)
    end function

    subroutine array_release(self)
        class(distview_array), intent(inout) :: self
        if (c_associated(self%handle)) call c_array_release(self%handle)
        self%handle = c_null_ptr
        call drop_communicator(self%comm)
    end subroutine

    impure elemental subroutine array_assign(self, other)
        class(distview_array), intent(inout) :: self
        type(distview_array), intent(in) :: other
        type(distview_communicator), pointer :: comm
        type(c_ptr) :: same
        same = c_array_retain(other%handle)
        comm => null()
        call keep_communicator(comm, other%comm)
        call self%release()
        self%handle = same
        self%comm => comm
    end subroutine

    impure elemental subroutine array_final(self)
        type(distview_array), intent(inout) :: self
        call self%release()
    end subroutine
end module
