! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The Fortran face of DistView: module distview. Plans of distributed arrays on the plain arrays that a program has:
!
!     call distview_initialize()
!     call comm%create(mpi_comm)
!     call layout%create([nx, ny], distview_balanced_grid(comm%size(), 2), padding=1, &
!                        periodic=[.true., .false.])
!     b = layout%local_bounds(comm%rank())                    ! 0 : n + 1 along each axis
!     allocate(u(b(1, 1):b(2, 1), b(1, 2):b(2, 2)))
!     call plan%create(comm, layout)
!     call plan%exchange(u)                                   ! fills the padding of u
!
! Conventions of all procedures here; docs/fortran.md has the rest.
!
! Order:      axes are named, counted and numbered as Fortran has them: the first one is the fastest in memory, and
!             ranks number the process grid with its first axis fastest. The C and C++ faces see the same array with the
!             axes reversed, which is how texts of describe() and of errors count them, from 0.
! Indices:    from 1: global ones count from the first interior cell, local ones from the first interior cell of a
!             section, so that padding has the numbers 0, -1, ... and n + 1, n + 2, ... Ranks and processes count from 0.
! Collective: every rank of the communicator calls it, in the same order; an error of one is then the error of all, of
!             one class and text. Procedures that are not said to be are local.
! Errors:     stat is 0 or a class, distview_layout_error and so on; errmsg gets the text if there is an error, and is
!             left alone otherwise. Without stat, an error ends the program with its text.
! Arrays:     plain arrays are of any type and of 1 to 8 dimensions, with any bounds, sections with strides too. They are
!             borrowed: nothing is copied, and elements travel from and to the array's own memory.
! Handles:    assignment makes another name for the same object; the last name that goes out of scope releases it.
module distview
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
    implicit none
    private

    integer, parameter, public :: distview_success = 0, distview_layout_error = 1, &
        distview_shape_error = 2, distview_usage_error = 3, distview_protocol_error = 4, &
        distview_mpi_error = 5, distview_other_error = 6

    ! Element types: kind * 2**24 + bytes, as in distview/c/types.h. Opaque ones are exchanged and not interpreted.
    integer(c_int32_t), parameter, public :: distview_int8 = 1, distview_int16 = 2, &
        distview_int32 = 4, distview_int64 = 8, distview_float32 = 2 * 2**24 + 4, &
        distview_float64 = 2 * 2**24 + 8, distview_complex64 = 5 * 2**24 + 8, &
        distview_complex128 = 5 * 2**24 + 16, distview_bool = 6 * 2**24 + 1, &
        distview_opaque = 3 * 2**24 ! + bytes

    ! Kinds of axes.
    integer, parameter, public :: distview_block = 0, distview_regular_block = 1, &
        distview_block_bounds = 2, distview_cyclic = 3, distview_unstructured = 4, distview_user = 6
    ! Neighbours that a padding exchange reads from.
    integer, parameter, public :: distview_box = 0, distview_faces = 1
    ! Operations that combine two elements.
    integer, parameter, public :: distview_sum = 1, distview_minimum = 2, distview_maximum = 3
    ! Strategies of redistributions.
    integer, parameter, public :: distview_automatic = 0, distview_direct = 1, distview_by_dimension = 2
    ! Where memory lies.
    integer, parameter, public :: distview_host = 0, distview_cuda = 2, distview_cuda_host = 3, &
        distview_cuda_managed = 13
    ! What a procedure does with elements that it is given.
    integer, parameter, public :: distview_in = 0, distview_out = 1, distview_inout = 2

    integer, parameter, public :: distview_max_rank = 8

    ! Memory as distview/c/array.h has it: axes in C's order. Made by distview_memory_of and distview_memory_at.
    type, bind(C), public :: distview_memory
        type(c_ptr) :: data = c_null_ptr
        integer(c_int32_t) :: element = 0
        integer(c_int32_t) :: rank = 0
        integer(c_int64_t) :: extents(distview_max_rank) = 0
        integer(c_int64_t) :: strides(distview_max_rank) = 0 ! bytes
        integer(c_int32_t) :: order = 2                       ! as the strides say
        integer(c_int32_t) :: read_only = 0
        integer(c_int32_t) :: device_type = 0
        integer(c_int32_t) :: device_id = 0
    end type

    ! One axis of a layout. Lists: bounds are the first global index of each process's block, and one more than the
    ! last; counts, labels and ghosts are those of unstructured axes: how many labels each process has, all of them one
    ! process after the other, and how many at the end of each process's are ghosts.
    type, public :: distview_axis
        integer(int64) :: extent = 0
        integer :: kind = distview_block
        logical :: periodic = .false.
        integer(int64) :: padding(2) = 0   ! low and high
        integer(int64) :: boundary(2) = -1 ! at the ends of the array; -1: as the padding
        integer(int64) :: block_size = 1   ! of cyclic axes
        integer(int64), allocatable :: bounds(:), counts(:), labels(:), ghosts(:)
        procedure(distview_distribution), pointer, nopass :: distribution => null() ! of distview_user
    end type

    abstract interface
        ! A distribution of the program's: cell `index` of an axis, from 1, has the local number `position`, from 1, in
        ! the section of `process`. Sets stat, which is 0, by distview_fail() if something is wrong.
        subroutine distview_distribution(index, process, position, stat)
            import :: int64
            integer(int64), intent(in) :: index
            integer, intent(out) :: process
            integer(int64), intent(out) :: position
            integer, intent(inout) :: stat
        end subroutine
    end interface
    public :: distview_distribution
    type :: distribution_call
        procedure(distview_distribution), pointer, nopass :: distribution => null()
    end type

    ! Every step-th of the cells of an axis from `begin` on, `count` of them; -1: as many as there are.
    type, public :: distview_slice
        integer(int64) :: begin = 1
        integer(int64) :: count = -1
        integer(int64) :: step = 1
    end type

    ! The library's own duplicate of an MPI communicator.
    type, public :: distview_communicator
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        procedure :: create => communicator_create
        procedure :: rank => communicator_rank
        procedure :: size => communicator_size
        procedure :: barrier => communicator_barrier
        procedure :: agree => communicator_agree
        procedure :: close => communicator_close
        procedure :: release => communicator_release
        procedure, private :: communicator_assign
        generic :: assignment(=) => communicator_assign
        final :: communicator_final
    end type

    ! How a whole array lies over a process grid. A value, the same on all ranks; belongs to no process.
    type, public :: distview_layout
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        procedure, private :: layout_create_int32, layout_create_int64, layout_create_axes
        generic :: create => layout_create_int32, layout_create_int64, layout_create_axes
        procedure :: rank => layout_rank
        procedure :: grid => layout_grid
        procedure :: process_count => layout_process_count
        procedure :: extents => layout_extents
        procedure :: size => layout_size
        procedure :: coordinates => layout_coordinates
        procedure :: local_shape => layout_local_shape
        procedure :: local_bounds => layout_local_bounds
        procedure :: local_interior => layout_local_interior
        procedure :: local_owned => layout_local_owned
        procedure :: global_bounds => layout_global_bounds
        procedure :: global_interior => layout_global_interior
        procedure :: global_owned => layout_global_owned
        procedure, private :: layout_owner_int32, layout_owner_int64
        generic :: owner => layout_owner_int32, layout_owner_int64
        procedure, private :: layout_to_global_int32, layout_to_global
        generic :: to_global => layout_to_global_int32, layout_to_global
        procedure, private :: layout_to_local_int32, layout_to_local
        generic :: to_local => layout_to_local_int32, layout_to_local
        procedure :: permuted => layout_permuted
        procedure :: fingerprint => layout_fingerprint
        procedure :: describe => layout_describe
        procedure :: release => layout_release
        procedure, private :: layout_assign, layout_equal
        generic :: assignment(=) => layout_assign
        generic :: operator(==) => layout_equal
        final :: layout_final
    end type

    ! Plain arrays that a plan was given, as the handles that they became. Lists of at most `most_known`.
    type :: known_array
        type(distview_memory) :: memory
        type(c_ptr) :: array = c_null_ptr
        integer :: layout = 1
    end type
    integer, parameter :: most_known = 512, most_fields = 16
    type :: known_arrays
        type(distview_memory) :: fields(most_fields) ! of one call
        type(c_ptr) :: arrays(most_fields) = c_null_ptr
        integer :: field_count = 0
        logical :: has_gap = .false.
        type(known_array), allocatable :: known(:)
        integer :: count = 0
        integer :: next = 1
    end type

    ! Fills the padding of arrays from the sections of their owners, again and again.
    !
    ! Arrays are known by address, type, shape and strides. A set of arrays that is new to the plan costs an agreement of
    ! all ranks; from the second time on nothing is allocated. Sets must be new on all ranks or on none: where a program
    ! allocates arrays anew between calls, it creates the plan with moving=.true.
    type, public :: distview_padding_plan
        private
        type(c_ptr) :: handle = c_null_ptr
        type(distview_communicator) :: comm
        type(distview_layout), allocatable :: layouts(:)
        type(known_arrays) :: cache
        integer(c_int) :: process = 0
        logical :: moving = .false.
    contains
        procedure, private :: padding_plan_create, padding_plan_create_fields
        generic :: create => padding_plan_create, padding_plan_create_fields
        procedure :: exchange => padding_plan_exchange
        procedure :: exchange_memory => padding_plan_exchange_memory
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

    ! An exchange in flight. Until finish, owned elements must not be written, nor padding be read or written.
    type, public :: distview_exchange
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        procedure :: finish => exchange_finish
        procedure :: can_finish => exchange_can_finish
        procedure :: release => exchange_release
        procedure, private :: exchange_assign
        generic :: assignment(=) => exchange_assign
        final :: exchange_final
    end type

    abstract interface
        ! Computes the cells lower(d) : upper(d) of a section along each axis d, in local numbers. Sets stat, which is 0,
        ! by distview_fail() if something goes wrong.
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

    public :: distview_initialize, distview_finalize, distview_is_initialized, distview_version, &
        distview_build_info, distview_error_message, distview_error_class, distview_error_code, &
        distview_fail, distview_balanced_grid, distview_memory_of, distview_component_of, distview_memory_at

    ! The C face; distview/distview.h says what each does.
    type, bind(C) :: c_error
        integer(c_int32_t) :: status, mpi_code, axis, process
        type(c_ptr) :: class_name, message, code, key
    end type
    type, bind(C) :: c_axis
        integer(c_int32_t) :: kind = 0, periodic = 0
        integer(c_int64_t) :: extent = 0, padding_low = 0, padding_high = 0, boundary_low = 0, &
            boundary_high = 0
        integer(c_int32_t) :: own_boundary = 0, one_to_one = 0
        integer(c_int64_t) :: block_size = 0
        type(c_ptr) :: bounds = c_null_ptr, paddings = c_null_ptr, counts = c_null_ptr, &
            labels = c_null_ptr, ghosts = c_null_ptr
        integer(c_int32_t) :: known_process = 0, unused = 0
        type(c_funptr) :: distribution = c_null_funptr
        type(c_ptr) :: user = c_null_ptr
    end type
    type, bind(C) :: c_init_options
        integer(c_int32_t) :: thread_level = 0, threads = 0, show_warnings = 0
    end type
    type, bind(C) :: c_padding_options
        type(c_ptr) :: widths = c_null_ptr
        integer(c_int32_t) :: stencil = 0, unused = 0
    end type

    interface
        ! A bind(C) dummy, not the user's actual argument: gfortran 14 moves the base address of an allocatable array
        ! whose component is passed to a bind(C) procedure.
        subroutine c_describe_array(a, memory) bind(C, name="distview_fortran_describe")
            import :: distview_memory
            type(*), dimension(..), intent(in), asynchronous :: a
            type(distview_memory), intent(out) :: memory
        end subroutine
        function c_last_error() bind(C, name="distview_last_error") result(error)
            import :: c_ptr
            type(c_ptr) :: error
        end function
        integer(c_int) function c_set_error(status, code, message) bind(C, name="distview_set_error")
            import :: c_int, c_ptr, c_char
            integer(c_int), value :: status
            type(c_ptr), value :: code
            character(kind=c_char), intent(in) :: message(*)
        end function
        integer(c_size_t) function c_strlen(text) bind(C, name="strlen")
            import :: c_size_t, c_ptr
            type(c_ptr), value :: text
        end function

        integer(c_int) function c_initialize(options) bind(C, name="distview_initialize")
            import :: c_int, c_init_options
            type(c_init_options), intent(in) :: options
        end function
        integer(c_int) function c_finalize() bind(C, name="distview_finalize")
            import :: c_int
        end function
        integer(c_int) function c_is_initialized() bind(C, name="distview_is_initialized")
            import :: c_int
        end function
        function c_version() bind(C, name="distview_version") result(text)
            import :: c_ptr
            type(c_ptr) :: text
        end function
        function c_build_info() bind(C, name="distview_build_info") result(text)
            import :: c_ptr
            type(c_ptr) :: text
        end function

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

        integer(c_int) function c_layout_create(rank, grid, axes, result) &
            bind(C, name="distview_layout_create")
            import :: c_int, c_ptr, c_axis
            integer(c_int), value :: rank
            integer(c_int), intent(in) :: grid(*)
            type(c_axis), intent(in) :: axes(*)
            type(c_ptr), intent(inout) :: result
        end function
        integer(c_int) function c_balanced_grid(processes, rank, grid) bind(C, name="distview_balanced_grid")
            import :: c_int
            integer(c_int), value :: processes, rank
            integer(c_int), intent(inout) :: grid(*)
        end function
        integer(c_int) function c_layout_permute(layout, permutation, result) &
            bind(C, name="distview_layout_permute")
            import :: c_int, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), intent(in) :: permutation(*)
            type(c_ptr), intent(inout) :: result
        end function
        function c_layout_retain(layout) bind(C, name="distview_layout_retain") result(same)
            import :: c_ptr
            type(c_ptr), value :: layout
            type(c_ptr) :: same
        end function
        subroutine c_layout_release(layout) bind(C, name="distview_layout_release")
            import :: c_ptr
            type(c_ptr), value :: layout
        end subroutine
        integer(c_int) function c_layout_rank(layout, rank) bind(C, name="distview_layout_rank")
            import :: c_int, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), intent(inout) :: rank
        end function
        integer(c_int) function c_layout_grid(layout, grid) bind(C, name="distview_layout_grid")
            import :: c_int, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), intent(inout) :: grid(*)
        end function
        integer(c_int) function c_layout_process_count(layout, processes) &
            bind(C, name="distview_layout_process_count")
            import :: c_int, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), intent(inout) :: processes
        end function
        integer(c_int) function c_layout_extents(layout, extents) bind(C, name="distview_layout_extents")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int64_t), intent(inout) :: extents(*)
        end function
        integer(c_int) function c_layout_size(layout, size) bind(C, name="distview_layout_size")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int64_t), intent(inout) :: size
        end function
        integer(c_int) function c_layout_coordinates(layout, process, coordinates) &
            bind(C, name="distview_layout_coordinates")
            import :: c_int, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), value :: process
            integer(c_int), intent(inout) :: coordinates(*)
        end function
        integer(c_int) function c_layout_local_extents(layout, process, extents) &
            bind(C, name="distview_layout_local_extents")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), value :: process
            integer(c_int64_t), intent(inout) :: extents(*)
        end function
        integer(c_int) function c_layout_owned(layout, process, begin, end) &
            bind(C, name="distview_layout_owned")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), value :: process
            integer(c_int64_t), intent(inout) :: begin(*), end(*)
        end function
        integer(c_int) function c_layout_interior(layout, process, begin, end) &
            bind(C, name="distview_layout_interior")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), value :: process
            integer(c_int64_t), intent(inout) :: begin(*), end(*)
        end function
        integer(c_int) function c_layout_owner(layout, index, process) bind(C, name="distview_layout_owner")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int64_t), intent(in) :: index(*)
            integer(c_int), intent(inout) :: process
        end function
        integer(c_int) function c_layout_to_global(layout, process, axis, position, index) &
            bind(C, name="distview_layout_to_global")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), value :: process, axis
            integer(c_int64_t), value :: position
            integer(c_int64_t), intent(inout) :: index
        end function
        integer(c_int) function c_layout_to_local(layout, process, axis, index, position) &
            bind(C, name="distview_layout_to_local")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), value :: process, axis
            integer(c_int64_t), value :: index
            integer(c_int64_t), intent(inout) :: position
        end function
        integer(c_int) function c_layout_equal(a, b, equal) bind(C, name="distview_layout_equal")
            import :: c_int, c_ptr
            type(c_ptr), value :: a, b
            integer(c_int), intent(inout) :: equal
        end function
        integer(c_int) function c_layout_fingerprint(layout, fingerprint) &
            bind(C, name="distview_layout_fingerprint")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout
            integer(c_int64_t), intent(inout) :: fingerprint
        end function
        integer(c_int) function c_layout_describe(layout, text, capacity, length) &
            bind(C, name="distview_layout_describe")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: layout, text
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), intent(inout) :: length
        end function

        integer(c_int) function c_array_borrow_local(comm, layout, process, memory, result) &
            bind(C, name="distview_array_borrow_local")
            import :: c_int, c_ptr, distview_memory
            type(c_ptr), value :: comm, layout
            integer(c_int), value :: process
            type(distview_memory), intent(in) :: memory
            type(c_ptr), intent(inout) :: result
        end function
        subroutine c_array_release(array) bind(C, name="distview_array_release")
            import :: c_ptr
            type(c_ptr), value :: array
        end subroutine

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
        integer(c_int) function c_padding_plan_start(plan, count, arrays, result) &
            bind(C, name="distview_padding_plan_start")
            import :: c_int, c_ptr
            type(c_ptr), value :: plan
            integer(c_int), value :: count
            type(c_ptr), intent(in) :: arrays(*)
            type(c_ptr), intent(inout) :: result
        end function
        integer(c_int) function c_exchange_finish(exchange) bind(C, name="distview_exchange_finish")
            import :: c_int, c_ptr
            type(c_ptr), value :: exchange
        end function
        integer(c_int) function c_exchange_can_finish(exchange, can_finish) &
            bind(C, name="distview_exchange_can_finish")
            import :: c_int, c_ptr
            type(c_ptr), value :: exchange
            integer(c_int), intent(inout) :: can_finish
        end function
        function c_exchange_retain(exchange) bind(C, name="distview_exchange_retain") result(same)
            import :: c_ptr
            type(c_ptr), value :: exchange
            type(c_ptr) :: same
        end function
        subroutine c_exchange_release(exchange) bind(C, name="distview_exchange_release")
            import :: c_ptr
            type(c_ptr), value :: exchange
        end subroutine
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

    ! Errors

    ! Ends a procedure: tells of an error, or ends the program with it.
    subroutine settle(status, stat, errmsg)
        integer(c_int), intent(in) :: status
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(:), allocatable :: text
        if (present(stat)) stat = status
        if (status == distview_success) return
        if (present(errmsg)) errmsg = distview_error_message()
        if (present(stat)) return
        text = distview_error_class() // ": " // distview_error_message()
        error stop text
    end subroutine

    ! The text that a C pointer leads to.
    function text_of(address) result(text)
        type(c_ptr), intent(in) :: address
        character(:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        integer :: i
        if (.not. c_associated(address)) then
            text = ""
            return
        end if
        call c_f_pointer(address, letters, [c_strlen(address)])
        allocate(character(size(letters)) :: text)
        do i = 1, size(letters)
            text(i:i) = letters(i)
        end do
    end function

    ! What the last procedure that failed in this thread said; "" if none has failed.
    function distview_error_message() result(text)
        character(:), allocatable :: text
        type(c_error), pointer :: error
        call c_f_pointer(c_last_error(), error)
        text = text_of(error%message)
    end function

    ! Its class: "LayoutError", "ShapeError", "UsageError", "ProtocolError", "MpiError" or "OtherError".
    function distview_error_class() result(text)
        character(:), allocatable :: text
        type(c_error), pointer :: error
        call c_f_pointer(c_last_error(), error)
        text = text_of(error%class_name)
    end function

    ! Its code: what distview_fail() was given, or the reason of a distview_protocol_error.
    function distview_error_code() result(text)
        character(:), allocatable :: text
        type(c_error), pointer :: error
        call c_f_pointer(c_last_error(), error)
        text = text_of(error%code)
    end function

    ! Says what went wrong in a procedure of the program that the library has called: sets stat to the class, and the
    ! text and the code that the library's procedure then fails with.
    subroutine distview_fail(stat, class, message, code)
        integer, intent(out) :: stat
        integer, intent(in) :: class
        character(*), intent(in) :: message
        character(*), intent(in), optional :: code
        character(kind=c_char, len=:), allocatable, target :: letters
        stat = class
        if (present(code)) then
            letters = trim(code) // c_null_char
            stat = c_set_error(int(class, c_int), c_loc(letters), trim(message) // c_null_char)
        else
            stat = c_set_error(int(class, c_int), c_null_ptr, trim(message) // c_null_char)
        end if
    end subroutine

    integer(c_int) function failure(class, message)
        integer, intent(in) :: class
        character(*), intent(in) :: message
        failure = c_set_error(int(class, c_int), c_null_ptr, message // c_null_char)
    end function

    function decimal(number) result(text)
        integer, intent(in) :: number
        character(:), allocatable :: text
        character(12) :: digits
        write (digits, "(i0)") number
        text = trim(digits)
    end function

    ! Start and end

    ! Starts MPI and Kokkos as far as nobody has; `threads` of Kokkos, per process.
    !
    ! Collective: over all processes of the program if MPI does not run, else no
    subroutine distview_initialize(threads, thread_level, stat, errmsg)
        integer, intent(in), optional :: threads, thread_level
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(c_init_options) :: options
        if (present(threads)) options%threads = threads
        if (present(thread_level)) options%thread_level = thread_level
        call settle(c_initialize(options), stat, errmsg)
    end subroutine

    ! Takes back one distview_initialize(); the last one ends what it has started.
    !
    ! Collective: over all processes of the program if distview_initialize() started MPI, else no
    subroutine distview_finalize(stat, errmsg)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call settle(c_finalize(), stat, errmsg)
    end subroutine

    logical function distview_is_initialized()
        distview_is_initialized = c_is_initialized() /= 0
    end function

    function distview_version() result(text)
        character(:), allocatable :: text
        text = text_of(c_version())
    end function

    function distview_build_info() result(text)
        character(:), allocatable :: text
        text = text_of(c_build_info())
    end function

    ! Communicators

    ! A communicator of MPI's integer handle; of mpi_f08 take comm%mpi_val, or module distview_mpi_f08.
    !
    ! Collective: over mpi_comm, the first time it comes
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

    ! Returns when all ranks have called it.
    !
    ! Collective: over the communicator
    subroutine communicator_barrier(self, stat, errmsg)
        class(distview_communicator), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call settle(c_communicator_barrier(self%handle), stat, errmsg)
    end subroutine

    ! Ends a step of the program that may have failed on some ranks: fails on all with the error of the lowest rank whose
    ! `status` is not 0, which it may have had from distview_fail().
    !
    ! Collective: over the communicator
    subroutine communicator_agree(self, caller, status, stat, errmsg)
        class(distview_communicator), intent(in) :: self
        character(*), intent(in) :: caller
        integer, intent(in) :: status
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call settle(c_communicator_agree(self%handle, trim(caller) // c_null_char, &
                                         int(status, c_int)), stat, errmsg)
    end subroutine

    ! Frees the duplicate. Whatever was made with it can only be released then.
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

    subroutine communicator_assign(self, other)
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

    ! Layouts

    ! A layout of blocks, or of the `kinds` given: distview_regular_block, distview_cyclic (of block_sizes). The grid has
    ! grid(d) processes along axis d. `padding` is the width on all sides of every section, `paddings(:, d)` low and high
    ! of axis d.
    !
    ! Errors: distview_layout_error
    subroutine layout_create_int32(self, extents, grid, padding, paddings, periodic, kinds, block_sizes, &
                                   stat, errmsg)
        class(distview_layout), intent(inout) :: self
        integer(int32), intent(in) :: extents(:)
        integer, intent(in) :: grid(:)
        integer, intent(in), optional :: padding, paddings(:, :), kinds(:), block_sizes(:)
        logical, intent(in), optional :: periodic(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call layout_create_int64(self, int(extents, int64), grid, padding, paddings, periodic, kinds, &
                                 block_sizes, stat, errmsg)
    end subroutine

    subroutine layout_create_int64(self, extents, grid, padding, paddings, periodic, kinds, block_sizes, &
                                   stat, errmsg)
        class(distview_layout), intent(inout) :: self
        integer(int64), intent(in) :: extents(:)
        integer, intent(in) :: grid(:)
        integer, intent(in), optional :: padding, paddings(:, :), kinds(:), block_sizes(:)
        logical, intent(in), optional :: periodic(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_axis) :: axes(size(extents))
        integer(c_int) :: status
        integer :: d, n
        n = size(extents)
        status = distview_success
        if (present(paddings)) call check("paddings", size(paddings, 2), status)
        if (present(paddings)) call check_pairs(size(paddings, 1), status)
        if (present(kinds)) call check("kinds", size(kinds), status)
        if (present(block_sizes)) call check("block_sizes", size(block_sizes), status)
        if (present(periodic)) call check("periodic", size(periodic), status)
        if (status /= distview_success) then
            call settle(status, stat, errmsg)
            return
        end if
        do d = 1, n
            axes(d)%extent = extents(d)
            if (present(padding)) axes(d)%padding = padding
            if (present(paddings)) axes(d)%padding = paddings(:, d)
            if (present(kinds)) axes(d)%kind = kinds(d)
            if (present(block_sizes)) axes(d)%block_size = block_sizes(d)
            if (present(periodic)) axes(d)%periodic = periodic(d)
        end do
        call layout_create_axes(self, axes, grid, stat, errmsg)
    contains
        subroutine check(name, count, status)
            character(*), intent(in) :: name
            integer, intent(in) :: count
            integer(c_int), intent(inout) :: status
            if (count /= n .and. status == distview_success) &
                status = failure(distview_layout_error, "distview_layout: expected " // decimal(n) // &
                                 " " // name // ", one for each axis, got " // decimal(count))
        end subroutine
        subroutine check_pairs(count, status)
            integer, intent(in) :: count
            integer(c_int), intent(inout) :: status
            if (count /= 2 .and. status == distview_success) &
                status = failure(distview_layout_error, "distview_layout: expected 2 paddings for " // &
                                 "each axis, low and high, got " // decimal(count))
        end subroutine
    end subroutine

    subroutine layout_create_axes(self, axes, grid, stat, errmsg)
        class(distview_layout), intent(inout) :: self
        type(distview_axis), intent(in) :: axes(:)
        integer, intent(in) :: grid(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type :: lists
            integer(c_int64_t), allocatable :: bounds(:), counts(:), labels(:), ghosts(:)
        end type
        type(lists), target :: of_axis(size(axes))
        type(distribution_call), target :: calls(size(axes))
        type(c_axis) :: c_axes(size(axes))
        type(c_ptr) :: made
        integer(c_int) :: status
        integer :: d, n
        n = size(axes)
        made = c_null_ptr
        status = distview_success
        if (size(grid) /= n) status = failure(distview_layout_error, "distview_layout: expected a grid of " &
            // decimal(n) // " axes, got " // decimal(size(grid)))
        do d = 1, n
            if (status == distview_success) &
                status = convert(axes(d), grid(d), c_axes(n + 1 - d), of_axis(d), calls(d))
        end do
        if (status == distview_success) status = c_layout_create(int(n, c_int), int(grid(n:1:-1), c_int), &
                                                                 c_axes, made)
        if (status == distview_success) then
            call self%release()
            self%handle = made
        end if
        call settle(status, stat, errmsg)
    contains
        integer(c_int) function convert(axis, processes, to, kept, user) result(status)
            type(distview_axis), intent(in) :: axis
            integer, intent(in) :: processes
            type(c_axis), intent(inout) :: to
            type(lists), intent(inout), target :: kept
            type(distribution_call), intent(inout), target :: user
            to%kind = int(axis%kind, c_int32_t)
            to%periodic = merge(1, 0, axis%periodic)
            to%extent = axis%extent
            to%padding_low = axis%padding(1)
            to%padding_high = axis%padding(2)
            to%own_boundary = merge(1, 0, any(axis%boundary >= 0))
            to%boundary_low = merge(axis%boundary(1), axis%padding(1), axis%boundary(1) >= 0)
            to%boundary_high = merge(axis%boundary(2), axis%padding(2), axis%boundary(2) >= 0)
            to%block_size = axis%block_size
            status = distview_success
            if (axis%kind == distview_block_bounds) then
                if (.not. allocated(axis%bounds)) then
                    status = failure(distview_layout_error, "distview_layout: expected bounds of blocks, " // &
                                     "got none")
                else if (size(axis%bounds) /= processes + 1) then
                    status = failure(distview_layout_error, "distview_layout: expected " // &
                                     decimal(processes + 1) // " bounds, got " // decimal(size(axis%bounds)))
                else
                    kept%bounds = axis%bounds - 1
                    to%bounds = c_loc(kept%bounds)
                end if
            else if (axis%kind == distview_unstructured) then
                if (.not. (allocated(axis%counts) .and. allocated(axis%labels))) then
                    status = failure(distview_layout_error, "distview_layout: expected counts and labels, " // &
                                     "got none")
                else if (size(axis%counts) /= processes .or. sum(axis%counts) /= size(axis%labels)) then
                    status = failure(distview_layout_error, "distview_layout: expected " // &
                                     decimal(processes) // " counts, in sum " // decimal(size(axis%labels)) // &
                                     ", got " // decimal(size(axis%counts)) // ", in sum " // &
                                     decimal(int(sum(axis%counts))))
                else
                    kept%counts = axis%counts
                    kept%labels = axis%labels - 1
                    to%counts = c_loc(kept%counts)
                    to%labels = c_loc(kept%labels)
                    if (allocated(axis%ghosts)) then
                        kept%ghosts = axis%ghosts
                        to%ghosts = c_loc(kept%ghosts)
                    end if
                end if
            else if (axis%kind == distview_user .and. associated(axis%distribution)) then
                user%distribution => axis%distribution
                to%distribution = c_funloc(call_distribution)
                to%user = c_loc(user)
            end if
        end function
    end subroutine

    integer(c_int) function call_distribution(index, process, position, user) bind(C) result(status)
        integer(c_int64_t), value :: index
        integer(c_int), intent(out) :: process
        integer(c_int64_t), intent(out) :: position
        type(c_ptr), value :: user
        type(distribution_call), pointer :: to
        integer :: of_process, stat
        integer(int64) :: local
        call c_f_pointer(user, to)
        stat = distview_success
        of_process = -1
        local = 0
        call to%distribution(index + 1, of_process, local, stat)
        process = of_process
        position = local - 1
        status = stat
    end function

    ! grid(d) processes along axis d, in all `processes`: as close to a cube as can be.
    function distview_balanced_grid(processes, rank, stat, errmsg) result(grid)
        integer, intent(in) :: processes, rank
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer :: grid(rank)
        integer(c_int) :: reversed(rank)
        reversed = 0
        call settle(c_balanced_grid(int(processes, c_int), int(rank, c_int), reversed), stat, errmsg)
        grid = reversed(rank:1:-1)
    end function

    ! Number of axes.
    integer function layout_rank(self, stat, errmsg) result(rank)
        class(distview_layout), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: answer
        answer = 0
        call settle(c_layout_rank(self%handle, answer), stat, errmsg)
        rank = answer
    end function

    ! Number of axes, 0 of what is no layout.
    integer function axes_of(self) result(rank)
        type(c_ptr), intent(in) :: self
        integer(c_int) :: answer, status
        answer = 0
        status = c_layout_rank(self, answer)
        rank = merge(answer, 0, status == distview_success)
    end function

    ! Processes along each axis, and in all.
    function layout_grid(self, stat, errmsg) result(grid)
        class(distview_layout), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer, allocatable :: grid(:)
        integer(c_int) :: found(distview_max_rank)
        integer :: n
        found = 0
        call settle(c_layout_grid(self%handle, found), stat, errmsg)
        n = axes_of(self%handle)
        grid = found(n:1:-1)
    end function

    integer function layout_process_count(self, stat, errmsg) result(processes)
        class(distview_layout), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: answer
        answer = 0
        call settle(c_layout_process_count(self%handle, answer), stat, errmsg)
        processes = answer
    end function

    ! Interior cells of the whole array along each axis, and in all.
    function layout_extents(self, stat, errmsg) result(extents)
        class(distview_layout), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: extents(:)
        integer(c_int64_t) :: found(distview_max_rank)
        integer :: n
        found = 0
        call settle(c_layout_extents(self%handle, found), stat, errmsg)
        n = axes_of(self%handle)
        extents = found(n:1:-1)
    end function

    integer(int64) function layout_size(self, stat, errmsg) result(cells)
        class(distview_layout), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: answer
        answer = 0
        call settle(c_layout_size(self%handle, answer), stat, errmsg)
        cells = answer
    end function

    ! Coordinates of a process in the grid, from 0.
    function layout_coordinates(self, process, stat, errmsg) result(coordinates)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: process
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer, allocatable :: coordinates(:)
        integer(c_int) :: found(distview_max_rank)
        integer :: n
        found = 0
        call settle(c_layout_coordinates(self%handle, int(process, c_int), found), stat, errmsg)
        n = axes_of(self%handle)
        coordinates = found(n:1:-1)
    end function

    ! Extents of the section of a process, all padding and ghosts included.
    function layout_local_shape(self, process, stat, errmsg) result(extents)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: process
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: extents(:)
        integer(c_int64_t) :: found(distview_max_rank)
        integer :: n
        found = 0
        call settle(c_layout_local_extents(self%handle, int(process, c_int), found), stat, errmsg)
        n = axes_of(self%handle)
        extents = found(n:1:-1)
    end function

    ! Positions of C, from 0 and half-open, in C's order: of the section, of what it owns and of its interior.
    integer(c_int) function find_ranges(self, process, section, owned, interior) result(status)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: process
        integer(c_int64_t), intent(out), dimension(2, distview_max_rank) :: section, owned, interior
        integer(c_int64_t), dimension(distview_max_rank) :: begin, end
        section = 0
        owned = 0
        interior = 0
        end = 0
        status = c_layout_local_extents(self%handle, int(process, c_int), end)
        if (status /= distview_success) return
        section(2, :) = end
        status = c_layout_owned(self%handle, int(process, c_int), begin, end)
        if (status /= distview_success) return
        owned(1, :) = begin
        owned(2, :) = end
        status = c_layout_interior(self%handle, int(process, c_int), begin, end)
        interior(1, :) = begin
        interior(2, :) = end
    end function

    ! The range with local numbers, or with global ones, in Fortran's order.
    function bounds_of(self, process, which, is_global, stat, errmsg) result(bounds)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: process, which ! 1: section, 2: owned, 3: interior
        logical, intent(in) :: is_global
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: bounds(:, :)
        integer(c_int64_t) :: ranges(2, distview_max_rank, 3), first, last, count
        integer(c_int) :: status, axis
        integer :: d, n
        n = axes_of(self%handle)
        status = find_ranges(self, process, ranges(:, :, 1), ranges(:, :, 2), ranges(:, :, 3))
        allocate(bounds(2, n), source=0_int64)
        do d = 1, n
            if (status /= distview_success) exit
            axis = int(n - d, c_int)
            bounds(1, d) = ranges(1, axis + 1, which) - ranges(1, axis + 1, 3) + 1
            bounds(2, d) = ranges(2, axis + 1, which) - ranges(1, axis + 1, 3)
            count = ranges(2, axis + 1, 3) - ranges(1, axis + 1, 3)
            if (.not. is_global .or. count <= 0) cycle
            status = c_layout_to_global(self%handle, int(process, c_int), axis, ranges(1, axis + 1, 3), first)
            if (status == distview_success) &
                status = c_layout_to_global(self%handle, int(process, c_int), axis, &
                                            ranges(2, axis + 1, 3) - 1, last)
            if (status == distview_success .and. last - first /= count - 1) &
                status = failure(distview_usage_error, "distview_layout: expected blocks along axis " // &
                                 decimal(d) // ", whose cells have global numbers one after the other")
            bounds(:, d) = bounds(:, d) + first
        end do
        call settle(status, stat, errmsg)
    end function

    ! Bounds, first in bounds(1, d) and last in bounds(2, d), of the section of a process with all its padding, in local
    ! numbers: the first interior cell is 1. So allocate u(b(1, 1) : b(2, 1), b(1, 2) : b(2, 2)).
    function layout_local_bounds(self, process, stat, errmsg) result(bounds)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: process
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: bounds(:, :)
        bounds = bounds_of(self, process, 1, .false., stat, errmsg)
    end function

    ! The same without communication padding and ghosts: all that the process owns.
    function layout_local_owned(self, process, stat, errmsg) result(bounds)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: process
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: bounds(:, :)
        bounds = bounds_of(self, process, 2, .false., stat, errmsg)
    end function

    ! The same without any padding: 1 : n.
    function layout_local_interior(self, process, stat, errmsg) result(bounds)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: process
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: bounds(:, :)
        bounds = bounds_of(self, process, 3, .false., stat, errmsg)
    end function

    ! Bounds of the section with all its padding, of what it owns and of its interior, in global numbers; of layouts of
    ! blocks. Where a process has no cells along an axis, its interior is 1 : 0.
    !
    ! Errors: distview_usage_error where global numbers do not follow each other
    function layout_global_bounds(self, process, stat, errmsg) result(bounds)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: process
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: bounds(:, :)
        bounds = bounds_of(self, process, 1, .true., stat, errmsg)
    end function

    function layout_global_owned(self, process, stat, errmsg) result(bounds)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: process
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: bounds(:, :)
        bounds = bounds_of(self, process, 2, .true., stat, errmsg)
    end function

    function layout_global_interior(self, process, stat, errmsg) result(bounds)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: process
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: bounds(:, :)
        bounds = bounds_of(self, process, 3, .true., stat, errmsg)
    end function

    ! The process that owns the cell with these global numbers; -1 where a label has no owner.
    !
    ! Errors: distview_usage_error outside of the array with its boundary padding
    integer function layout_owner_int32(self, index, stat, errmsg) result(process)
        class(distview_layout), intent(in) :: self
        integer(int32), intent(in) :: index(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        process = layout_owner_int64(self, int(index, int64), stat, errmsg)
    end function

    integer function layout_owner_int64(self, index, stat, errmsg) result(process)
        class(distview_layout), intent(in) :: self
        integer(int64), intent(in) :: index(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: answer, status
        answer = -1
        if (size(index) == axes_of(self%handle) .or. .not. c_associated(self%handle)) then
            status = c_layout_owner(self%handle, index(size(index):1:-1) - 1, answer)
        else
            status = failure(distview_usage_error, "distview_layout: expected " // &
                             decimal(axes_of(self%handle)) // " numbers of a cell, got " // decimal(size(index)))
        end if
        call settle(status, stat, errmsg)
        process = answer
    end function

    ! Global number of the cells with the local number i along an axis, and the reverse: -huge(0_int64) if the section
    ! does not hold it.
    integer(int64) function layout_to_global_int32(self, process, axis, i, stat, errmsg) result(index)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: process, axis
        integer(int32), intent(in) :: i
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        index = layout_to_global(self, process, axis, int(i, int64), stat, errmsg)
    end function

    integer(int64) function layout_to_global(self, process, axis, i, stat, errmsg) result(index)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: process, axis
        integer(int64), intent(in) :: i
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t), dimension(2, distview_max_rank) :: section, owned, interior
        integer(c_int) :: status, c_axis_number
        integer(c_int64_t) :: answer
        answer = -1
        c_axis_number = int(axes_of(self%handle) - axis, c_int)
        status = check_axis(self, axis)
        if (status == distview_success) status = find_ranges(self, process, section, owned, interior)
        if (status == distview_success) status = c_layout_to_global(self%handle, int(process, c_int), &
            c_axis_number, i - 1 + interior(1, c_axis_number + 1), answer)
        call settle(status, stat, errmsg)
        index = answer + 1
    end function

    integer(int64) function layout_to_local_int32(self, process, axis, index, stat, errmsg) result(i)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: process, axis
        integer(int32), intent(in) :: index
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        i = layout_to_local(self, process, axis, int(index, int64), stat, errmsg)
    end function

    integer(int64) function layout_to_local(self, process, axis, index, stat, errmsg) result(i)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: process, axis
        integer(int64), intent(in) :: index
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t), dimension(2, distview_max_rank) :: section, owned, interior
        integer(c_int) :: status, c_axis_number
        integer(c_int64_t) :: answer
        answer = -1
        i = -huge(0_int64)
        c_axis_number = int(axes_of(self%handle) - axis, c_int)
        status = check_axis(self, axis)
        if (status == distview_success) status = find_ranges(self, process, section, owned, interior)
        if (status == distview_success) status = c_layout_to_local(self%handle, int(process, c_int), &
            c_axis_number, index - 1, answer)
        call settle(status, stat, errmsg)
        if (status == distview_success .and. answer >= 0) i = answer - interior(1, c_axis_number + 1) + 1
    end function

    integer(c_int) function check_axis(self, axis) result(status)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: axis
        status = distview_success
        if (axis >= 1 .and. axis <= axes_of(self%handle)) return
        status = failure(distview_usage_error, "distview_layout: expected an axis from 1 to " // &
                         decimal(axes_of(self%handle)) // ", got " // decimal(axis))
    end function

    ! The layout whose axis d is this one's axis permutation(d), on the permuted grid.
    function layout_permuted(self, permutation, stat, errmsg) result(permuted)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: permutation(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_layout) :: permuted
        integer(c_int) :: status
        if (size(permutation) == axes_of(self%handle)) then
            status = c_layout_permute(self%handle, c_permutation(permutation), permuted%handle)
        else
            status = failure(distview_layout_error, "distview_layout: expected a permutation of " // &
                             decimal(axes_of(self%handle)) // " axes, got " // decimal(size(permutation)))
        end if
        call settle(status, stat, errmsg)
    end function

    ! Axes from 1 in Fortran's order, as axes from 0 in C's.
    pure function c_permutation(permutation) result(reversed)
        integer, intent(in) :: permutation(:)
        integer(c_int) :: reversed(size(permutation))
        reversed = int(size(permutation) - permutation(size(permutation):1:-1), c_int)
    end function

    ! Equal layouts have equal fingerprints, also on other ranks.
    logical function layout_equal(self, other)
        class(distview_layout), intent(in) :: self
        type(distview_layout), intent(in) :: other
        integer(c_int) :: answer
        answer = 0
        call settle(c_layout_equal(self%handle, other%handle, answer))
        layout_equal = answer /= 0
    end function

    integer(int64) function layout_fingerprint(self, stat, errmsg) result(fingerprint)
        class(distview_layout), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: answer
        answer = 0
        call settle(c_layout_fingerprint(self%handle, answer), stat, errmsg)
        fingerprint = answer
    end function

    ! Who owns what, in words.
    function layout_describe(self, stat, errmsg) result(text)
        class(distview_layout), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(:), allocatable :: text
        character(kind=c_char, len=:), allocatable, target :: buffer
        integer(c_int64_t) :: length
        integer(c_int) :: status
        length = 0
        text = ""
        status = c_layout_describe(self%handle, c_null_ptr, 0_c_int64_t, length)
        allocate(character(length + 1) :: buffer)
        if (status == distview_success) &
            status = c_layout_describe(self%handle, c_loc(buffer), length + 1, length)
        call settle(status, stat, errmsg)
        if (status == distview_success) text = buffer(:length)
    end function

    subroutine layout_release(self)
        class(distview_layout), intent(inout) :: self
        if (c_associated(self%handle)) call c_layout_release(self%handle)
        self%handle = c_null_ptr
    end subroutine

    subroutine layout_assign(self, other)
        class(distview_layout), intent(inout) :: self
        type(distview_layout), intent(in) :: other
        type(c_ptr) :: same
        same = c_layout_retain(other%handle)
        call self%release()
        self%handle = same
    end subroutine

    impure elemental subroutine layout_final(self)
        type(distview_layout), intent(inout) :: self
        call self%release()
    end subroutine

    ! Memory

    ! The memory of a plain array, for exchange_memory() and the like. Of a component of an array of derived type, which
    ! gfortran would copy here, take distview_component_of().
    function distview_memory_of(a) result(memory)
        type(*), dimension(..), intent(in), asynchronous :: a
        type(distview_memory) :: memory
        call c_describe_array(a, memory)
    end function

    ! Memory of one component of all elements of `a`, which is that of the first element at `address`:
    !
    !     call plan%exchange_memory([distview_component_of(cells, c_loc(cells(0, 0)%u), distview_float64)])
    function distview_component_of(a, address, element) result(memory)
        type(*), dimension(..), intent(in), asynchronous :: a
        type(c_ptr), intent(in) :: address
        integer(c_int32_t), intent(in) :: element
        type(distview_memory) :: memory
        call c_describe_array(a, memory)
        memory%data = address
        memory%element = element
    end function

    ! Memory at an address, of a device too: elements of one type, by default one after the other with the first axis
    ! fastest; `strides` are bytes.
    function distview_memory_at(address, element, extents, strides, device_type, device_id) result(memory)
        type(c_ptr), intent(in) :: address
        integer(c_int32_t), intent(in) :: element
        integer(int64), intent(in) :: extents(:)
        integer(int64), intent(in), optional :: strides(:)
        integer, intent(in), optional :: device_type, device_id
        type(distview_memory) :: memory
        integer(int64) :: stride
        integer :: d, n
        n = size(extents)
        memory%data = address
        memory%element = element
        memory%rank = n
        stride = mod(element, 2**24)
        do d = 1, min(n, distview_max_rank)
            memory%extents(n + 1 - d) = extents(d)
            memory%strides(n + 1 - d) = stride
            if (present(strides)) memory%strides(n + 1 - d) = strides(d)
            stride = stride * extents(d)
        end do
        if (present(device_type)) memory%device_type = device_type
        if (present(device_id)) memory%device_id = device_id
    end function

    ! Fields of one call

    subroutine describe_fields(cache, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16)
        type(known_arrays), intent(inout) :: cache
        type(*), dimension(..), intent(inout), asynchronous :: f1
        type(*), dimension(..), intent(inout), asynchronous, optional :: f2, f3, f4, f5, f6, f7, f8, f9, &
            f10, f11, f12, f13, f14, f15, f16
        cache%field_count = 1
        cache%has_gap = .false.
        call c_describe_array(f1, cache%fields(1))
        if (present(f2)) call add_field(cache, 2, f2)
        if (present(f3)) call add_field(cache, 3, f3)
        if (present(f4)) call add_field(cache, 4, f4)
        if (present(f5)) call add_field(cache, 5, f5)
        if (present(f6)) call add_field(cache, 6, f6)
        if (present(f7)) call add_field(cache, 7, f7)
        if (present(f8)) call add_field(cache, 8, f8)
        if (present(f9)) call add_field(cache, 9, f9)
        if (present(f10)) call add_field(cache, 10, f10)
        if (present(f11)) call add_field(cache, 11, f11)
        if (present(f12)) call add_field(cache, 12, f12)
        if (present(f13)) call add_field(cache, 13, f13)
        if (present(f14)) call add_field(cache, 14, f14)
        if (present(f15)) call add_field(cache, 15, f15)
        if (present(f16)) call add_field(cache, 16, f16)
    end subroutine

    ! An array that is not allocated counts as absent, as the language has it.
    subroutine add_field(cache, number, f)
        type(known_arrays), intent(inout) :: cache
        integer, intent(in) :: number
        type(*), dimension(..), intent(in), asynchronous :: f
        if (number /= cache%field_count + 1) cache%has_gap = .true.
        cache%field_count = number
        call c_describe_array(f, cache%fields(number))
    end subroutine

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

    ! The number of what the cache knows of a field, 0 if that is nothing. Fields come in the same order again and again.
    integer function find_known(cache, field, layout)
        type(known_arrays), intent(inout) :: cache
        type(distview_memory), intent(in) :: field
        integer, intent(in) :: layout
        integer :: i, at
        at = cache%next
        do i = 1, cache%count
            if (at > cache%count) at = 1
            if (cache%known(at)%layout == layout) then
                if (is_same(cache%known(at)%memory, field)) then
                    cache%next = at + 1
                    find_known = at
                    return
                end if
            end if
            at = at + 1
        end do
        find_known = 0
    end function

    integer(c_int) function add_known(cache, field, layout, comm_handle, layout_handle, process) result(status)
        type(known_arrays), intent(inout) :: cache
        type(distview_memory), intent(in) :: field
        integer, intent(in) :: layout
        type(c_ptr), intent(in) :: comm_handle, layout_handle
        integer(c_int), intent(in) :: process
        type(known_array), allocatable :: more(:)
        type(c_ptr) :: made
        made = c_null_ptr
        status = c_array_borrow_local(comm_handle, layout_handle, process, field, made)
        if (status /= distview_success) return
        if (.not. allocated(cache%known)) allocate(cache%known(8))
        if (cache%count == size(cache%known)) then
            allocate(more(2 * cache%count))
            more(:cache%count) = cache%known
            call move_alloc(more, cache%known)
        end if
        cache%count = cache%count + 1
        cache%known(cache%count)%memory = field
        cache%known(cache%count)%layout = layout
        cache%known(cache%count)%array = made
    end function

    subroutine forget_known(cache)
        type(known_arrays), intent(inout) :: cache
        integer :: i
        do i = 1, cache%count
            call c_array_release(cache%known(i)%array)
        end do
        cache%count = 0
        cache%next = 1
    end subroutine

    ! Handles of the described fields, in cache%arrays. What is wrong on this rank alone all ranks are told.
    integer(c_int) function resolve_fields(plan, name) result(status)
        class(distview_padding_plan), intent(inout) :: plan
        character(*), intent(in) :: name
        integer :: i, at, layout
        status = distview_success
        if (.not. c_associated(plan%handle)) then
            status = failure(distview_usage_error, name // ": expected a plan, got one that was not created")
            return
        end if
        if (plan%moving) call forget_moved(plan, name)
        if (plan%cache%count + plan%cache%field_count > most_known) call forget_known(plan%cache)
        if (plan%cache%has_gap) &
            status = failure(distview_usage_error, name // ": expected fields that are allocated, got one that is not")
        do i = 1, plan%cache%field_count
            if (status /= distview_success) exit
            layout = min(i, size(plan%layouts))
            at = find_known(plan%cache, plan%cache%fields(i), layout)
            if (at == 0) then
                status = add_known(plan%cache, plan%cache%fields(i), layout, plan%comm%handle, &
                                   plan%layouts(layout)%handle, plan%process)
                at = plan%cache%count
            end if
            if (status == distview_success) plan%cache%arrays(i) = plan%cache%known(at)%array
        end do
        if (status /= distview_success) &
            status = c_communicator_agree(plan%comm%handle, name // c_null_char, status)
    end function

    ! Where arrays move, all ranks forget them if one rank has new ones.
    subroutine forget_moved(plan, name)
        class(distview_padding_plan), intent(inout) :: plan
        character(*), intent(in) :: name
        integer(c_int) :: new
        integer :: i
        new = distview_success
        do i = 1, plan%cache%field_count
            if (find_known(plan%cache, plan%cache%fields(i), min(i, size(plan%layouts))) == 0) &
                new = distview_other_error
        end do
        if (c_communicator_agree(plan%comm%handle, name // c_null_char, new) /= distview_success) &
            call forget_known(plan%cache)
    end subroutine

    ! Padding plans

    ! A plan for any number of fields of a layout. `widths(:, d)`: low and high width to fill along axis d; by default all
    ! padding. `stencil`: distview_box, or distview_faces for neighbours along one axis only. `moving`: ranks ask each
    ! other before every exchange whether arrays are new, which takes a few microseconds.
    !
    ! Collective: over comm; all ranks pass the same
    ! Errors:     distview_layout_error if a padding cannot be filled from the neighbours; distview_usage_error
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
        integer(c_int) :: status
        integer :: n
        n = axes_of(layout%handle)
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
        ! Other ranks come to the same agreement within the C face.
        if (status /= distview_success) then
            status = c_communicator_agree(comm%handle, "distview_padding_plan" // c_null_char, status)
        else
            status = c_padding_plan_create(comm%handle, layout%handle, options, made)
        end if
        if (status == distview_success) call take_plan(self, comm, [layout], made, moving)
        call settle(status, stat, errmsg)
    end subroutine

    ! A plan for as many fields as there are layouts.
    !
    ! Collective: over comm; all ranks pass the same
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
        integer(c_int) :: status
        integer :: i
        call self%release()
        self%handle = made
        self%comm = comm
        allocate(self%layouts(size(layouts)))
        do i = 1, size(layouts)
            self%layouts(i) = layouts(i)
        end do
        status = c_communicator_rank(comm%handle, self%process)
        self%moving = .false.
        if (present(moving)) self%moving = moving
    end subroutine

    ! Fills the padding of the fields, all of them together: one message a neighbour. Element types may differ.
    !
    ! Collective: over the plan's communicator; all ranks pass the same arrays
    ! Touches:    reads owned elements near the section's border, writes padding
    ! Cost:       as of the C++ call and some 0.1 us; no allocation for a set that came before
    ! Errors:     distview_shape_error if an array has another shape than the layout's sections: where that is so on some
    !             ranks only, all get a distview_usage_error that says which calls did not meet; distview_usage_error if
    !             an exchange of the plan is in flight or was abandoned (on all ranks); distview_mpi_error
    subroutine padding_plan_exchange(self, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, &
                                     f16, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        type(*), dimension(..), intent(inout), asynchronous :: f1
        type(*), dimension(..), intent(inout), asynchronous, optional :: f2, f3, f4, f5, f6, f7, f8, f9, &
            f10, f11, f12, f13, f14, f15, f16
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        call describe_fields(self%cache, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16)
        status = resolve_fields(self, "distview_padding_plan%exchange")
        if (status == distview_success) &
            status = c_padding_plan_execute(self%handle, self%cache%field_count, self%cache%arrays)
        call settle(status, stat, errmsg)
    end subroutine

    ! The same of memory: at most 16 fields.
    !
    ! Collective: over the plan's communicator; all ranks pass the same memory
    subroutine padding_plan_exchange_memory(self, fields, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        type(distview_memory), intent(in) :: fields(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: status
        call take_fields(self%cache, fields)
        status = resolve_fields(self, "distview_padding_plan%exchange_memory")
        if (status == distview_success) &
            status = c_padding_plan_execute(self%handle, self%cache%field_count, self%cache%arrays)
        call settle(status, stat, errmsg)
    end subroutine

    subroutine take_fields(cache, fields)
        type(known_arrays), intent(inout) :: cache
        type(distview_memory), intent(in) :: fields(:)
        cache%field_count = min(size(fields), most_fields)
        cache%has_gap = size(fields) > most_fields
        cache%fields(:cache%field_count) = fields(:cache%field_count)
    end subroutine

    ! Begins what exchange does; `exchange` ends it. The fields are asynchronous until then.
    !
    ! Collective: over the plan's communicator; all ranks pass the same arrays
    ! Errors:     those of exchange
    subroutine padding_plan_start(self, exchange, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, &
                                  f15, f16, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        type(distview_exchange), intent(inout) :: exchange
        type(*), dimension(..), intent(inout), asynchronous :: f1
        type(*), dimension(..), intent(inout), asynchronous, optional :: f2, f3, f4, f5, f6, f7, f8, f9, &
            f10, f11, f12, f13, f14, f15, f16
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call describe_fields(self%cache, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16)
        call start_fields(self, "distview_padding_plan%start", exchange, stat, errmsg)
    end subroutine

    ! Collective: over the plan's communicator; all ranks pass the same memory
    subroutine padding_plan_start_memory(self, exchange, fields, stat, errmsg)
        class(distview_padding_plan), intent(inout) :: self
        type(distview_exchange), intent(inout) :: exchange
        type(distview_memory), intent(in) :: fields(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call take_fields(self%cache, fields)
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
        status = resolve_fields(self, name)
        if (status == distview_success) &
            status = c_padding_plan_start(self%handle, self%cache%field_count, self%cache%arrays, made)
        if (status == distview_success) then
            call exchange%release()
            exchange%handle = made
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! Combines padding with the elements that it copies, at their owners: the adjoint of exchange. Padding keeps its
    ! values. `operation`: distview_sum, distview_minimum, distview_maximum or one of distview_operation_create().
    !
    ! Collective: over the plan's communicator; all ranks pass the same
    ! Errors:     those of exchange; distview_shape_error for element types that are no numbers
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
        call describe_fields(self%cache, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16)
        status = resolve_fields(self, "distview_padding_plan%combine")
        if (status == distview_success) &
            status = c_padding_plan_combine(self%handle, int(operation, c_int), self%cache%field_count, &
                                            self%cache%arrays)
        call settle(status, stat, errmsg)
    end subroutine

    ! Fills the padding of the fields and calls the kernel for all interior cells, those that need no padding while
    ! elements of other ranks are on their way.
    !
    ! Collective: over the plan's communicator; all ranks pass the same arrays
    ! Shapes:     the kernel reads around a cell no further than the plan's widths; it writes none of the fields
    ! Errors:     those of exchange; what the kernel says (on all ranks)
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
        call describe_fields(self%cache, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16)
        status = resolve_fields(self, "distview_padding_plan%apply")
        user%kernel => kernel
        if (status == distview_success) &
            status = c_layout_interior(self%layouts(1)%handle, self%process, user%first, end)
        if (status == distview_success) &
            status = c_padding_plan_apply(self%handle, self%cache%field_count, self%cache%arrays, &
                                          c_funloc(call_kernel), c_loc(user))
        call settle(status, stat, errmsg)
    end subroutine

    integer(c_int) function call_kernel(rank, begin, end, user) bind(C) result(status)
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

    ! Forgets the arrays that came so far.
    !
    ! Collective: no, but all ranks forget at the same place between exchanges
    subroutine padding_plan_forget(self)
        class(distview_padding_plan), intent(inout) :: self
        call forget_known(self%cache)
    end subroutine

    ! Whether the plan can still be used: false if an exchange has been abandoned or has failed, as far as this rank knows.
    logical function padding_plan_is_usable(self, stat, errmsg) result(is_usable)
        class(distview_padding_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: answer
        answer = 0
        call settle(c_padding_plan_is_usable(self%handle, answer), stat, errmsg)
        is_usable = answer /= 0
    end function

    ! Bytes of buffers of the sets that came so far.
    integer(int64) function padding_plan_workspace_bytes(self, stat, errmsg) result(bytes)
        class(distview_padding_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int64_t) :: answer
        answer = 0
        call settle(c_padding_plan_workspace_bytes(self%handle, answer), stat, errmsg)
        bytes = answer
    end function

    ! Geometry, partners and transports of this process, in words.
    function padding_plan_describe(self, stat, errmsg) result(text)
        class(distview_padding_plan), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(:), allocatable :: text
        character(kind=c_char, len=:), allocatable, target :: buffer
        integer(c_int64_t) :: length
        integer(c_int) :: status
        length = 0
        text = ""
        status = c_padding_plan_describe(self%handle, c_null_ptr, 0_c_int64_t, length)
        allocate(character(length + 1) :: buffer)
        if (status == distview_success) &
            status = c_padding_plan_describe(self%handle, c_loc(buffer), length + 1, length)
        call settle(status, stat, errmsg)
        if (status == distview_success) text = buffer(:length)
    end function

    subroutine padding_plan_release(self)
        class(distview_padding_plan), intent(inout) :: self
        call forget_known(self%cache)
        if (c_associated(self%handle)) call c_padding_plan_release(self%handle)
        self%handle = c_null_ptr
        call self%comm%release()
        if (allocated(self%layouts)) deallocate(self%layouts)
    end subroutine

    ! The other name of the plan has to see the arrays itself.
    subroutine padding_plan_assign(self, other)
        class(distview_padding_plan), intent(inout) :: self
        type(distview_padding_plan), intent(in) :: other
        type(distview_communicator) :: comm
        type(distview_layout), allocatable :: layouts(:)
        type(c_ptr) :: same
        logical :: moving
        if (.not. allocated(other%layouts)) then
            call self%release()
            return
        end if
        comm = other%comm
        allocate(layouts(size(other%layouts)))
        layouts = other%layouts
        same = c_padding_plan_retain(other%handle)
        moving = other%moving
        call take_plan(self, comm, layouts, same, moving)
    end subroutine

    impure elemental subroutine padding_plan_final(self)
        type(distview_padding_plan), intent(inout) :: self
        call self%release()
    end subroutine

    ! Exchanges in flight

    ! Waits for elements of other ranks, writes the padding, and waits until the others have read this section.
    !
    ! Collective: over the plan's communicator; of several plans in the same order
    ! Errors:     distview_usage_error if called twice, or if another rank has abandoned the exchange; distview_mpi_error
    subroutine exchange_finish(self, stat, errmsg)
        class(distview_exchange), intent(inout) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call settle(c_exchange_finish(self%handle), stat, errmsg)
    end subroutine

    ! Whether finish has nothing to wait for before it writes the padding.
    logical function exchange_can_finish(self, stat, errmsg) result(can_finish)
        class(distview_exchange), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(c_int) :: answer
        answer = 0
        call settle(c_exchange_can_finish(self%handle, answer), stat, errmsg)
        can_finish = answer /= 0
    end function

    subroutine exchange_release(self)
        class(distview_exchange), intent(inout) :: self
        if (c_associated(self%handle)) call c_exchange_release(self%handle)
        self%handle = c_null_ptr
    end subroutine

    subroutine exchange_assign(self, other)
        class(distview_exchange), intent(inout) :: self
        type(distview_exchange), intent(in) :: other
        type(c_ptr) :: same
        same = c_exchange_retain(other%handle)
        call self%release()
        self%handle = same
    end subroutine

    impure elemental subroutine exchange_final(self)
        type(distview_exchange), intent(inout) :: self
        call self%release()
    end subroutine
end module
