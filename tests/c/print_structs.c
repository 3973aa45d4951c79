// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints sizes and offsets of all structures of the C face, to be compared with tests/c/structs.txt.

#include <distview/distview.h>

#include <stddef.h>
#include <stdio.h>

#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define FIELD(type, field)                                                                         \
    printf("    " #field " %zu %zu\n", offsetof(type, field), sizeof(((type*)0)->field))

int main(void) {
    SIZE(distview_value);
    FIELD(distview_value, real);
    FIELD(distview_value, imaginary);
    FIELD(distview_value, integer);
    SIZE(distview_reduction_options);
    FIELD(distview_reduction_options, cells);
    FIELD(distview_reduction_options, reproducible);
    SIZE(distview_memory);
    FIELD(distview_memory, data);
    FIELD(distview_memory, element);
    FIELD(distview_memory, rank);
    FIELD(distview_memory, extents);
    FIELD(distview_memory, strides);
    FIELD(distview_memory, order);
    FIELD(distview_memory, read_only);
    FIELD(distview_memory, device_type);
    FIELD(distview_memory, device_id);
    SIZE(distview_init_options);
    FIELD(distview_init_options, thread_level);
    FIELD(distview_init_options, threads);
    FIELD(distview_init_options, show_warnings);
    SIZE(distview_axis);
    FIELD(distview_axis, kind);
    FIELD(distview_axis, periodic);
    FIELD(distview_axis, extent);
    FIELD(distview_axis, padding_low);
    FIELD(distview_axis, padding_high);
    FIELD(distview_axis, boundary_low);
    FIELD(distview_axis, boundary_high);
    FIELD(distview_axis, own_boundary);
    FIELD(distview_axis, one_to_one);
    FIELD(distview_axis, block_size);
    FIELD(distview_axis, bounds);
    FIELD(distview_axis, paddings);
    FIELD(distview_axis, counts);
    FIELD(distview_axis, labels);
    FIELD(distview_axis, ghosts);
    FIELD(distview_axis, known_process);
    FIELD(distview_axis, unused);
    FIELD(distview_axis, distribution);
    FIELD(distview_axis, user);
    SIZE(distview_plain_array);
    FIELD(distview_plain_array, data);
    FIELD(distview_plain_array, element);
    FIELD(distview_plain_array, rank);
    FIELD(distview_plain_array, extents);
    FIELD(distview_plain_array, leading_dimension);
    FIELD(distview_plain_array, order);
    FIELD(distview_plain_array, is_copy);
    SIZE(distview_local_copy_options);
    FIELD(distview_local_copy_options, intent);
    FIELD(distview_local_copy_options, order);
    FIELD(distview_local_copy_options, cells);
    FIELD(distview_local_copy_options, takes_leading_dimension);
    FIELD(distview_local_copy_options, writes_all);
    FIELD(distview_local_copy_options, unused);
    SIZE(distview_local_copy_bytes);
    FIELD(distview_local_copy_bytes, copied_in);
    FIELD(distview_local_copy_bytes, copied_out);
    SIZE(distview_migrating_field);
    FIELD(distview_migrating_field, from);
    FIELD(distview_migrating_field, to);
    FIELD(distview_migrating_field, from_count);
    FIELD(distview_migrating_field, to_count);
    FIELD(distview_migrating_field, element);
    FIELD(distview_migrating_field, unused);
    SIZE(distview_padding_options);
    FIELD(distview_padding_options, widths);
    FIELD(distview_padding_options, stencil);
    FIELD(distview_padding_options, unused);
    SIZE(distview_grid_placement);
    FIELD(distview_grid_placement, grid);
    FIELD(distview_grid_placement, between_nodes);
    FIELD(distview_grid_placement, between_nodes_of_balanced);
    SIZE(distview_redistribution_options);
    FIELD(distview_redistribution_options, permutation);
    FIELD(distview_redistribution_options, from_slice);
    FIELD(distview_redistribution_options, to_slice);
    FIELD(distview_redistribution_options, from_ranks);
    FIELD(distview_redistribution_options, to_ranks);
    FIELD(distview_redistribution_options, buffer_bytes);
    FIELD(distview_redistribution_options, allow_missing_indices);
    FIELD(distview_redistribution_options, fill_padding);
    FIELD(distview_redistribution_options, conjugate);
    FIELD(distview_redistribution_options, in_place);
    SIZE(distview_slice);
    FIELD(distview_slice, begin);
    FIELD(distview_slice, count);
    FIELD(distview_slice, step);
    SIZE(distview_error);
    FIELD(distview_error, status);
    FIELD(distview_error, mpi_code);
    FIELD(distview_error, axis);
    FIELD(distview_error, process);
    FIELD(distview_error, class_name);
    FIELD(distview_error, message);
    FIELD(distview_error, code);
    FIELD(distview_error, key);
    return 0;
}
