// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/hypre/session.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/hypre/checked.hpp>
#include <distview/hypre/handle.hpp>

#include <HYPRE_utilities.h>

#include "call.hpp"

#include <cstring>

namespace distview::hypre {

namespace {

/// The session that has to stop hypre; there is one hypre in a process.
const Session* starter = nullptr;

void stop() noexcept {
    if (!starter) return;
    starter = nullptr;
    if (is_running()) (void)HYPRE_Finalize();
}

int stop_in_finalize(MPI_Comm, int, void*, void*) {
    stop();
    return MPI_SUCCESS;
}

/// Makes MPI_Finalize stop hypre: it deletes the attributes of MPI_COMM_SELF before anything else.
void stop_with_mpi() {
    static int key = MPI_KEYVAL_INVALID;
    if (key == MPI_KEYVAL_INVALID)
        check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &stop_in_finalize, &key, nullptr),
                  "MPI_Comm_create_keyval");
    int is_set = 0;
    void* value = nullptr;
    check_mpi(MPI_Comm_get_attr(MPI_COMM_SELF, key, &value, &is_set), "MPI_Comm_get_attr");
    if (!is_set) check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, &key), "MPI_Comm_set_attr");
}

/// The attribute holds the communicator itself: an allocation could fail on one rank, and the others would wait for it.
static_assert(sizeof(MPI_Comm) <= sizeof(void*));

int free_duplicate(MPI_Comm, int, void* value, void*) {
    MPI_Comm duplicate = MPI_COMM_NULL;
    std::memcpy(&duplicate, &value, sizeof duplicate);
    return MPI_Comm_free(&duplicate);
}

} // namespace

bool is_running() noexcept { return HYPRE_Initialized() != 0; }

bool impl::is_alive() noexcept {
    int finalized = 0;
    MPI_Finalized(&finalized);
    return !finalized && is_running();
}

bool takes_memory() noexcept {
#ifdef DISTVIEW_HYPRE_TAKES_MEMORY
    return true;
#else
    return false;
#endif
}

Session::Session(const Communicator& comm) {
    const CollectiveCall call(comm, "hypre::Session");
    const int running = is_running() ? 1 : 0;
    const int most = all_reduce(comm, ReduceOperation::max, running);
    agree_on(comm, "hypre::Session", [&] {
        require<UsageError>(running == most,
                            "hypre::Session: expected hypre to be initialised on all "
                            "ranks or on none, got it initialised on some");
    });
    if (running) return;
    (void)HYPRE_Initialize();
    checked(comm, "hypre::Session", [] { return HYPRE_GetError(); });
    starter = this;
    stop_with_mpi();
}

Session::~Session() {
    if (starter == this) stop();
}

MPI_Comm impl::comm_of(const Communicator& comm) {
    static int key = MPI_KEYVAL_INVALID;
    if (key == MPI_KEYVAL_INVALID)
        check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &free_duplicate, &key, nullptr),
                  "MPI_Comm_create_keyval");
    int is_set = 0;
    void* known = nullptr;
    check_mpi(MPI_Comm_get_attr(comm.mpi(), key, static_cast<void*>(&known), &is_set),
              "MPI_Comm_get_attr");
    MPI_Comm duplicate = MPI_COMM_NULL;
    if (is_set) {
        std::memcpy(&duplicate, &known, sizeof duplicate);
        return duplicate;
    }
    check_mpi(MPI_Comm_dup(comm.mpi(), &duplicate), "MPI_Comm_dup");
    std::memcpy(&known, &duplicate, sizeof duplicate);
    check_mpi(MPI_Comm_set_attr(comm.mpi(), key, known), "MPI_Comm_set_attr");
    return duplicate;
}

void impl::Objects::destroy(HYPRE_IJVector object) noexcept {
    if (is_alive()) (void)HYPRE_IJVectorDestroy(object);
}
void impl::Objects::destroy(HYPRE_IJMatrix object) noexcept {
    if (is_alive()) (void)HYPRE_IJMatrixDestroy(object);
}
void impl::Objects::destroy(HYPRE_StructGrid object) noexcept {
    if (is_alive()) (void)HYPRE_StructGridDestroy(object);
}
void impl::Objects::destroy(HYPRE_StructStencil object) noexcept {
    if (is_alive()) (void)HYPRE_StructStencilDestroy(object);
}
void impl::Objects::destroy(HYPRE_StructVector object) noexcept {
    if (is_alive()) (void)HYPRE_StructVectorDestroy(object);
}
void impl::Objects::destroy(HYPRE_StructMatrix object) noexcept {
    if (is_alive()) (void)HYPRE_StructMatrixDestroy(object);
}

} // namespace distview::hypre
