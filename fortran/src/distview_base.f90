! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_base: constants, errors, start and end of the library. Programs use module distview.
module distview_base
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int32, int64
    implicit none
    private

    integer, parameter, public :: distview_success = 0, distview_layout_error = 1, &
        distview_shape_error = 2, distview_usage_error = 3, distview_protocol_error = 4, &
        distview_mpi_error = 5, distview_other_error = 6, distview_deadline_error = 7

    ! Element types: kind * 2**24 + bytes, as in distview/c/types.h. Opaque elements are exchanged, but not interpreted.
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
    ! Devices of memory.
    integer, parameter, public :: distview_host = 0, distview_cuda = 2, distview_cuda_host = 3, &
        distview_cuda_managed = 13
    ! How a procedure accesses the elements passed to it.
    integer, parameter, public :: distview_in = 0, distview_out = 1, distview_inout = 2

    ! Levels of checks: none that cost time, cheap ones (the default), or also arguments before every execution.
    integer, parameter, public :: distview_contracts_off = 0, distview_contracts_cheap = 1, distview_contracts_full = 2

    ! Checks beyond arguments: none, or computations with padding that is not valid.
    integer, parameter, public :: distview_check_nothing = 0, distview_check_padding = 1

    integer, parameter, public :: distview_max_rank = 8

    public :: distview_initialize, distview_finalize, distview_is_initialized, distview_version, &
        distview_build_info, distview_error_message, distview_error_class, distview_error_code, distview_fail
    public :: distview_set_contracts, distview_contracts, distview_set_check, distview_current_check
    ! For the other modules.
    public :: settle, failure, decimal, described, c_text_of

    interface decimal
        module procedure :: decimal_int32, decimal_int64
    end interface

    ! The C face; distview/distview.h documents the functions.
    type, bind(C) :: c_error
        integer(c_int32_t) :: status, mpi_code, axis, process
        type(c_ptr) :: class_name, message, code, key
    end type
    type, bind(C) :: c_init_options
        integer(c_int32_t) :: thread_level = 0, threads = 0, show_warnings = 0
    end type
    abstract interface
        ! A function that describes a handle.
        integer(c_int) function c_text_of(handle, text, capacity, length) bind(C)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: handle, text
            integer(c_int64_t), value :: capacity
            integer(c_int64_t), intent(inout) :: length
        end function
    end interface
    interface
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
        integer(c_int) function c_set_contracts(level) bind(C, name="distview_set_contracts")
            import :: c_int
            integer(c_int), value :: level
        end function
        integer(c_int) function c_contracts() bind(C, name="distview_contracts")
            import :: c_int
        end function
        integer(c_int) function c_set_check(check) bind(C, name="distview_set_check")
            import :: c_int
            integer(c_int), value :: check
        end function
        integer(c_int) function c_current_check() bind(C, name="distview_current_check")
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
    end interface

contains

    ! Ends a procedure: reports an error in stat, or ends the program with it.
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

    ! The text that a C pointer points to.
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

    ! The text of the last procedure that failed in this thread; "" if none has failed.
    function distview_error_message() result(text)
        character(:), allocatable :: text
        type(c_error), pointer :: error
        call c_f_pointer(c_last_error(), error)
        text = text_of(error%message)
    end function

    ! The class of that error: "LayoutError", "ShapeError", "UsageError", "ProtocolError", "MpiError", "DeadlineError" or "Error".
    function distview_error_class() result(text)
        character(:), allocatable :: text
        type(c_error), pointer :: error
        call c_f_pointer(c_last_error(), error)
        text = text_of(error%class_name)
    end function

    ! The code of that error: as passed to distview_fail(), or the reason of a distview_protocol_error.
    function distview_error_code() result(text)
        character(:), allocatable :: text
        type(c_error), pointer :: error
        call c_f_pointer(c_last_error(), error)
        text = text_of(error%code)
    end function

    ! Reports an error in a procedure of the program that the library has called: sets stat to the class, and the
    ! text and the code with which the library's procedure then fails.
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

    function decimal_int32(number) result(text)
        integer(int32), intent(in) :: number
        character(:), allocatable :: text
        text = decimal_int64(int(number, int64))
    end function
    function decimal_int64(number) result(text)
        integer(int64), intent(in) :: number
        character(:), allocatable :: text
        character(20) :: digits
        write (digits, "(i0)") number
        text = trim(digits)
    end function

    ! The C face's description of a handle.
    function described(describe, handle, stat, errmsg) result(text)
        procedure(c_text_of) :: describe
        type(c_ptr), intent(in) :: handle
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(:), allocatable :: text
        character(kind=c_char, len=:), allocatable, target :: buffer
        integer(c_int64_t) :: length
        integer(c_int) :: status
        length = 0
        text = ""
        status = describe(handle, c_null_ptr, 0_c_int64_t, length)
        allocate(character(length + 1) :: buffer)
        if (status == distview_success) status = describe(handle, c_loc(buffer), length + 1, length)
        call settle(status, stat, errmsg)
        if (status == distview_success) text = buffer(:length)
    end function

    ! Starts MPI and Kokkos unless they run; `threads`: threads of Kokkos per process.
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

    ! Reverses one distview_initialize(); the last call ends what distview_initialize() has started.
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

    ! Sets the level of checks from now on, for all threads.
    subroutine distview_set_contracts(level, stat, errmsg)
        integer, intent(in) :: level
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call settle(c_set_contracts(int(level, c_int)), stat, errmsg)
    end subroutine

    integer function distview_contracts()
        distview_contracts = c_contracts()
    end function

    ! Switches the checking mode on or off, distview_check_padding or distview_check_nothing, as DISTVIEW_CHECK=padding does
    ! for a whole run: computing with padding that is not valid becomes a distview_usage_error. Slow: for tests and small
    ! runs. docs/valid_padding.md explains it.
    !
    ! Collective: no, but all ranks must call it, before arrays are made
    ! Errors:     distview_usage_error for other values
    subroutine distview_set_check(check, stat, errmsg)
        integer, intent(in) :: check
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        call settle(c_set_check(int(check, c_int)), stat, errmsg)
    end subroutine

    integer function distview_current_check()
        distview_current_check = c_current_check()
    end function

    ! Version of the loaded library, "major.minor.patch".
    function distview_version() result(text)
        character(:), allocatable :: text
        text = text_of(c_version())
    end function

    ! Version, compiler and its flags, build type, Kokkos with its devices, and commit: one line each, "name: value".
    function distview_build_info() result(text)
        character(:), allocatable :: text
        text = text_of(c_build_info())
    end function
end module
