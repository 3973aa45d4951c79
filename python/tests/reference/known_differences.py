# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the validator, the protocol's helper and examples, and distarray differ from us.

Each entry names one difference and describes both sides. A test marked with
`@known_difference("name")` asserts that it still exists; test_reference_validator.py checks that
every entry has such a test and that no test names an unknown one. "Validator" is the protocol's
validator.py of 0.10.0, "helper" its utils.py.
"""

DIFFERENCES = {
    # The validator against us, on single exports.
    "validator_one_version": "the validator takes 0.10.0 alone; we read any 0.10.z and 0.9.z",
    "validator_loose_version": "the validator takes '0.10', '0.10.0a1', '0.010.0' and '0.10.0\\n'",
    "validator_crashes": "the validator raises, instead of refusing, when a key that it reads is "
    "missing, cannot be compared or cannot be hashed, or when the version is no text",
    "validator_never_looks_at_buffer_extents": "the validator compares no extent with the data",
    "validator_skips_common_keys": "the validator never checks 'size' of c and u, nor 'periodic'",
    "validator_takes_bool_as_int": "True is an integer to the validator; we refuse it",
    "validator_wants_builtin_int": "we take whatever has __index__, NumPy's integers for one",
    "validator_wants_padding_tuple": "we take a list as padding, as in the protocol's own examples",
    "validator_takes_negative_rank": "the validator has no lower bound for proc_grid_rank",
    "validator_takes_wide_padding": "the validator takes negative widths, and widths that leave a "
    "process less than nothing",
    "validator_ignores_last_edge": "to the validator the last block may end before 'size'",
    "validator_ignores_foreign_keys": "padding or periodic on a cyclic or unstructured axis says "
    "something that cannot be; the validator does not look",
    "validator_takes_any_indices": "the validator takes indices of any element type, rank and "
    "byte order, and indices that occur twice",
    "validator_has_no_int64": "the validator takes integers that fit no 64 bits",
    "validator_refuses_clamped_start": "we take start == size on a cyclic rank that owns nothing",
    # The protocol's texts, helper and old validator.
    "example_1_flat_buffer": "the first example, in 0.9.0 and 0.10.0, has two dimension "
    "dictionaries and a flat buffer, against the text; both validators and we refuse it",
    "example_2_no_tuple": "the second example, in 0.9.0 and 0.10.0, lacks the comma that makes its "
    "dim_data a tuple; both validators and we refuse the text as it stands, and take it repaired",
    "examples_with_padding_list": "the validator refuses the protocol's own examples that say "
    "[0, 0]; we take them",
    "examples_090_with_index_lists": "0.9.0's example has lists as indices; its validator refuses "
    "them, we take them in 0.9.z",
    "helper_partial_block_on_rank_0": "the helper gives a partial last block to grid rank 0 "
    "instead of rank (size // block_size) mod proc_grid_size",
    "helper_wants_block_size": "the helper raises KeyError for a cyclic axis without block_size",
    # distarray.
    "distarray_partial_block_on_rank_0": "as the helper; distarray refuses our buffers there",
    "distarray_refuses_empty_alias": "distarray raises KeyError for the alias {}; we never emit it",
    "distarray_loses_padding": "what distarray exports has the same start and stop without "
    "'padding': blocks that overlap, which we refuse together and take one by one",
    "distarray_loses_periodic": "what distarray exports has no 'periodic'",
    "distarray_loses_one_to_one": "what distarray exports has no 'one_to_one'",
    "distarray_ignores_version": "distarray takes any __version__",
    "distarray_takes_list_as_dim_data": "distarray takes a list as dim_data",
    "distarray_takes_index_lists": "distarray takes lists as indices in 0.10.0",
    "distarray_takes_float_indices": "distarray takes, and exports, an empty index list as doubles",
    "distarray_takes_smaller_grid": "distarray takes a grid of fewer processes than the "
    "communicator has, an array without axes among them",
    "distarray_takes_any_rank_order": "distarray takes grids numbered in any order",
    "distarray_refuses_clamped_start": "distarray wants start == grid rank on a cyclic axis",
    "distarray_finds_no_index_past_size": "distarray maps an unstructured index of 'size' or "
    "more from local to global, but not back",
    "distarray_one_padding_an_axis": "distarray's maps between ranks read the padding of grid rank "
    "0 as (boundary, communication) widths of the whole axis",
}


def known_difference(*names):
    """Marks the test that asserts that differences are still there."""
    unknown = set(names) - set(DIFFERENCES)
    if unknown:
        raise LookupError(f"not in the table: {sorted(unknown)}")
    return lambda test: test
