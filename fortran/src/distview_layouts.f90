! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module distview_layouts: the distribution of arrays over processes. Programs use module distview.
module distview_layouts
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int32, int64
    use distview_axes
    use distview_base
    use distview_c_layouts
    implicit none
    private
    public :: distview_balanced_grid, distview_place_on_nodes
    public :: axes_of ! for the other modules

    ! The distribution of a whole array over a process grid. It never changes, and is the same for all processes.
    type, public :: distview_layout
        type(c_ptr) :: handle = c_null_ptr ! of the C face
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
        procedure :: reduced => layout_reduced
        procedure :: fingerprint => layout_fingerprint
        procedure :: describe => layout_describe
        procedure :: release => layout_release
        procedure, private :: layout_assign, layout_equal
        generic :: assignment(=) => layout_assign
        generic :: operator(==) => layout_equal
        final :: layout_final
    end type

contains

    ! A layout of blocks, or of other `kinds`: distview_regular_block, distview_cyclic (with block_sizes). The grid has
    ! grid(d) processes along axis d. `padding` is the width on all sides of every section, along axes of blocks;
    ! `paddings(:, d)` the low and the high width along axis d.
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
        logical :: has_blocks(size(extents))
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
        if (present(kinds)) axes%kind = kinds
        has_blocks = axes%kind < distview_cyclic
        do d = 1, n
            axes(d)%extent = extents(d)
            ! Without any blocks, padding is an error.
            if (present(padding) .and. (has_blocks(d) .or. .not. any(has_blocks))) axes(d)%padding = padding
            if (present(paddings)) axes(d)%padding = paddings(:, d)
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
        type(axis_lists), target :: of_axis(size(axes))
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
                status = c_axis_of(axes(d), grid(d), c_axes(n + 1 - d), of_axis(d), calls(d))
        end do
        if (status == distview_success) status = c_layout_create(int(n, c_int), int(grid(n:1:-1), c_int), &
                                                                 c_axes, made)
        if (status == distview_success) then
            call self%release()
            self%handle = made
        end if
        call settle(status, stat, errmsg)
    end subroutine

    ! A grid of `processes` processes, grid(d) of them along axis d, as close to a cube as possible.
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

    ! Finds the process grid and the order of size(nodes) ranks with which padding exchanges of an array move the fewest
    ! elements between nodes. Rank r is on node nodes(r + 1): any number that is the same for all ranks of a node.
    !
    !     call distview_place_on_nodes(comm%nodes(), axes, grid, ranks)
    !     call comm%order_ranks(ranks, mpi_comm)              ! then a communicator of mpi_comm
    !     call layout%create(axes, grid)
    !
    ! `ranks` gets the rank of each process, process 0 first. Axes are blocks, regular blocks or cyclic. If nothing is
    ! gained, for example on a single node, the grid is that of distview_balanced_grid(), and process p is rank p.
    ! `between_nodes`: elements of one exchange that move between nodes; `between_nodes_of_balanced`: the same
    ! for distview_balanced_grid() with process p on rank p, -1 if that grid does not suit the axes.
    !
    ! Errors: distview_layout_error if `nodes` is empty, no grid suits the axes, or an axis is of another kind
    subroutine distview_place_on_nodes(nodes, axes, grid, ranks, stencil, between_nodes, between_nodes_of_balanced, stat, &
                                       errmsg)
        integer, intent(in) :: nodes(:)
        type(distview_axis), intent(in) :: axes(:)
        integer, intent(inout) :: grid(:), ranks(:)
        integer, intent(in), optional :: stencil
        integer(int64), intent(out), optional :: between_nodes, between_nodes_of_balanced
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(axis_lists), target :: of_axis(size(axes))
        type(distribution_call), target :: calls(size(axes))
        type(c_axis) :: c_axes(size(axes))
        type(c_grid_placement) :: placed
        integer(c_int) :: c_ranks(size(nodes)), status, neighbours
        integer :: d, n
        n = size(axes)
        neighbours = distview_box
        if (present(stencil)) neighbours = int(stencil, c_int)
        if (present(between_nodes)) between_nodes = 0
        if (present(between_nodes_of_balanced)) between_nodes_of_balanced = 0
        status = distview_success
        if (size(grid) /= n) then
            status = failure(distview_layout_error, "distview_place_on_nodes: expected room for a grid of " // decimal(n) // &
                             " axes, got " // decimal(size(grid)))
        else if (size(ranks) /= size(nodes)) then
            status = failure(distview_layout_error, "distview_place_on_nodes: expected room for " // decimal(size(nodes)) // &
                             " ranks, got " // decimal(size(ranks)))
        end if
        do d = 1, n
            if (status == distview_success) status = c_axis_of(axes(d), 1, c_axes(n + 1 - d), of_axis(d), calls(d))
        end do
        if (status == distview_success) status = c_place_on_nodes(int(size(nodes), c_int), int(nodes, c_int), &
                                                                  int(n, c_int), c_axes, neighbours, placed, c_ranks)
        if (status == distview_success) then
            grid = placed%grid(n:1:-1)
            ranks = c_ranks
            if (present(between_nodes)) between_nodes = placed%between_nodes
            if (present(between_nodes_of_balanced)) between_nodes_of_balanced = placed%between_nodes_of_balanced
        end if
        call settle(status, stat, errmsg)
    end subroutine

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

    ! Number of axes; 0 if the handle is not a layout.
    integer function axes_of(self) result(rank)
        type(c_ptr), intent(in) :: self
        integer(c_int) :: answer, status
        answer = 0
        status = c_layout_rank(self, answer)
        rank = merge(answer, 0, status == distview_success)
    end function

    ! Processes along each axis, and in total.
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

    ! Interior cells of the whole array along each axis, and in total.
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

    ! C's positions, from 0 and half-open, in C's order: of the section, of its owned cells and of its interior.
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

    ! The range in local or in global numbers, in Fortran's order.
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
                status = failure(distview_usage_error, "distview_layout: expected consecutive global numbers, " // &
                                 "as blocks have, along axis " // decimal(d))
            bounds(:, d) = bounds(:, d) + first
        end do
        call settle(status, stat, errmsg)
    end function

    ! Bounds of the section of a process with all its padding, in local numbers (the first interior cell is 1): first in
    ! bounds(1, d), last in bounds(2, d). Allocate u(b(1, 1) : b(2, 1), b(1, 2) : b(2, 2)) with them.
    function layout_local_bounds(self, process, stat, errmsg) result(bounds)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: process
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        integer(int64), allocatable :: bounds(:, :)
        bounds = bounds_of(self, process, 1, .false., stat, errmsg)
    end function

    ! The same without communication padding and ghosts: all cells that the process owns.
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

    ! Bounds in global numbers, for layouts of blocks: of the section with all its padding, of its owned cells, and of its
    ! interior. If a process has no cells along an axis, its interior is 1 : 0.
    !
    ! Errors: distview_usage_error if global numbers are not contiguous
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

    ! The process that owns the cell with these global numbers; -1 if a label has no owner.
    !
    ! Errors: distview_usage_error for a cell outside of the array with its boundary padding
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

    ! Global number of the cells with local number i along an axis, and the reverse; -huge(0_int64) if the section does
    ! not hold it.
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
        integer :: axes
        axes = axes_of(self%handle)
        status = distview_success
        if (axis >= 1 .and. axis <= axes) return
        if (.not. c_associated(self%handle)) then
            status = failure(distview_usage_error, "distview_layout: expected a layout, got one that was not created")
            return
        end if
        status = failure(distview_usage_error, "distview_layout: expected an axis from 1 to " // decimal(axes) // &
                         ", got " // decimal(axis))
    end function

    ! The layout whose axis d is this one's axis permutation(d), on the permuted grid.
    function layout_permuted(self, permutation, stat, errmsg) result(permuted)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: permutation(:)
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_layout) :: permuted
        character(:), allocatable :: given
        integer(c_int) :: status
        integer :: d, axes
        axes = axes_of(self%handle)
        if (.not. c_associated(self%handle) .or. &
            (size(permutation) == axes .and. all([(any(permutation == d), d = 1, axes)]))) then
            status = c_layout_permute(self%handle, c_permutation(permutation), permuted%handle)
        else ! in Fortran's numbers
            given = ""
            do d = 1, size(permutation)
                given = given // " " // decimal(permutation(d))
            end do
            status = failure(distview_layout_error, "distview_layout: expected a permutation of the axes 1 to " // &
                             decimal(axes) // ", got" // given)
        end if
        call settle(status, stat, errmsg)
    end function

    ! The layout of a reduction's result: the axis has extent 1, on the first processes along it or, with `everywhere`, on
    ! all processes.
    function layout_reduced(self, axis, everywhere, stat, errmsg) result(reduced)
        class(distview_layout), intent(in) :: self
        integer, intent(in) :: axis
        logical, intent(in), optional :: everywhere
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        type(distview_layout) :: reduced
        integer(c_int) :: status, on_all
        on_all = 0
        if (present(everywhere)) on_all = merge(1_c_int, 0_c_int, everywhere)
        status = check_axis(self, axis)
        if (status == distview_success) &
            status = c_layout_reduced(self%handle, int(axes_of(self%handle) - axis, c_int), on_all, reduced%handle)
        call settle(status, stat, errmsg)
    end function

    ! A fingerprint: equal layouts have equal fingerprints, also on other ranks.
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

    ! The owners of all cells, as text.
    function layout_describe(self, stat, errmsg) result(text)
        class(distview_layout), intent(in) :: self
        integer, intent(out), optional :: stat
        character(*), intent(inout), optional :: errmsg
        character(:), allocatable :: text
        text = described(c_layout_describe, self%handle, stat, errmsg)
    end function

    subroutine layout_release(self)
        class(distview_layout), intent(inout) :: self
        if (c_associated(self%handle)) call c_layout_release(self%handle)
        self%handle = c_null_ptr
    end subroutine

    impure elemental subroutine layout_assign(self, other)
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
end module
