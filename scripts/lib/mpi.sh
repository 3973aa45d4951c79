# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Environment for MPI and OpenMP programs on one machine: no warnings, may run as root, may have more
# ranks than cores, and no two programs are bound to the same core.

# default_to NAME VALUE: sets a variable unless the user has set it.
default_to() {
    if [[ -z ${!1+set} ]]; then export "$1=$2"; fi
}

# under_resource_manager: whether a batch system chooses hosts, bindings and networks.
under_resource_manager() {
    [[ -n ${SLURM_JOB_ID:-}${PBS_JOBID:-}${LSB_JOBID:-}${OMPI_MCA_orte_default_hostfile:-} ]]
}

# mpi_environment RANKS
mpi_environment() {
    local cores threads
    cores=$(count_cores)
    threads=$((cores / $1))
    default_to OMP_NUM_THREADS $((threads > 1 ? threads : 1))
    default_to OMP_PROC_BIND false
    # Otherwise Kokkos would warn on every rank that the ranks outnumber the cores, which the user knows.
    # Threads that spin while they wait would take the cores from other ranks.
    if (($1 * OMP_NUM_THREADS > cores)); then
        default_to KOKKOS_DISABLE_WARNINGS true
        default_to OMP_WAIT_POLICY passive
    fi
    local version
    version=$(mpirun --version 2>/dev/null | sed -n 1p) || version=
    case $version in
    *"Open MPI"* | *OpenRTE*) ;;
    *) return 0 ;;
    esac
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    default_to OMPI_MCA_mpi_yield_when_idle 1
    if under_resource_manager; then return 0; fi
    # ob1 over shared memory: otherwise some builds print that they found no network.
    default_to OMPI_MCA_pml ob1
    case $version in
    *" 4."*)
        default_to OMPI_MCA_btl self,vader
        default_to OMPI_MCA_rmaps_base_oversubscribe 1
        default_to OMPI_MCA_hwloc_base_binding_policy none
        default_to OMPI_MCA_orte_execute_quiet 1
        ;;
    *" 5."*)
        default_to OMPI_MCA_btl self,sm
        default_to PRTE_MCA_rmaps_default_mapping_policy :oversubscribe
        default_to PRTE_MCA_hwloc_default_binding_policy none
        ;;
    *)
        default_to OMPI_MCA_btl self,sm
        default_to PRTE_MCA_mapby :oversubscribe
        default_to PRTE_MCA_bindto none
        ;;
    esac
}

# mpi_exec ARGUMENTS...: replaces this process by mpirun, without mpirun's remarks on programs that end with a non-zero
# status. mpirun may give the ranks a pseudo-terminal, so variables tell them whether the script writes to a terminal.
mpi_exec() {
    local stdout=0 stderr=0
    if [[ -t 1 ]]; then stdout=1; fi
    if [[ -t 2 ]]; then stderr=1; fi
    export DISTVIEW_STDOUT_IS_TERMINAL=$stdout DISTVIEW_STDERR_IS_TERMINAL=$stderr
    # Some systems have Perl without its usual modules.
    if perl -MFile::Temp -e 1 2>/dev/null; then
        # If the filter is killed, mpirun and its ranks must end as well.
        local guard=()
        if command -v setpriv >/dev/null; then guard=(setpriv --pdeathsig TERM --); fi
        exec_for_user perl "$distview_lib/without_remarks.pl" "${guard[@]}" mpirun "$@"
    fi
    exec_for_user mpirun "$@"
}
