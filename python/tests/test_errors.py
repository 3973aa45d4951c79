# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The classes of errors: programs can catch them as Python's own exceptions."""

import pickle

import distview
import pytest


@pytest.mark.parametrize(
    ("name", "bases"),
    [
        ("LayoutError", [ValueError]),
        ("ShapeError", [ValueError]),
        ("UsageError", [ValueError, TypeError]),
        ("AxisError", [distview.UsageError, IndexError]),
        ("ProtocolError", [ValueError]),
        ("MpiError", [RuntimeError]),
    ],
)
def test_classes_are_also_those_of_python(name, bases):
    kind = getattr(distview, name)
    assert all(issubclass(kind, base) for base in [distview.Error, *bases])
    again = pickle.loads(pickle.dumps(kind("text")))
    assert type(again) is kind and str(again) == "text"


@pytest.mark.parametrize("comm", ["none", "self"])
@pytest.mark.parametrize(
    ("call", "kinds"),
    [
        (lambda c: distview.zeros(-1, comm=c), [distview.LayoutError, ValueError]),
        (lambda c: distview.zeros(3, "x", c), [distview.LayoutError, ValueError]),
        (lambda c: distview.wrap(bytearray(8), 3, comm=c), [distview.ShapeError, ValueError]),
        (lambda c: distview.zeros(3, comm=c).gather(root=1), [distview.UsageError, ValueError]),
        (lambda c: distview.zeros(3, comm=c).gather(root="a"), [distview.UsageError, TypeError]),
        (lambda c: distview.zeros(3, comm=c).owned_range(1), [distview.AxisError, IndexError]),
        (lambda c: distview.zeros(3, comm=c).section_indices(-1), [distview.AxisError, IndexError]),
        (lambda c: distview.zeros(3, comm=c).layout.owned_range(7, 0), [distview.AxisError, IndexError]),
        (lambda c: distview.from_distarray({}, c), [distview.ProtocolError, ValueError]),
    ],
)
def test_raised_errors(call, kinds, comm, request):
    given = None if comm == "none" else request.getfixturevalue("mpi").COMM_SELF
    with pytest.raises(kinds[0]) as caught:
        call(given)
    assert all(isinstance(caught.value, kind) for kind in kinds)


def test_a_wrong_element_type_is_a_type_error(mpi):
    for comm in (None, mpi.COMM_SELF):
        with pytest.raises(TypeError, match="nonsense"):
            distview.zeros(3, comm=comm, dtype="nonsense")
