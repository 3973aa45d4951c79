# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules E1 to E10: the result of __distarray__, before any dimension dictionary is read."""

import array
import collections
import ctypes
import gc
import sys
import types
import weakref

import distview
import numpy as np
import pytest
from dap_cases import (
    Producer,
    accepts,
    accepts_all,
    ask,
    block,
    both_versions,
    changed,
    cyclic,
    export,
    one,
    refuses,
    refuses_all,
    unstructured,
)


def whole(version, buffer=(5,)):
    """Five elements on one process."""
    return export(version, (block(5, 1, 0, 0, 5),), buffer)


@both_versions
def test_E1_distarray_returns_a_dict(version):
    """The producer has a method __distarray__, called without arguments, that returns a dict."""
    accepts(whole(version), collections.OrderedDict(whole(version)))
    for bad in ([], list(whole(version).items()), (), None, "dict", 5, types.MappingProxyType({})):
        error = ask(distview.check, Producer(bad))
        assert (error.code, error.axis, error.process) == ("env_not_dict", None, None)
        error = ask(distview.check_all, [whole(version), Producer(bad)])
        assert (error.code, error.axis, error.process) == ("env_not_dict", None, 1)
    text = str(ask(distview.check, Producer([])))
    assert "__distarray__()" in text and "returned list, expected dict" in text


@both_versions
def test_E1_method_must_be_there(version):
    """An object without the method, or with one that is not callable, exports nothing."""
    for bad in (object(), np.zeros(5), None, 3, "0.10.0", [whole(version)], (whole(version),)):
        assert ask(distview.check, bad).code == "env_not_dict"
        error = ask(distview.check_all, [whole(version), bad])
        assert (error.code, error.process) == ("env_not_dict", 1)
    holder = types.SimpleNamespace(__distarray__=whole(version))
    assert ask(distview.check, holder).code == "env_not_dict"
    holder.__distarray__ = lambda: whole(version)
    assert ask(distview.check, holder) is None


@both_versions
def test_E2_exactly_three_keys(version):
    """There are the keys __version__, buffer and dim_data, and no others."""
    accepts(whole(version))
    for key in whole(version):
        less = {k: v for k, v in whole(version).items() if k != key}
        error = refuses(less, "env_missing_key", key=key)
        assert f"missing key '{key}'" in str(error)
        refuses({**less, "device": 0}, "env_missing_key", key=key)
        refuses({**less, key.upper(): 0}, "env_missing_key", key=key)
    error = refuses({**whole(version), "device": 0}, "env_extra_key", key="device")
    assert "unexpected key 'device'" in str(error)
    for extra in (5, None, b"buffer", ("buffer",), "", "version", "\ud800", 2.5):
        refuses({**whole(version), extra: 0}, "env_extra_key")
    refuses({}, "env_missing_key")
    incomplete = collections.defaultdict(lambda: "0.10.0", whole(version))
    del incomplete["__version__"]
    refuses(incomplete, "env_missing_key", key="__version__")


@pytest.mark.parametrize(
    "version",
    ["", "0", "0.10", "0.10.", "0.10.0.", ".10.0", "0.10.0.0", "0..0", "0.10.0a1", "0.10.0-rc1"]
    + ["0.10.0+x", "0.010.0", "00.10.0", "0.10.00", "0.9.01", "v0.10.0", " 0.10.0", "0.10.0 "]
    + ["0.10.0\n", "\n0.10.0", "0.10.0\0", "0,10,0", "0.10.x", "-0.10.0", "+0.9.0", "0.10.-1"]
    + ["0.1_0.0", "0x0.10.0", "０.10.0", "0.1０.0", "0.١٠.0", "0.10.²", "0.9.\u0660", "\ud800"]
    + [b"0.10.0", (0, 10, 0), [0, 10, 0], None, 0.10, 10, True, object(), np.array("0.10.0")],
    ids=ascii,
)
def test_E3_version_is_three_dotted_numbers(version):
    """__version__ is a str: three ASCII decimal numbers without leading zeros, dots between."""
    refuses(whole(version), "version_format", key="__version__")


def test_E3_message_and_string_subclasses():
    """Subclasses of str are accepted, and the message quotes the value."""
    error = refuses(whole("0.10"), "version_format", key="__version__")
    assert "'__version__' is '0.10', expected three dotted numbers" in str(error)
    accepts(whole(np.str_("0.10.0")), whole(type("Text", (str,), {})("0.9.0")))


def test_E4_versions_that_are_read():
    """Versions 0.9.z and 0.10.z are read, with any z; other versions are not."""
    for version in ("0.9.0", "0.9.1", "0.9.17", "0.10.0", "0.10.3", "0.10.4294967296"):
        accepts(whole(version))
    accepts(whole("0.10." + "9" * 40), whole("0.9.18446744073709551616"))
    many = (
        "0.0.0 0.1.0 0.8.0 0.8.9 0.11.0 0.90.0 0.99.0 0.100.0 1.0.0 1.9.0 1.10.0 2.0.0 7.7.7 10.9.0"
    )
    for version in [*many.split(), "9" * 40 + ".9.0", "0." + "9" * 40 + ".0", "0.4294967305.0"]:
        refuses(whole(version), "version_unsupported", key="__version__")
    refuses(whole("0.18446744073709551625.0"), "version_unsupported")  # 9 + 2**64
    error = refuses(whole("0.11.0"), "version_unsupported")
    assert "DAP version 0.11.0 is not supported" in str(error)
    assert "reads 0.9.z and 0.10.z" in str(error)


@both_versions
def test_E5_buffer_exports_memory(version):
    """buffer is an object with the buffer protocol of PEP 3118, with any element type."""
    five = [bytes(5), bytearray(5), memoryview(b"abcde"), array.array("d", range(5))]
    five += [(ctypes.c_float * 5)(), np.arange(10)[::2], np.arange(5)[::-1], np.zeros(5, ">f8")]
    five += [np.zeros(5, t) for t in "?bBhHiIlLqQefdgFD"] + [
        np.zeros(5, "i4,f8"),
        np.zeros(5, "S3"),
    ]
    for buffer in five:
        accepts(whole(version, buffer))
    for bad in ([0.0] * 5, "abcde", None, 5, range(5), object(), np.zeros(5, "M8[s]"), np.ndarray):
        refuses(whole(version, bad), "buffer_protocol", key="buffer")
    error = refuses(whole(version, [0.0] * 5), "buffer_protocol", key="buffer")
    assert "'buffer' of type list does not export the buffer protocol" in str(error)


@both_versions
def test_E5_buffer_that_is_gone_or_only_an_interface(version):
    """A released view has no memory; an array interface alone is not a buffer."""
    released = memoryview(bytearray(5))
    released.release()
    refuses(whole(version, released), "buffer_protocol", key="buffer")
    holder = types.SimpleNamespace(__array_interface__=np.zeros(5).__array_interface__)
    refuses(whole(version, holder), "buffer_protocol", key="buffer")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="__buffer__ came with Python 3.12")
@both_versions
def test_E5_buffer_of_a_python_class(version):
    """A class can export memory by __buffer__; if that fails, it is refused like other objects."""
    data = bytearray(5)
    good = type("Good", (), {"__buffer__": lambda self, flags: memoryview(data)})
    accepts(whole(version, good()))

    def fail(self, flags):
        raise RuntimeError("no memory today")

    refuses(
        whole(version, type("Bad", (), {"__buffer__": fail})()), "buffer_protocol", key="buffer"
    )


@both_versions
def test_E5_no_suboffsets(version):
    """Memory behind pointers to pointers has no strides, so it cannot be taken without a copy."""
    testbuffer = pytest.importorskip("_testbuffer")
    flags = testbuffer.ND_PIL | testbuffer.ND_WRITABLE
    indirect = testbuffer.ndarray(list(range(4)), shape=[2, 2], format="i", flags=flags)
    assert memoryview(indirect).suboffsets
    dim_data = (block(2, 1, 0, 0, 2), block(2, 1, 0, 0, 2))
    refuses(export(version, dim_data, indirect), "buffer_protocol", key="buffer")
    accepts(export(version, dim_data, (2, 2)))


@both_versions
def test_E6_dim_data_is_a_tuple_of_dicts(version):
    """dim_data is a tuple, and each element is a dict; subclasses of both are accepted."""
    data = block(5, 1, 0, 0, 5)
    named = collections.namedtuple("DimData", "x")(collections.OrderedDict(data))
    accepts(export(version, named, (5,)))
    accepts(export(version, (collections.defaultdict(int, data),), (5,)))
    for bad in ([data], data, None, "b", iter((data,)), {0: data}, np.array([data]), {"x"}):
        refuses(export(version, bad, (5,)), "dim_data_type", key="dim_data")
    assert "tuple" in str(refuses(export(version, [data], (5,)), "dim_data_type"))  # A17
    for bad in (
        None,
        [data],
        tuple(data),
        "b",
        5,
        types.MappingProxyType(data),
        list(data.items()),
    ):
        refuses(export(version, (bad,), (5,)), "dim_dict_type", axis=0)
        refuses(export(version, (data, bad), (5, 5)), "dim_dict_type", axis=1)


@both_versions
def test_E7_one_dictionary_per_axis_of_the_buffer(version):
    """Axis i of the buffer is axis i of the array: as many dictionaries as the buffer has axes."""
    data = block(5, 1, 0, 0, 5)
    accepts(export(version, (data,) * 3, (5, 5, 5)))
    for n, extents in ((2, (5,)), (1, (5, 5)), (1, ()), (3, (5, 5)), (0, (5,)), (0, (5, 5))):
        refuses(export(version, (data,) * n, extents), "ndim_mismatch")
    error = refuses(export(version, (data, data), (25,)), "ndim_mismatch")
    assert "2 dimension dictionaries for a 1-dimensional buffer" in str(error)


@both_versions
def test_E8_no_axes_is_one_element(version):
    """dim_data () is an array without axes: one element on one process."""
    accepts_all([export(version, (), np.array(3.5))])
    accepts_all([export(version, (), ctypes.c_double(3.5))])
    for buffer in (np.zeros(1), np.zeros(0), np.zeros((1, 1)), b"x"):
        refuses(export(version, (), buffer), "ndim_mismatch")
    refuses_all([export(version, (), np.array(3.5))] * 2, "grid_product", axis=None)


@both_versions
def test_E9_memory_is_shared_not_copied(version):
    """The view shares the producer's memory: each reads the other's writes."""
    buffer = np.arange(5.0)
    view = distview.from_distarray(Producer(whole(version, buffer)))
    assert view.view.__array_interface__["data"] == buffer.__array_interface__["data"]
    view.view[1], buffer[2] = 10, 20
    assert (buffer.tolist(), view.view.tolist()) == ([0, 10, 20, 3, 4], [0, 10, 20, 3, 4])


@both_versions
def test_E9_memory_lives_as_long_as_the_view(version):
    """The view keeps the buffer alive, also while arrays of it exist, and then releases it."""
    buffer = np.arange(5.0)
    watch = weakref.ref(buffer)
    view = distview.from_distarray(Producer(whole(version, buffer)))
    taken = view.view[1:]
    del buffer
    gc.collect()
    assert watch() is not None and view.view.tolist() == [0, 1, 2, 3, 4]
    del view
    gc.collect()
    assert watch() is not None and taken.tolist() == [1, 2, 3, 4]
    del taken
    gc.collect()
    assert watch() is None


@both_versions
def test_E10_read_only_memory_makes_a_view_for_reading(version):
    """A read-only buffer can be imported; the view is read-only, too."""
    frozen = np.arange(5.0)
    frozen.flags.writeable = False
    for buffer in (frozen, memoryview(frozen), memoryview(np.arange(5.0)).toreadonly()):
        accepts(whole(version, buffer))
        view = distview.from_distarray(whole(version, buffer))
        assert view.readonly and not view.view.flags.writeable
        with pytest.raises(ValueError):
            view.view[0] = 1
        assert memoryview(view).readonly
    writable = distview.from_distarray(whole(version, np.arange(5.0)))
    assert not writable.readonly and not memoryview(writable).readonly


@both_versions
def test_one_by_one(version):
    """A single section is an array on one process, so check_all accepts it, too."""
    accepts_all([whole(version)])
    refuses_all([one(version, block(5, 1, 0, 0, 5), 4)], "shape_mismatch", axis=0, process=0)


def test_messages_quote_the_beginning_of_what_they_are_given():
    """A message has at most a few lines, for any and arbitrarily long foreign values."""
    section = one("0.10.0", block(5, 1, 0, 0, 5), 5)
    endless = "b" * 10**7
    long_name = type("T" * 10**6, (), {})()
    wrong = [
        changed(section, dist_type=endless),
        changed(section, dist_type="\n" * 10**7),
        changed(section, dist_type=[endless]),
        changed(section, size=endless),
        changed(section, size=long_name),
        changed(section, size=endless.encode()),
        changed(section, padding=(endless, 0)),
        changed(section, periodic=endless),
        {**section, "__version__": endless},
        {**section, "__version__": "1." * 10**7},
        {**section, "__version__": long_name},
        {**section, endless: 0},
        {**section, "buffer": long_name},
        {**section, "dim_data": long_name},
        {**section, "dim_data": (long_name,)},
        changed(one("0.10.0", unstructured(3, 1, 0, [1, 2, 3]), 3), indices=long_name),
        changed(
            one("0.10.0", unstructured(3, 1, 0, [1, 2, 3]), 3),
            indices=np.zeros(3, [("x" * 10**6, "i4")]),
        ),
        long_name,
    ]
    for given in wrong:
        with pytest.raises(distview.ProtocolError) as caught:
            distview.check(given)
        assert len(str(caught.value)) < 400, str(caught.value)[:1000]
        assert "..." in str(caught.value)


def test_exports_speak_of_exports():
    """Errors of dap() name the export, not an import."""
    array = distview.zeros((4, 3), "bc", padding=(1, 0))
    for ask in (array.dap, array.__dap_capsule__, lambda v: array.layout.dim_data(0, v)):
        with pytest.raises(distview.ProtocolError) as caught:
            ask("0.8.0")
        assert caught.value.code == "version_unsupported"
        assert str(caught.value) == (
            "DAP export: version 0.8.0 is not supported; this exporter writes 0.9.z and 0.10.z"
        )
        with pytest.raises(distview.ProtocolError, match="^DAP export: the version is '0.10'"):
            ask("0.10")
        with pytest.raises(distview.ProtocolError) as caught:
            ask("0" * 10**6)
        assert len(str(caught.value)) < 200


def test_periodic_axes_of_0_9_come_back():
    """0.9 allows any axis to be periodic: the export has it again, and 0.10 refuses to export it."""
    data = {**cyclic(10, 1, 0, 0), "periodic": True}
    array = distview.from_distarray(one("0.9.0", data, 10))
    assert array.dap("0.9.0")["dim_data"][0] == data
    with pytest.raises(distview.ProtocolError) as caught:
        array.dap("0.10.0")
    assert (caught.value.code, caught.value.axis) == ("key_not_applicable", 0)
    assert str(caught.value).startswith("DAP export: ")
    lists = {**unstructured(3, 1, 0, np.array([5, -1, 3])), "periodic": True}
    array = distview.from_distarray(one("0.9.0", lists, 3))
    again = array.dap("0.9.0")["dim_data"][0]
    assert again["periodic"] is True and again["indices"].tolist() == [5, -1, 3]
