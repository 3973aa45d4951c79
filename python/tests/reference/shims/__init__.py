# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of Python before 3.12, NumPy 1 and mpi4py 3 that the reference code of 2014 needs.

The sources of the reference stay unchanged. `old_names()` puts the missing names where that code
looks for them and removes all of them when the block ends, so that nothing else in the
same process (our own module above all) ever sees them.
"""

import collections
import collections.abc
import importlib
import sys
from contextlib import contextmanager

# Stand-ins for whole modules: the module's name, and the file in this folder.
MODULES = {
    "distutils": "distutils",  # left Python in 3.12
    "distutils.version": "distutils.version",
    "ipyparallel": "ipyparallel",  # distarray's engines; none are started here
    "numpy.compat": "numpy_compat",
    "numpy.lib.utils": "numpy_lib_utils",  # left NumPy in 2.0
}

# The abstract classes that lived in `collections` until Python 3.10.
ABSTRACT_CLASSES = ("Callable", "Iterable", "Mapping", "MutableMapping", "Sequence")


def _numpy_names():
    """Names that NumPy 2.0 removed; distarray uses them when it is imported."""
    import numpy

    def issctype(thing):
        return isinstance(thing, (type, numpy.dtype)) and issubclass(
            numpy.dtype(thing).type, numpy.generic
        )

    def only_named(*_arguments, **_keywords):
        raise NotImplementedError("distarray only hands this name on; nothing here calls it")

    return {
        "cast": only_named,
        "issctype": issctype,
        "issubclass_": issubclass,
        "maximum_sctype": only_named,
        "obj2sctype": lambda thing: numpy.dtype(thing).type,
        "sctype2char": lambda thing: numpy.dtype(thing).char,
    }


def _missing(module, names):
    return {name: value for name, value in names.items() if name not in vars(module)}


def _additions():
    """(module, {name: value}) of everything that this interpreter lacks."""
    import numpy

    yield collections, {name: getattr(collections.abc, name) for name in ABSTRACT_CLASSES}
    yield numpy, _numpy_names()
    try:
        from mpi4py import MPI
    except ImportError:
        return
    if hasattr(MPI, "_typedict"):  # mpi4py 4 renamed it
        yield MPI, {"__TypeDict__": MPI._typedict}


@contextmanager
def old_names():
    """The old names, for as long as the block lasts."""
    modules = {name: sys.modules.get(name) for name in MODULES}
    added = [(module, _missing(module, names)) for module, names in _additions()]
    try:
        for name, file in MODULES.items():
            sys.modules[name] = importlib.import_module(f"{__name__}.{file}")
        for module, names in added:
            for name, value in names.items():
                setattr(module, name, value)
        yield
    finally:
        for module, names in added:
            for name in names:
                delattr(module, name)
        for name, before in modules.items():
            if before is None:
                del sys.modules[name]
            else:
                sys.modules[name] = before
