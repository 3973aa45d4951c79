// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/petsc/session.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>
#include <distview/interop/solver_error.hpp>
#include <distview/petsc/handle.hpp>

#include <petscsys.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace distview::petsc {

namespace {

/// The session that has to stop PETSc; there is one PETSc in a process.
const Session* starter = nullptr;
MPI_Comm world = MPI_COMM_NULL;
std::vector<void*> objects; ///< objects of handles, in the order of their creation
int runs = 0;               ///< number of ended runs
bool is_told = false;       ///< whether PetscFinalize() will call forget()
// Copies of the command line: PetscGetArgs() returns these pointers as long as PETSc runs.
std::vector<std::string> words;
std::vector<char*> word_pointers;

void destroy_now(void* object) noexcept {
    auto known = static_cast<PetscObject>(object);
    (void)PetscObjectDestroy(&known);
}

/// PetscFinalize() calls it, whoever stops PETSc: handles must forget remaining objects, whose memory may be reused.
PetscErrorCode forget() {
    objects.clear();
    is_told = false;
    ++runs;
    return PETSC_SUCCESS;
}

void stop() noexcept {
    if (!starter) return;
    starter = nullptr;
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized) return;
    if (is_running()) {
        // An object may keep handles of other objects; they no longer find their objects in the list.
        for (void* const object : std::exchange(objects, {})) destroy_now(object);
        (void)PetscFinalize();
    }
    if (PETSC_COMM_WORLD == world)
        PETSC_COMM_WORLD = MPI_COMM_NULL; // for the next PetscInitialize()
    if (world != MPI_COMM_NULL) MPI_Comm_free(&world);
}

int stop_in_finalize(MPI_Comm, int, void*, void*) {
    stop();
    return MPI_SUCCESS;
}

/// Makes MPI_Finalize stop PETSc: it deletes the attributes of MPI_COMM_SELF before anything else.
void stop_with_mpi() {
    static int key = MPI_KEYVAL_INVALID;
    if (key == MPI_KEYVAL_INVALID)
        check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &stop_in_finalize, &key, nullptr),
                  "MPI_Comm_create_keyval");
    int is_set = 0;
    void* value = nullptr;
    check_mpi(MPI_Comm_get_attr(MPI_COMM_SELF, key, &value, &is_set), "MPI_Comm_get_attr");
    if (!is_set) check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, &world), "MPI_Comm_set_attr");
}

} // namespace

bool is_running() noexcept {
    PetscBool started = PETSC_FALSE, ended = PETSC_FALSE;
    (void)PetscInitialized(&started);
    (void)PetscFinalized(&ended);
    return started && !ended;
}

Session::Session(const Communicator& comm, int argc, const char* const* argv) {
    const CollectiveCall call(comm, "petsc::Session");
    const int running = is_running() ? 1 : 0;
    const int most = all_reduce(comm, ReduceOperation::max, running);
    agree_on(comm, "petsc::Session", [&] {
        require<UsageError>(running == most,
                            "petsc::Session: expected PETSc to be initialised on all "
                            "ranks or on none, got it initialised on some");
    });
    if (running) return;

    words.clear();
    if (argc > 0) words.assign(argv, argv + argc);
    if (words.empty()) words.emplace_back("distview");
    words.emplace_back("-no_signal_handler");
    word_pointers.clear();
    for (std::string& word : words) word_pointers.push_back(word.data());
    word_pointers.push_back(nullptr);

    check_mpi(MPI_Comm_dup(comm.mpi(), &world), "MPI_Comm_dup");
    PETSC_COMM_WORLD = world;
    auto count = static_cast<int>(words.size());
    char** first = word_pointers.data();
    const int code = PetscInitialize(&count, &first, nullptr, nullptr);
    const int worst = all_reduce(comm, ReduceOperation::max, code);
    if (worst != 0)
        throw SolverError(
            text("petsc::Session: expected PetscInitialize() to succeed, got error ", worst),
            worst);
    starter = this;
    stop_with_mpi();
}

Session::~Session() {
    if (starter == this) stop();
}

int impl::Objects::run() noexcept { return runs; }

void impl::Objects::make_room() {
    constexpr std::size_t most = 8;
    if (objects.capacity() - objects.size() < most) objects.reserve(2 * objects.size() + most);
}

void impl::Objects::watch(void* object) {
    if (!object) return;
    objects.push_back(object);
    if (!is_told) is_told = PetscRegisterFinalize(&forget) == PETSC_SUCCESS;
}

void impl::Objects::destroy(void* object) noexcept {
    const auto found = std::ranges::find(objects, object);
    if (found == objects.end()) return;
    objects.erase(found);
    if (is_running()) destroy_now(object);
}

} // namespace distview::petsc
