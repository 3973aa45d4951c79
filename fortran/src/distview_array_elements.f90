! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Elements of arrays by their global numbers.
submodule(distview_arrays) distview_array_elements
    implicit none

    interface
        integer(c_int) function c_get_elements(array, list, count, values) bind(C, name="distview_get_elements")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: array, list, values
            integer(c_int64_t), value :: count
        end function
        integer(c_int) function c_put_elements(array, list, count, values) bind(C, name="distview_put_elements")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: array, list, values
            integer(c_int64_t), value :: count
        end function
        integer(c_int) function c_accumulate_elements(array, operation, list, count, values) &
            bind(C, name="distview_accumulate_elements")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: array, list, values
            integer(c_int), value :: operation
            integer(c_int64_t), value :: count
        end function
        integer(c_int) function c_get_box(array, begin, end, count, values) bind(C, name="distview_get_box")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: array, values
            integer(c_int64_t), intent(in) :: begin(*), end(*)
            integer(c_int64_t), value :: count
        end function
        integer(c_int) function c_put_box(array, begin, end, count, values) bind(C, name="distview_put_box")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: array, values
            integer(c_int64_t), intent(in) :: begin(*), end(*)
            integer(c_int64_t), value :: count
        end function
        integer(c_int) function c_accumulate_box(array, operation, begin, end, count, values) &
            bind(C, name="distview_accumulate_box")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: array, values
            integer(c_int), value :: operation
            integer(c_int64_t), intent(in) :: begin(*), end(*)
            integer(c_int64_t), value :: count
        end function
    end interface

contains

    module procedure array_get
        type(distview_memory) :: memory
        integer(c_int) :: status
        call c_describe_array(values, memory)
        status = check_elements(self, memory, "distview_array%get")
        if (status == distview_success) &
            status = c_get_elements(self%handle, list%handle, count_of(memory), memory%data)
        call settle(status, stat, errmsg)
    end procedure

    module procedure array_put
        type(distview_memory) :: memory
        integer(c_int) :: status
        call c_describe_array(values, memory)
        status = check_elements(self, memory, "distview_array%put")
        if (status == distview_success) &
            status = c_put_elements(self%handle, list%handle, count_of(memory), memory%data)
        call settle(status, stat, errmsg)
    end procedure

    module procedure array_accumulate
        type(distview_memory) :: memory
        integer(c_int) :: status
        call c_describe_array(values, memory)
        status = check_elements(self, memory, "distview_array%accumulate")
        if (status == distview_success) &
            status = c_accumulate_elements(self%handle, int(operation, c_int), list%handle, count_of(memory), memory%data)
        call settle(status, stat, errmsg)
    end procedure

    module procedure get_box_int64
        type(distview_memory) :: memory
        integer(c_int64_t), allocatable :: begin(:), end(:)
        integer(c_int) :: status
        call c_describe_array(values, memory)
        status = check_box(self, lower, upper, memory, "distview_array%get_box", begin, end)
        if (status == distview_success) status = c_get_box(self%handle, begin, end, count_of(memory), memory%data)
        call settle(status, stat, errmsg)
    end procedure

    module procedure get_box_int32
        call get_box_int64(self, int(lower, int64), int(upper, int64), values, stat, errmsg)
    end procedure

    module procedure put_box_int64
        type(distview_memory) :: memory
        integer(c_int64_t), allocatable :: begin(:), end(:)
        integer(c_int) :: status
        call c_describe_array(values, memory)
        status = check_box(self, lower, upper, memory, "distview_array%put_box", begin, end)
        if (status == distview_success) status = c_put_box(self%handle, begin, end, count_of(memory), memory%data)
        call settle(status, stat, errmsg)
    end procedure

    module procedure put_box_int32
        call put_box_int64(self, int(lower, int64), int(upper, int64), values, stat, errmsg)
    end procedure

    module procedure accumulate_box_int64
        type(distview_memory) :: memory
        integer(c_int64_t), allocatable :: begin(:), end(:)
        integer(c_int) :: status
        call c_describe_array(values, memory)
        status = check_box(self, lower, upper, memory, "distview_array%accumulate_box", begin, end)
        if (status == distview_success) &
            status = c_accumulate_box(self%handle, int(operation, c_int), begin, end, count_of(memory), memory%data)
        call settle(status, stat, errmsg)
    end procedure

    module procedure accumulate_box_int32
        call accumulate_box_int64(self, operation, int(lower, int64), int(upper, int64), values, stat, errmsg)
    end procedure

    integer(c_int) function check_elements(self, values, name) result(status)
        class(distview_array), intent(in) :: self
        type(distview_memory), intent(in) :: values
        character(*), intent(in) :: name
        type(distview_memory) :: section
        status = c_array_memory(self%handle, section)
        if (status == distview_success) status = check_values(values, section%element, self%comm, name)
    end function

    integer(c_int) function check_box(self, lower, upper, values, name, begin, end) result(status)
        class(distview_array), intent(in) :: self
        integer(int64), intent(in) :: lower(:), upper(:)
        type(distview_memory), intent(in) :: values
        character(*), intent(in) :: name
        integer(c_int64_t), allocatable, intent(out) :: begin(:), end(:)
        status = check_elements(self, values, name)
        if (status /= distview_success) return
        status = c_box(rank_of(self), lower, upper, name, begin, end)
        if (status /= distview_success) &
            status = tell_others(self%comm, name, status)
    end function
end submodule
