! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_c_layouts: the C face's functions on layouts; distview/c/layout.h documents them.
module distview_c_layouts
    use, intrinsic :: iso_c_binding
    use distview_axes, only: c_axis
    implicit none
    private :: c_axis

    type, bind(C) :: c_grid_placement
        integer(c_int) :: grid(8) = 0
        integer(c_int64_t) :: between_nodes = 0, between_nodes_of_balanced = 0
    end type

    interface
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
        integer(c_int) function c_place_on_nodes(count, nodes, rank, axes, stencil, result, ranks) &
            bind(C, name="distview_place_on_nodes")
            import :: c_int, c_axis, c_grid_placement
            integer(c_int), value :: count, rank, stencil
            integer(c_int), intent(in) :: nodes(*)
            type(c_axis), intent(in) :: axes(*)
            type(c_grid_placement), intent(inout) :: result
            integer(c_int), intent(inout) :: ranks(*)
        end function
        integer(c_int) function c_layout_permute(layout, permutation, result) &
            bind(C, name="distview_layout_permute")
            import :: c_int, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), intent(in) :: permutation(*)
            type(c_ptr), intent(inout) :: result
        end function
        integer(c_int) function c_layout_reduced(layout, axis, everywhere, result) &
            bind(C, name="distview_layout_reduced")
            import :: c_int, c_ptr
            type(c_ptr), value :: layout
            integer(c_int), value :: axis, everywhere
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
    end interface
end module
