# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs a folder for a machine with a GPU: programs of a build, with the libraries and the Open MPI that they need."""

import os
import pathlib
import shutil
import subprocess
import sys

#: Programs that run on 1, 2 and 4 ranks.
OF_RESULTS = ("test_cuda_transports", "test_cuda_algorithms", "test_cuda_elements", "cuda_instantiations")
PROGRAMS = (*OF_RESULTS, "test_cuda_exports", "bench_device", "shallow_water", "poisson", "ptrans")

#: Libraries of the target machine that are not packed: its C library, which must not be older, and the driver.
OF_THE_MACHINE = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libmvec", "libpthread", "libdl.so", "librt.so")
OF_THE_MACHINE += ("libresolv", "libutil.so", "libanl", "libnss", "libcuda.so")

#: Parts of Open MPI that are not packed: files for linking, cluster networks, and SHMEM.
LEFT_OUT = ("*.a", "*.la", "include", "*ofi*", "*ucx*", "*psm*", "*verbs*", "*openib*", "*usnic*")
LEFT_OUT += ("mca_spml*", "mca_scoll*", "mca_sshmem*", "mca_memheap*", "mca_atomic*", "*oshmem*")


def output_of(command):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def commit_of(root):
    written = root / "COMMIT"
    if written.exists():
        return written.read_text(encoding="utf-8").strip()
    try:
        return output_of(["git", "-C", str(root), "describe", "--always", "--dirty"]).strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def environment_of(build):
    """The environment for programs of a packed folder: it names the present place of their MPI."""
    prefix = build / "mpi"
    if not prefix.is_dir():
        return {}
    paths = [str(prefix / "bin"), os.environ.get("PATH", "")]
    libraries = [str(build / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
    # PMIx may have a separate prefix.
    of_pmix = [folder.parent.parent for folder in prefix.rglob("pmix*") if folder.parent.name == "lib"]
    return {
        "OPAL_PREFIX": str(prefix),
        "PRTE_PREFIX": str(prefix),
        "PMIX_INSTALL_PREFIX": str(min(of_pmix, default=prefix)),
        "PATH": os.pathsep.join(path for path in paths if path),
        "LD_LIBRARY_PATH": os.pathsep.join(path for path in libraries if path),
    }


def libraries_of(file):
    """Names and paths of the shared libraries with which a program or library is linked."""
    for line in output_of(["ldd", str(file)]).splitlines():
        name, arrow, rest = line.strip().partition(" => ")
        if not arrow or name.startswith(OF_THE_MACHINE):
            continue
        path = rest.split(" (")[0]
        if path == "not found":
            raise RuntimeError(f"{file}: {name} is not found")
        yield name, pathlib.Path(path)


def copy_libraries(files, to):
    to.mkdir(exist_ok=True)
    for file in files:
        for name, path in libraries_of(file):
            if not (to / name).exists():
                shutil.copy(path, to / name)


def open_mpi_folders():
    """Open MPI's prefix, and the folders below it that Open MPI needs at run time."""
    paths = {}
    for line in output_of(["ompi_info", "--parsable", "--path", "all"]).splitlines():
        kind, _, path = line.removeprefix("path:").partition(":")
        paths[kind] = pathlib.Path(path)
    prefix = paths["prefix"].resolve()
    folders = [paths["pkglibdir"], paths["pkgdatadir"]]
    for parent in {paths["libdir"], *paths["libdir"].parents, prefix / "share"}:
        if parent.is_relative_to(prefix) and parent != prefix:
            folders += [*parent.glob("pmix*"), *parent.glob("prte*")]
    return prefix, sorted({folder.resolve() for folder in folders if folder.is_dir()})


def copy_open_mpi(to):
    prefix, folders = open_mpi_folders()
    for folder in folders:
        shutil.copytree(
            folder,
            to / folder.relative_to(prefix),
            ignore=shutil.ignore_patterns(*LEFT_OUT),
            dirs_exist_ok=True,
        )
    (to / "bin").mkdir(parents=True, exist_ok=True)
    for name in ("mpirun", "orterun", "orted", "prterun", "prte", "prted", "ompi_info"):
        program = shutil.which(name, path=str(prefix / "bin"))
        if program:
            shutil.copy(program, to / "bin" / name)
    plugins = [path for path in to.rglob("*.so*") if path.is_file()]
    return [*plugins, *(to / "bin").iterdir()]


def pack(root, build, folder):
    """Packs the folder and prints its size; returns an exit status."""
    if folder.exists() and any(folder.iterdir()):
        print(f"{folder} is not empty", file=sys.stderr)
        return 2
    missing = [name for name in PROGRAMS if not (build / "bin" / name).is_file()]
    if missing:
        names = " ".join(missing)
        print(f"not built: {names}; cmake --build {build} --target {names}", file=sys.stderr)
        return 2
    folder = folder.resolve()
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        shutil.copy(build / "bin" / name, folder / "bin" / name)
        subprocess.run(["strip", str(folder / "bin" / name)], check=True)
    files = [folder / "bin" / name for name in PROGRAMS]
    if shutil.which("ompi_info"):
        files += copy_open_mpi(folder / "mpi")
    else:
        print("no ompi_info here: no MPI is packed, and the mpirun there must suit the programs")
    if (build / "python" / "distview").is_dir():
        shutil.copytree(build / "python" / "distview", folder / "python" / "distview")
        shutil.copytree(root / "python" / "tests", folder / "python" / "tests")
        files += (folder / "python" / "distview").glob("*.so")
    copy_libraries(files, folder / "lib")
    (folder / "scripts" / "lib").mkdir(parents=True)
    shutil.copy(root / "scripts" / "gpu-check", folder / "scripts")
    for name in ("gpu_checks.py", "gpu_benchmarks.py", "gpu_pack.py"):
        shutil.copy(root / "scripts" / "lib" / name, folder / "scripts" / "lib")
    (folder / "COMMIT").write_text(commit_of(root) + "\n", encoding="utf-8")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder}: {size / 2**20:.1f} MiB; there: scripts/gpu-check --out FOLDER")
    return 0
