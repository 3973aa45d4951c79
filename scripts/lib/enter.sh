# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Enters the chosen toolchain. For the private root that is a separate mount namespace and a
# chroot. Every folder of the host that is not part of its operating system keeps its path inside:
# the same paths mean the same files, and the working folder stays the same.

# Variables of the caller that are not passed on: they name parts of the host's system, which do not exist inside,
# or a job of the host's batch system or of its mpirun. All other variables are passed on.
enter_drop='PATH|LD_.*|LIBRARY_PATH|CPATH|.*_INCLUDE_PATH|COMPILER_PATH|GCC_EXEC_PREFIX'
enter_drop+='|CC|CXX|CPP|FC|F77|F90|LD|AR|AS|NM|RANLIB|STRIP|OBJCOPY|OBJDUMP|READELF'
enter_drop+='|CUDACXX|CUDAHOSTCXX|NVCC_.*|(OMPI|MPICH|I_MPI)_(CC|CXX|CPP|FC|F77|F90)'
enter_drop+='|PKG_CONFIG.*|CMAKE_(PREFIX|APPBUNDLE|FRAMEWORK|INCLUDE|LIBRARY|MODULE|PROGRAM)_PATH'
enter_drop+='|CMAKE_TOOLCHAIN_FILE|CMAKE_.*_COMPILER(_LAUNCHER)?|CMAKE_GENERATOR.*|MAKEFLAGS|MFLAGS'
enter_drop+='|(Kokkos|KOKKOS|KokkosKernels|MPI|OMPI|OPAL|I_MPI|MPICH|GTest|GTEST|benchmark|nlohmann_json'
enter_drop+='|CLI11|hwloc|HWLOC|BLAS|OpenBLAS|OPENBLAS|LAPACK|SCALAPACK|FFTW|FFTW3|PETSC|PETSc|CUDA'
enter_drop+='|CUDAToolkit|Python|Python3|nanobind|distview)_(ROOT|DIR|HOME|PATH|PREFIX)'
enter_drop+='|PYTHON(PATH|HOME|STARTUP|USERBASE|EXECUTABLE|PLATLIBDIR|NOUSERSITE)|VIRTUAL_ENV|CONDA.*'
enter_drop+='|PERL5.*|PERLLIB|PERL_.*|TCLLIBPATH|RUBYLIB|GCONV_PATH|NLSPATH|LOCPATH'
enter_drop+='|LANG|LANGUAGE|LC_.*|SHELL|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE|PWD|OLDPWD|SHLVL|_'
enter_drop+='|(SSL|NIX_SSL)_CERT_.*|GIT_SSL_.*|PIP_CERT|.*_CA_(BUNDLE|CERTS).*|APT_CONFIG'
enter_drop+='|(SLURM|SLURMD|PBS|LSB|LSF|SGE|FLUX|ALPS|PMI|PMI2|PMIX|PRTE|PRRTE|HYDRA|OMPI|OPAL|ORTE)_.*'
# Variables of these families that users set: they are passed on.
enter_keep='(OMPI|PRTE|PMIX)_MCA_.*'

# Arguments of the user's program: if they name files in system folders, these folders are made available inside.
enter_arguments=()
# The folder to which a script writes; it must be available inside.
enter_output=

# enter_folders: prints the folders that must be available inside even if they lie in system folders, one per line.
enter_folders() {
    printf '%s\n' "$distview_source" "$distview_prefix" "$PWD"
    local argument folder output=
    if [[ -n $enter_output ]]; then output=$(readlink -f -- "$enter_output")/; fi
    for argument in "${enter_arguments[@]#*=}" "$output"; do
        [[ $argument =~ ^/(usr|etc|boot|var/lib|var/cache)/ ]] || continue
        folder=${argument%/*}
        [[ -d $folder ]] || continue
        if [[ -d $root_dir$folder && -n $(ls -A "$root_dir$folder") ]]; then
            [[ $argument != "$output" ]] ||
                die "$folder cannot be written from the private root, which has its own folder of this name" \
                    "choose another one, or use the distribution's packages: --native"
            say "note: inside the private root, $folder is the root's own"
        else
            printf '%s\n' "$folder"
        fi
    done
}

# enter_toolchain COMMAND...: replaces this process by the command, inside the toolchain.
enter_toolchain() {
    export DISTVIEW_INSIDE=$toolchain_kind DISTVIEW_TOOLCHAIN_SUMMARY=$toolchain_summary
    if [[ $toolchain_kind != private ]]; then exec "$@"; fi

    local why name folders variables=()
    why=$(root_impossible)
    [[ -z $why ]] || die "the private Debian root cannot be entered: $why"
    folders=$(enter_folders) || exit 1
    while read -r name; do
        # Compiler flags of an activated conda name conda's own headers and libraries.
        if [[ $name == *FLAGS* && -n ${CONDA_PREFIX:-} && ${!name} == *"$CONDA_PREFIX"* ]]; then continue; fi
        if [[ $name =~ ^($enter_keep)$ || ! $name =~ ^($enter_drop)$ ]]; then
            variables+=("$name=${!name}")
        fi
    done < <(compgen -e)
    variables+=(PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin LC_ALL=C.UTF-8
        SHELL=/bin/bash PYTHONNOUSERSITE=1)
    # Every process inside holds this lock, so that the root is not removed before the last one ends.
    exec 8<"$root_dir/.distview-root"
    flock --shared --nonblock 8 || die "$root_dir is being removed by another command"
    if [[ $1 == "$BASH" ]]; then set -- /bin/bash "${@:2}"; fi
    exec unshare --mount --propagation private -- "$BASH" "$distview_lib/enter_root.sh" \
        "$root_dir" "$folders" "${#variables[@]}" \
        "${variables[@]}" "$@"
}
