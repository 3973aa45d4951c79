! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The Fortran face of DistView: module distview. Plans of distributed arrays work on the program's plain arrays:
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
! docs/fortran.md is the guide. Conventions of all procedures:
!
! Order:      axes are counted in Fortran's order: the first axis is the fastest in memory, and ranks number the
!             process grid with its first axis fastest. The C and C++ faces see the same array with the axes
!             reversed; texts of describe() and of errors count axes that way, from 0.
! Indices:    from 1: global indices count from the first interior cell, local ones from the first interior cell of a
!             section, so that padding has the numbers 0, -1, ... and n + 1, n + 2, ... Ranks and processes count from 0.
! Collective: every rank of the communicator calls the procedure, in the same order. An error in the C face is then the
!             error of all ranks. An argument that this module refuses, such as an array with another number of
!             dimensions, is an error of this rank; the other ranks get an error that names the calls that did not match.
!             Procedures without this line are local.
! Errors:     stat is 0 or a class, distview_layout_error and so on; errmsg gets the text of an error, and is unchanged
!             otherwise. Without stat, an error ends the program with its text.
! Arrays:     plain arrays have any type, 1 to 8 dimensions and any bounds; sections with strides are allowed. They are
!             borrowed: nothing is copied, and elements are sent from and received in the array's own memory.
! Handles:    assignment makes another name for the same object; the last name that goes out of scope releases it.
!
! The list below has all public names; each module documents what its names do and cost.
module distview
    use distview_base, only: distview_initialize, distview_finalize, distview_is_initialized, distview_version, &
        distview_build_info, distview_set_contracts, distview_contracts, distview_contracts_off, &
        distview_contracts_cheap, distview_contracts_full, distview_set_check, distview_current_check, &
        distview_check_nothing, distview_check_padding
    use distview_base, only: distview_error_message, distview_error_class, distview_error_code, distview_fail, &
        distview_success, distview_layout_error, distview_shape_error, distview_usage_error, distview_protocol_error, &
        distview_mpi_error, distview_other_error, distview_deadline_error
    use distview_communicators, only: distview_communicator
    use distview_base, only: distview_max_rank, distview_block, distview_regular_block, distview_block_bounds, &
        distview_cyclic, distview_unstructured, distview_user
    use distview_axes, only: distview_axis, distview_distribution, distview_slice
    use distview_layouts, only: distview_layout, distview_balanced_grid, distview_place_on_nodes
    use distview_base, only: distview_int8, distview_int16, distview_int32, distview_int64, distview_float32, &
        distview_float64, distview_complex64, distview_complex128, distview_bool, distview_opaque, distview_host, &
        distview_cuda, distview_cuda_host, distview_cuda_managed
    use distview_memories, only: distview_memory, distview_memory_of, distview_component_of, distview_memory_at
    use distview_base, only: distview_sum, distview_minimum, distview_maximum
    use distview_operations, only: distview_combine, distview_operation_create, distview_operation_free
    use distview_base, only: distview_box, distview_faces
    use distview_padding_plans, only: distview_padding_plan, distview_kernel
    use distview_exchanges, only: distview_exchange
    use distview_redistribution_plans, only: distview_redistribution_plan
    use distview_other_programs, only: distview_other_program
    use distview_index_lists, only: distview_index_list
    use distview_gather_plans, only: distview_gather_plan
    use distview_ghosts, only: distview_ghosted_layout, distview_ghost_plan
    use distview_migration_plans, only: distview_migration_plan
    use distview_base, only: distview_in, distview_out, distview_inout
    use distview_arrays, only: distview_array, distview_value, distview_plain_array, distview_copied_bytes, &
        distview_local_procedure
    implicit none
    public
end module
