// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checking mode: programs with one exchange that is wrong are reported if, and only if, their values are.
#include "checked_programs.hpp"

#include <distview/algorithms/reduce.hpp>
#include <distview/algorithms/transform.hpp>
#include <distview/algorithms/transform_reduce.hpp>
#include <distview/comm/agreement.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using programs::HostExec;
using programs::some_of;

Communicator world() { return Communicator(MPI_COMM_WORLD); }

/// On while it lives.
struct Checking {
    explicit Checking(Check check = Check::padding) { set_check(check); }
    ~Checking() { set_check(Check::nothing); }
    Checking(const Checking&) = delete;
    Checking& operator=(const Checking&) = delete;
};

bool on_any_rank(bool value) {
    int all = value;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return all != 0;
}

/// Ranks that are in different calls, since some got an error alone, meet again.
void settle(const Communicator& comm) {
    for (;;) try {
            agree(comm, "settle", nullptr);
            return;
        } catch (const UsageError&) {
        }
}

struct Outcome {
    ProgramResult values;
    std::string error;
};

Outcome run(const CheckedProgram& program, const Communicator& comm, const Variant& variant,
            Check check) {
    const Checking checking(check);
    Outcome outcome;
    try {
        outcome.values = program.run(comm, variant);
    } catch (const UsageError& error) {
        outcome.error = error.what();
    }
    settle(comm);
    return outcome;
}

const char* const names[] = {"none", "deleted", "doubled", "early", "shallow"};

/// Whether the variant's values are wrong; checks that it is reported then, and only then.
bool check_variant(const CheckedProgram& program, const Communicator& comm, const Variant& variant,
                   const ProgramResult& right) {
    const auto fault = static_cast<std::size_t>(variant.fault);
    SCOPED_TRACE(program.name + ": exchange " + std::to_string(variant.site) + ' ' + names[fault] +
                 (variant.only_step < 0 ? "" : " in step " + std::to_string(variant.only_step)));
    const Outcome usual = run(program, comm, variant, Check::nothing);
    EXPECT_EQ(usual.error, "");
    const bool is_wrong = on_any_rank(comm.rank() == 0 && usual.values != right);
    const Outcome checked = run(program, comm, variant, Check::padding);
    const bool is_reported = on_any_rank(!checked.error.empty());
    EXPECT_EQ(is_reported, is_wrong) << checked.error;
    if (!is_reported) {
        EXPECT_EQ(checked.values, usual.values);
    } else if (is_wrong) {
        const ExchangeSite& site = program.sites[static_cast<std::size_t>(variant.site)];
        const auto says = [&](const std::string& part) {
            return checked.error.find(part) != std::string::npos;
        };
        const bool by_name = on_any_rank(says(site.kernel +
                                              "': expected to read padding that is "
                                              "valid, got '" +
                                              site.array + "' read "));
        const bool by_value = on_any_rank(says("padding that is not valid, got element "));
        EXPECT_EQ(by_name, site.is_named) << checked.error;
        EXPECT_EQ(by_value, !site.is_named) << checked.error;
    }
    return is_wrong;
}

void check_programs(std::size_t first, std::size_t last, bool is_known_wrong) {
    const Communicator comm = world();
    const Communicator alone(MPI_COMM_SELF);
    int variants = 0;
    int wrong = 0;
    for (std::size_t i = first; i < last; ++i) {
        const CheckedProgram& program = checked_programs()[i];
        const ProgramResult right = program.run(alone, {});
        const Outcome unchanged = run(program, comm, {}, Check::padding);
        EXPECT_EQ(unchanged.error, "") << program.name;
        if (comm.rank() == 0) {
            EXPECT_EQ(unchanged.values, right) << program.name;
        }
        for (int site = 0; site < static_cast<int>(program.sites.size()); ++site)
            for (const Fault fault :
                 {Fault::deleted, Fault::doubled, Fault::early, Fault::shallow}) {
                int wrong_here = 0;
                for (const int only_step : {-1, 1, programs::steps - 1}) {
                    ++variants;
                    wrong_here += check_variant(program, comm, {site, fault, only_step}, right);
                }
                if (fault == Fault::doubled) {
                    EXPECT_EQ(wrong_here, 0);
                }
                wrong += wrong_here;
            }
    }
    if (is_known_wrong) {
        EXPECT_GT(wrong, variants / 3);
    }
    ::testing::Test::RecordProperty("variants", variants);
    ::testing::Test::RecordProperty("wrong", wrong);
    if (comm.rank() == 0) std::printf("%d variants, %d wrong\n", variants, wrong);
}

TEST(CheckedPrograms, AreReportedIfTheirValuesAreWrong) { check_programs(0, 5, true); }
TEST(CheckedPrograms, AreReportedIfTheirValuesAreWrongToo) {
    check_programs(5, checked_programs().size(), true);
}

} // namespace

} // namespace distview::testing
