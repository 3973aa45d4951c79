#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads files of DistView with other people's programs, and checks every number.

    read_by_others.py READER FOLDER

READER: h5py, vtk, netcdf4, xarray or numpy. The last line is "READER VERSION: right", or "READER: not installed" with
status 77. Needs nothing of DistView, so any interpreter can run it, for example one of a virtual environment. The files
are made by python/tests/test_mpi_read_by_others.py; the value of an element encodes its index, so that a misplaced one
shows its origin. The FOLDER "made" beside them is for the other direction: `READER FOLDER write` fills it.
"""

import sys
from pathlib import Path

import numpy as np

# (axis names, shape, spacing, origin) of the grids; x is the last axis.
CELLS = (("z", "y", "x"), (3, 4, 5), (2.0, 0.5, 0.25), (10.0, 20.0, 30.0))
POINTS = (("y", "x"), (6, 7), (0.5, 0.25), (1.0, -2.0))
FILM = (("y", "x"), (4, 5), (0.5, 0.25), (0.0, 0.0))
TIMES = [0.0, 0.5, 1.25]


def indexed(shape, dtype="f8"):
    """100 i + 10 j + k, and so on."""
    return sum(10 ** (len(shape) - 1 - d) * i for d, i in enumerate(np.indices(shape))).astype(dtype)


def same(found, expected):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    assert (found == expected).all(), (found, expected)


def places(grid, on_points):
    """Coordinates of the cells' centres, or of the points, by axis."""
    _, shape, spacing, origin = grid
    return [o + s * (np.arange(n) + (0 if on_points else 0.5)) for n, s, o in zip(shape, spacing, origin)]


def read_numpy(folder):
    whole = indexed((6, 7))
    same(np.load(folder / "u.npy"), whole)
    same(np.load(folder / "u.npy", mmap_mode="r")[2:4], whole[2:4])
    fortran = np.load(folder / "fortran.npy")
    same(fortran, whole)
    assert fortran.flags.f_contiguous and not fortran.flags.c_contiguous
    with np.load(folder / "all.npz") as archive:
        assert archive.files == ["u", "n", "Wärme"]
        same(archive["u"], whole)
        same(archive["Wärme"], whole)
        same(archive["n"], indexed((4, 5, 6), "i4"))
    return np.__version__


def read_h5py(folder):
    import h5py

    with h5py.File(folder / "state.h5") as file:
        same(file["h"], indexed((6, 7)))
        same(file["flow/n"], indexed((4, 5, 6), "i4"))
        assert file["flow"]["n"].dtype == np.int32 and file["h"].chunks is None
        for name in ("f2", "f4", "c8", "c16", "u1", "i8"):
            assert file[name].dtype == np.dtype(name), name
            same(file[name], np.arange(9).astype(name))
        assert file["bool"].dtype == np.bool_
        same(file["bool"], np.arange(9) % 2 == 1)
        assert file.attrs["step"] == 150 and file.attrs["time"] == 3600.5 and file.attrs["title"] == "Wärme"
        same(file.attrs["numbers"], [1, 2, 3])
        assert [dim[0].name for dim in file["h"].dims] == ["/y", "/x"]
    with h5py.File(folder / "small.h5") as file:
        assert file["h"].compression == "gzip" and file["h"].compression_opts == 9 and file["h"].shuffle
        same(file["h"], indexed((6, 7)))
        same(file["flow/n"], indexed((4, 5, 6), "i4"))
    with h5py.File(folder / "cells.vtkhdf") as file:
        same(file["VTKHDF/CellData/h"], indexed(CELLS[1]))
        for dim, expected in zip(file["h"].dims, places(CELLS, False)):
            same(dim[0], expected)
    with h5py.File(folder / "film.vtkhdf") as file:
        same(file["time"], TIMES)
        for step in range(len(TIMES)):
            same(file["h"][step], indexed(FILM[1]) + 1000 * step)
    return h5py.__version__


def image(reader):
    data = reader.GetOutputDataObject(0)
    assert data.GetClassName() == "vtkImageData", data.GetClassName()
    return data


def values(arrays, name, shape):
    """VTK's x is the fastest axis, like the last axis in C order."""
    from vtkmodules.util.numpy_support import vtk_to_numpy

    assert arrays.HasArray(name), [arrays.GetArrayName(i) for i in range(arrays.GetNumberOfArrays())]
    return vtk_to_numpy(arrays.GetArray(name)).reshape(shape)


def check_image(data, grid, on_points):
    """VTK's dimensions count points, and always have three entries."""
    _, shape, spacing, origin = grid
    lacking = 3 - len(shape)
    points = [n + (0 if on_points else 1) for n in shape[::-1]] + [1] * lacking
    assert list(data.GetDimensions()) == points, data.GetDimensions()
    same(data.GetSpacing()[: len(shape)], spacing[::-1])
    same(data.GetOrigin()[: len(shape)], origin[::-1])


def read_vtk(folder):
    import vtk
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
    from vtkmodules.vtkIOHDF import vtkHDFReader

    def opened(name):
        reader = vtkHDFReader()
        reader.SetFileName(str(folder / name))
        reader.UpdateInformation()
        return reader

    for name, grid, on_points in (("cells.vtkhdf", CELLS, False), ("points.vtkhdf", POINTS, True)):
        reader = opened(name)
        reader.Update()
        data = image(reader)
        check_image(data, grid, on_points)
        arrays, others = data.GetCellData(), data.GetPointData()
        if on_points:
            arrays, others = others, arrays
        same(values(arrays, "h", grid[1]), indexed(grid[1]))
        assert others.GetNumberOfArrays() == 0
        # The last point, or the middle of the last cell, has the coordinates of its index.
        last = [n - 1 for n in grid[1]]
        at = [axis[i] for axis, i in zip(places(grid, on_points), last)][::-1]
        if on_points:
            same(data.GetPoint(data.GetNumberOfPoints() - 1)[: len(at)], at)
        else:
            bounds = data.GetCell(data.GetNumberOfCells() - 1).GetBounds()
            same([(bounds[2 * d] + bounds[2 * d + 1]) / 2 for d in range(len(at))], at)
    reader = opened("film.vtkhdf")
    times = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    same(times, TIMES)
    for step in (0, 2, 1):
        reader.UpdateTimeStep(TIMES[step])
        data = image(reader)
        check_image(data, FILM, False)
        same(values(data.GetCellData(), "h", FILM[1]), indexed(FILM[1]) + 1000 * step)
        assert data.GetInformation().Get(data.DATA_TIME_STEP()) == TIMES[step]
    return vtk.vtkVersion.GetVTKVersion()


def read_netcdf4(folder):
    import netCDF4

    for name in ("state.h5", "small.h5"):
        with netCDF4.Dataset(folder / name) as file:
            assert file["h"].dimensions == ("y", "x")
            same(file["h"][...], indexed((6, 7)))
            same(file["flow"]["n"][...], indexed((4, 5, 6), "i4"))
            assert file.step == 150 and file.title == "Wärme"
    with netCDF4.Dataset(folder / "film.vtkhdf") as file:
        assert file["h"].dimensions == ("time", "y", "x") and file.dimensions["time"].isunlimited()
        same(file["time"][...], TIMES)
        for step in range(len(TIMES)):
            same(file["h"][step], indexed(FILM[1]) + 1000 * step)
        for name, expected in zip(FILM[0], places(FILM, False)):
            same(file[name][...], expected)
    return netCDF4.__version__


def read_xarray(folder):
    import xarray

    with xarray.open_dataset(folder / "cells.vtkhdf", engine="netcdf4") as data:
        h = data["h"]
        assert h.dims == CELLS[0], h.dims
        same(h.values, indexed(CELLS[1]))
        for name, expected in zip(CELLS[0], places(CELLS, False)):
            same(data[name].values, expected)
        assert h.sel(z=13, y=21.25, x=30.125, method="nearest").item() == 120
    with xarray.open_dataset(folder / "film.vtkhdf", engine="netcdf4", decode_times=False) as data:
        same(data["time"].values, TIMES)
        same(data["h"].sel(time=1.25).values, indexed(FILM[1]) + 2000)
    with xarray.open_dataset(folder / "state.h5", engine="netcdf4", group="flow") as data:
        same(data["n"].values, indexed((4, 5, 6), "i4"))
    return xarray.__version__


def write_h5py(folder):
    """Files like those of other programs, for DistView to read."""
    import h5py

    u, n = indexed((9, 11)), indexed((4, 5, 6), "i4")
    with h5py.File(folder / "others.h5", "w") as file:
        file["plain"] = u
        file.create_dataset("chunked", data=u, chunks=(4, 3))
        file.create_dataset("gzip", data=u, chunks=(4, 3), compression="gzip", shuffle=True, fletcher32=True)
        file.create_dataset("big", data=u.astype(">f8"))
        file.create_dataset("big gzip", data=n.astype(">i4"), chunks=(2, 2, 2), compression="gzip")
        file.create_dataset("group/deep/n", data=n)
        file.create_dataset("grows", data=u, maxshape=(None, 11))
        file.create_dataset("unwritten", (9, 11), "f8")
        file["bool"] = np.arange(9) % 2 == 1
        file["complex"] = np.arange(9) * (1 + 2j)
        file["texts"] = ["one", "two"]
        file["table"] = np.zeros(3, [("x", "f4"), ("n", "i4")])
        int24 = h5py.h5t.STD_I32LE.copy()
        int24.set_size(3)
        h5py.h5d.create(file.id, b"int24", int24, h5py.h5s.create_simple((3,)))
        file.attrs["time"] = 1.5
        file.attrs["step"] = np.int16(7)
        file.attrs["title"] = "Wärme"
        file.attrs["bytes"] = np.bytes_("plain")
        file.attrs["numbers"] = np.arange(3, dtype=">i4")
    return h5py.__version__


def write_netcdf4(folder):
    import netCDF4

    with netCDF4.Dataset(folder / "others.nc", "w") as file:
        file.createDimension("time", None)
        file.createDimension("y", 9)
        file.createDimension("x", 11)
        file.createVariable("time", "f8", ("time",))[:] = [0.0, 0.5]
        file.createVariable("y", "f8", ("y",))[:] = np.arange(9)
        u = file.createVariable("u", "f4", ("time", "y", "x"), zlib=True)
        for step in range(2):
            u[step] = indexed((9, 11)) + 1000 * step
        file.title = "of netCDF4"
    return netCDF4.__version__


READERS = {"numpy": read_numpy, "h5py": read_h5py, "vtk": read_vtk, "netcdf4": read_netcdf4, "xarray": read_xarray}
WRITERS = {"h5py": write_h5py, "netcdf4": write_netcdf4}
MODULES = {"netcdf4": ["netCDF4"], "xarray": ["xarray", "netCDF4"]}


def main(name, folder, *way):
    for module in MODULES.get(name, [name]):
        try:
            __import__(module)
        except ImportError:
            print(f"{name}: not installed")
            return 77
    version = (WRITERS if way == ("write",) else READERS)[name](Path(folder))
    print(f"{name} {version}: right")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
