! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Sums, norms, extremes, and whole arrays on one rank.
submodule(distview_arrays) distview_array_reductions
    implicit none

    type, bind(C) :: c_reduction_options
        integer(c_int32_t) :: cells = 0, reproducible = 0
    end type
    integer(c_int), parameter :: row_major = 0 ! of C's reversed axes

    interface
        integer(c_int) function c_sum(array, options, result) bind(C, name="distview_sum")
            import :: c_int, c_ptr, c_reduction_options, distview_value
            type(c_ptr), value :: array
            type(c_reduction_options), intent(in) :: options
            type(distview_value), intent(inout) :: result
        end function
        integer(c_int) function c_dot(x, y, options, result) bind(C, name="distview_dot")
            import :: c_int, c_ptr, c_reduction_options, distview_value
            type(c_ptr), value :: x, y
            type(c_reduction_options), intent(in) :: options
            type(distview_value), intent(inout) :: result
        end function
        integer(c_int) function c_norm(array, order, options, result) bind(C, name="distview_norm")
            import :: c_double, c_int, c_ptr, c_reduction_options
            type(c_ptr), value :: array
            integer(c_int), value :: order
            type(c_reduction_options), intent(in) :: options
            real(c_double), intent(inout) :: result
        end function
        integer(c_int) function c_min(array, options, result, index) bind(C, name="distview_min")
            import :: c_int, c_int64_t, c_ptr, c_reduction_options, distview_value
            type(c_ptr), value :: array
            type(c_reduction_options), intent(in) :: options
            type(distview_value), intent(inout) :: result
            integer(c_int64_t), intent(inout) :: index(*)
        end function
        integer(c_int) function c_max(array, options, result, index) bind(C, name="distview_max")
            import :: c_int, c_int64_t, c_ptr, c_reduction_options, distview_value
            type(c_ptr), value :: array
            type(c_reduction_options), intent(in) :: options
            type(distview_value), intent(inout) :: result
            integer(c_int64_t), intent(inout) :: index(*)
        end function
        integer(c_int) function c_axis_reduce(source, axis, operation, options, target) &
            bind(C, name="distview_axis_reduce")
            import :: c_int, c_ptr, c_reduction_options
            type(c_ptr), value :: source, target
            integer(c_int), value :: axis, operation
            type(c_reduction_options), intent(in) :: options
        end function
        integer(c_int) function c_inclusive_scan(source, axis, operation, target) &
            bind(C, name="distview_inclusive_scan")
            import :: c_int, c_ptr
            type(c_ptr), value :: source, target
            integer(c_int), value :: axis, operation
        end function
        integer(c_int) function c_exclusive_scan(source, axis, operation, start, target) &
            bind(C, name="distview_exclusive_scan")
            import :: c_int, c_ptr
            type(c_ptr), value :: source, start, target
            integer(c_int), value :: axis, operation
        end function
        integer(c_int) function c_gather(array, root, order, count, whole) bind(C, name="distview_gather")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: array, whole
            integer(c_int), value :: root, order
            integer(c_int64_t), value :: count
        end function
        integer(c_int) function c_scatter(array, root, order, count, whole) bind(C, name="distview_scatter")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: array, whole
            integer(c_int), value :: root, order
            integer(c_int64_t), value :: count
        end function
    end interface

contains

    type(c_reduction_options) function options_of(owned, reproducible) result(options)
        logical, intent(in), optional :: owned, reproducible
        if (present(owned)) options%cells = merge(1, 0, owned)
        if (present(reproducible)) options%reproducible = merge(1, 0, reproducible)
    end function

    module procedure array_sum
        call settle(c_sum(self%handle, options_of(owned, reproducible), value), stat, errmsg)
    end procedure

    module procedure array_dot
        call settle(c_dot(self%handle, other%handle, options_of(owned, reproducible), value), stat, errmsg)
    end procedure

    module procedure array_norm
        integer(c_int) :: which
        which = 2
        if (present(order)) which = int(order, c_int)
        norm = 0
        call settle(c_norm(self%handle, which, options_of(owned, reproducible), norm), stat, errmsg)
    end procedure

    module procedure array_minimum
        integer(c_int64_t) :: found(distview_max_rank)
        integer(c_int) :: status
        status = c_min(self%handle, options_of(owned), value, found)
        if (status == distview_success) call tell_index(rank_of(self), found, index)
        call settle(status, stat, errmsg)
    end procedure

    module procedure array_maximum
        integer(c_int64_t) :: found(distview_max_rank)
        integer(c_int) :: status
        status = c_max(self%handle, options_of(owned), value, found)
        if (status == distview_success) call tell_index(rank_of(self), found, index)
        call settle(status, stat, errmsg)
    end procedure

    module procedure array_axis_reduce
        integer(c_int) :: status
        status = check_axis(self, axis, "distview_array%axis_reduce")
        if (status == distview_success) status = c_axis_reduce(self%handle, c_axis_of_array(self, axis), &
                                                               number_of(operation), options_of(.false., reproducible), &
                                                               target%handle)
        call settle(status, stat, errmsg)
    end procedure

    module procedure array_inclusive_scan
        integer(c_int) :: status
        status = check_axis(self, axis, "distview_array%inclusive_scan")
        if (status == distview_success) status = c_inclusive_scan(self%handle, c_axis_of_array(self, axis), &
                                                                  number_of(operation), target%handle)
        call settle(status, stat, errmsg)
    end procedure

    module procedure array_exclusive_scan
        character(*), parameter :: name = "distview_array%exclusive_scan"
        type(distview_memory) :: value, section
        integer(c_int) :: status
        call c_describe_array(start, value)
        status = check_axis(self, axis, name)
        if (status == distview_success) status = c_array_memory(self%handle, section)
        if (status == distview_success) status = check_values(value, section%element, self%comm, name)
        if (status == distview_success) status = c_exclusive_scan(self%handle, c_axis_of_array(self, axis), &
                                                                  number_of(operation), value%data, target%handle)
        call settle(status, stat, errmsg)
    end procedure

    ! Refuses an unknown axis here, so that the error has Fortran's number.
    integer(c_int) function check_axis(self, axis, name) result(status)
        class(distview_array), intent(in) :: self
        integer, intent(in) :: axis
        character(*), intent(in) :: name
        integer :: axes
        status = distview_success
        if (.not. c_associated(self%handle)) return
        axes = rank_of(self)
        if (axis >= 1 .and. axis <= axes) return
        status = failure(distview_usage_error, name // ": expected an axis from 1 to " // decimal(axes) // &
                         ", got " // decimal(axis))
        status = tell_others(self%comm, name, status)
    end function

    integer(c_int) function c_axis_of_array(self, axis) result(reversed)
        class(distview_array), intent(in) :: self
        integer, intent(in) :: axis
        reversed = int(rank_of(self) - axis, c_int)
    end function

    integer(c_int) function number_of(operation)
        integer, intent(in), optional :: operation
        number_of = distview_sum
        if (present(operation)) number_of = int(operation, c_int)
    end function

    subroutine tell_index(rank, found, index)
        integer, intent(in) :: rank
        integer(c_int64_t), intent(in) :: found(:)
        integer(int64), intent(inout), optional :: index(:)
        integer :: n
        if (.not. present(index)) return
        n = min(rank, size(index))
        index(:n) = found(rank:rank - n + 1:-1) + 1
    end subroutine

    module procedure array_gather
        type(distview_memory) :: memory
        integer(c_int) :: status
        if (present(whole)) call c_describe_array(whole, memory)
        status = check_whole(self, root, memory, "distview_array%gather")
        if (status == distview_success) &
            status = c_gather(self%handle, int(root, c_int), row_major, count_of(memory), memory%data)
        call settle(status, stat, errmsg)
    end procedure

    module procedure array_scatter
        type(distview_memory) :: memory
        integer(c_int) :: status
        if (present(whole)) call c_describe_array(whole, memory)
        status = check_whole(self, root, memory, "distview_array%scatter")
        if (status == distview_success) &
            status = c_scatter(self%handle, int(root, c_int), row_major, count_of(memory), memory%data)
        call settle(status, stat, errmsg)
    end procedure

    ! Checks a whole array on ranks that use it.
    integer(c_int) function check_whole(self, root, whole, name) result(status)
        class(distview_array), intent(in) :: self
        integer, intent(in) :: root
        type(distview_memory), intent(in) :: whole
        character(*), intent(in) :: name
        type(distview_memory) :: section
        status = c_array_memory(self%handle, section)
        if (status /= distview_success .or. .not. c_associated(whole%data)) return
        if (.not. associated(self%comm)) return
        if (self%comm%rank() == root) status = check_values(whole, section%element, self%comm, name)
    end function
end submodule
