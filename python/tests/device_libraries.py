# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries that work in the memory of CUDA devices, behind one interface.

Each has: take(array), an array of the library over ours by the library's preferred way; ways, all of
them by name; make(numbers), an array of its own; pointer, to_numpy; and, if its arrays are mutable,
fill(array, value) and Stream, with a number for the protocols. `kinds` are the kinds of memory that it
accepts without conversion.
"""

import atexit
import contextlib
import ctypes
import functools

import distview

CUDA, CUDA_HOST, CUDA_MANAGED = 2, 3, 13


class CuPy:
    kinds = (CUDA, CUDA_MANAGED)
    mutable = True

    def __init__(self, importorskip):
        self.m = importorskip("cupy")
        self.ways = {"__dlpack__": self.m.from_dlpack, "__cuda_array_interface__": self.m.asarray}

    def make(self, numbers):
        return self.m.asarray(numbers)

    def pointer(self, array):
        return array.data.ptr

    def to_numpy(self, array):
        return self.m.asnumpy(array)

    def fill(self, array, value):
        array[...] = value

    def new_stream(self):
        return self.m.cuda.Stream(non_blocking=True)

    def number(self, stream):
        return stream.ptr

    def on(self, stream):
        return stream


class Torch:
    kinds = (CUDA,)
    mutable = True

    def __init__(self, importorskip, skip):
        self.m = importorskip("torch")
        if not self.m.cuda.is_available():
            skip("this PyTorch has no CUDA")
        self.ways = {
            "__dlpack__": self.m.from_dlpack,
            "__cuda_array_interface__": lambda array: self.m.as_tensor(array, device="cuda"),
        }

    def make(self, numbers):
        return self.m.from_numpy(numbers.copy()).cuda()

    def pointer(self, array):
        return array.data_ptr()

    def to_numpy(self, array):
        return array.cpu().numpy()

    def fill(self, array, value):
        array.fill_(value)

    def new_stream(self):
        return self.m.cuda.Stream()

    def number(self, stream):
        return stream.cuda_stream

    def on(self, stream):
        return self.m.cuda.stream(stream)


class Numba:
    kinds = (CUDA, CUDA_HOST, CUDA_MANAGED)
    mutable = True

    def __init__(self, importorskip, skip):
        self.m = importorskip("numba.cuda")
        if not self.m.is_available():
            skip("this Numba has no CUDA")
        self.ways = {"__cuda_array_interface__": self.m.as_cuda_array}

        @self.m.jit
        def fill(array, value):
            for i in range(array.shape[0]):
                for j in range(array.shape[1]):
                    array[i, j] = value

        self._fill = fill
        self._stream = 0
        self._skip = skip
        self._why_no_kernels = self._find_why_no_kernels()

    def _find_why_no_kernels(self):
        """Numba fails with a NumPy newer than it supports: tested with an array of its own."""
        import numpy as np

        try:
            self._fill[1, 1](self.make(np.zeros((1, 1))), 1.0)
        except AttributeError as failure:
            return f"this Numba compiles no kernels here ({failure})"
        return ""

    def make(self, numbers):
        return self.m.to_device(numbers)

    def pointer(self, array):
        return array.__cuda_array_interface__["data"][0]

    def to_numpy(self, array):
        return array.copy_to_host()

    def fill(self, array, value):
        if self._why_no_kernels:
            self._skip(self._why_no_kernels)
        self._fill[1, 1, self._stream](array, value)

    def new_stream(self):
        return self.m.stream()

    def number(self, stream):
        return stream.handle.value if hasattr(stream.handle, "value") else int(stream.handle)

    @contextlib.contextmanager
    def on(self, stream):
        self._stream = stream
        yield
        self._stream = 0


class Jax:
    kinds = (CUDA,)
    mutable = False

    def __init__(self, importorskip, skip):
        self.m = importorskip("jax")
        try:
            self.device = self.m.devices("cuda")[0]
        except RuntimeError as failure:
            skip(f"this JAX has no CUDA ({str(failure).splitlines()[0]})")
        self.m.config.update("jax_enable_x64", True)
        self.ways = {"__dlpack__": self.m.dlpack.from_dlpack}

    def make(self, numbers):
        return self.m.device_put(numbers, self.device).block_until_ready()

    def pointer(self, array):
        return array.unsafe_buffer_pointer()

    def to_numpy(self, array):
        import numpy as np

        return np.asarray(array)


def library(name, pytest):
    """One of the libraries; skips the test if it or its support for CUDA is missing."""
    skip = pytest.skip

    def importorskip(module):
        return pytest.importorskip(module, reason=f"{name} is not installed", exc_type=ImportError)

    if name == "CuPy":
        return CuPy(importorskip)
    return {"PyTorch": Torch, "Numba": Numba, "JAX": Jax}[name](importorskip, skip)


@functools.cache
def _self_of_open_mpi():
    """MPI_COMM_SELF of the module's own MPI; starts that MPI."""
    library = ctypes.CDLL("libmpi.so.40")
    started = ctypes.c_int(0)
    library.MPI_Initialized(ctypes.byref(started))
    if not started.value:
        library.MPI_Init(None, None)
        atexit.register(library.MPI_Finalize)
    return distview._distview.communicator_from_fortran(1)


def communicator_of_self(pytest):
    """MPI.COMM_SELF; without mpi4py, or if it uses another MPI, COMM_SELF of the module's Open MPI."""
    try:
        from mpi4py import MPI

        distview.zeros(1, comm=MPI.COMM_SELF)
        return MPI.COMM_SELF
    except (ImportError, RuntimeError, distview.UsageError) as failure:
        reason = failure
    if not distview._distview.mpi_library_version().startswith("Open MPI"):
        pytest.skip(f"no mpi4py of the module's MPI ({reason})")
    return _self_of_open_mpi()
