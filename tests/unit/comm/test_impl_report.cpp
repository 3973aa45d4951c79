// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of a communicator: its counts for every plan and transport, compared with schedules; the reasons why
// elements are not read in place; its text for missing ranks; and its advice. Advice is tested by programs with planted
// defects if its numbers do not depend on times, otherwise by made-up records.
#include "transports.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/gather_plan.hpp>
#include <distview/comm/impl/report/plan_recorder.hpp>
#include <distview/comm/impl/report/report.hpp>
#include <distview/comm/impl/report/report_log.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/error.hpp>
#include <distview/core/message_sink.hpp>
#include <distview_testing/allocations.hpp>

#include <gtest/gtest.h>

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace distview::testing {

namespace {

using namespace distview::impl;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Plate = DistView<double**, Kokkos::HostSpace>;

/// A value of a flat JSON object; empty if the object has no such name.
std::string value_of(const std::string& line, const std::string& name) {
    const std::size_t at = line.find('"' + name + "\": ");
    if (at == std::string::npos) return {};
    std::size_t begin = at + name.size() + 4;
    if (line[begin] == '"') return line.substr(begin + 1, line.find('"', begin + 1) - begin - 1);
    return line.substr(begin, line.find_first_of(",}", begin) - begin);
}

/// A report read by rank 0, for all ranks.
class Lines {
public:
    explicit Lines(const std::string& written) {
        std::istringstream in(written);
        for (std::string line; std::getline(in, line);) m_lines.push_back(line);
    }
    /// The lines of a type whose named values equal these.
    std::vector<std::string>
    find(const std::vector<std::pair<std::string, std::string>>& values) const {
        std::vector<std::string> result;
        for (const std::string& line : m_lines)
            if (std::all_of(values.begin(), values.end(), [&](const auto& value) {
                    return value_of(line, value.first) == value.second;
                }))
                result.push_back(line);
        return result;
    }
    std::int64_t number(const std::vector<std::pair<std::string, std::string>>& values,
                        const std::string& name) const {
        const std::vector<std::string> found = find(values);
        return found.size() == 1 ? std::stoll(value_of(found.front(), name)) : -1;
    }

private:
    std::vector<std::string> m_lines;
};

/// A file name known to all ranks and unique to this run. Collective.
std::string file_name(const std::string& ending) {
    int process = static_cast<int>(::getpid());
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    static int count = 0;
    return (std::filesystem::temp_directory_path() /
            text("distview-report-", process, '-', count++, ending))
        .string();
}

/// The content of a file as read by rank 0, on all ranks; removes the file. Collective.
std::string content_of(const std::string& file) {
    std::string content;
    if (world_rank() == 0) {
        std::ostringstream out;
        out << std::ifstream(file).rdbuf();
        content = out.str();
        std::filesystem::remove(file);
    }
    auto size = static_cast<int>(content.size());
    MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
    content.resize(static_cast<std::size_t>(size));
    MPI_Bcast(content.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD);
    return content;
}

/// The report of a program run with a new communicator. Collective.
std::string report_of(const std::function<void(const Communicator&)>& program,
                      const std::string& ending = ".json") {
    const std::string file = file_name(ending);
    const OwnedComm world = duplicate_world();
    Communicator comm(world.get());
    comm.set_report(file);
    program(comm);
    comm.close();
    return content_of(file);
}

std::int64_t sum_of(std::int64_t value) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return value;
}

/// Plates in rows, periodic along both axes, with padding 2: a single rank fills all padding from its own elements.
ArrayLayout rows_of(const Communicator& comm) {
    return {ProcessGrid{comm.size(), 1},
            {block(6 * comm.size(), {.padding = 2, .periodic = true}),
             block(5, {.padding = 2, .periodic = true})}};
}

Plate shared_plate(const Communicator& comm, const ArrayLayout& layout) {
    return make_dist_view<double**, Kokkos::HostSpace>(Exec(), "plate", comm, layout);
}
Plate borrowed_plate(const Communicator& comm, const ArrayLayout& layout) {
    const Extents extents = layout.local_extents(comm.rank());
    return wrap_dist_view(comm, layout, Plate::view_type("plate", extents[0], extents[1]), "plate");
}

constexpr int times = 7;

/// Sums over all ranks.
struct Moved {
    std::int64_t from_others = 0;
    std::int64_t own = 0;
    std::int64_t messages = 0;
};

Moved moved_by(const PaddingExchangeSchedule& schedule, int arrays) {
    Moved moved;
    schedule.for_each_received([&](const PaddingRegion& r) { moved.from_others += r.elements; });
    schedule.for_each_local([&](const PaddingRegion& r) { moved.own += r.elements; });
    return {sum_of(moved.from_others * 8 * arrays * times), sum_of(moved.own * 8 * arrays * times),
            sum_of(std::ssize(schedule.receives()) * times)};
}

void expect_moved(const Lines& report, const std::string& plan, TransportChoice choice,
                  const Moved& moved) {
    const auto total = [&](const std::string& transport, const char* name) {
        return report.number({{"type", "transport"}, {"plan", plan}, {"transport", transport}},
                             name);
    };
    EXPECT_EQ(total("self", "bytes"), moved.own > 0 ? moved.own : -1);
    EXPECT_EQ(total("self", "messages"), moved.own > 0 ? 0 : -1);
    const bool none = moved.from_others == 0;
    const bool in_messages = choice == Transport::message;
    const std::string used = in_messages ? "message" : "direct";
    EXPECT_EQ(total(used, "bytes"), none ? -1 : moved.from_others);
    EXPECT_EQ(total(used, "messages"), none ? -1 : in_messages ? moved.messages : 0);
    EXPECT_EQ(total(in_messages ? "direct" : "message", "bytes"), -1);
}

TEST(Report, CountsWhatPaddingExchangesMove) {
    for (const TransportChoice choice : {TransportChoice(), TransportChoice(Transport::direct),
                                         TransportChoice(Transport::message)})
        for (const bool borrows : {false, true}) {
            SCOPED_TRACE("transport " + name_of(choice) + (borrows ? ", borrowed" : ""));
            const TransportSetting setting(choice);
            Moved moved;
            const Lines report(report_of([&](const Communicator& comm) {
                const ArrayLayout layout = rows_of(comm);
                const auto make = borrows ? borrowed_plate : shared_plate;
                const Plate u = make(comm, layout);
                const Plate v = make(comm, layout);
                PaddingExchangePlan plan(comm, layout);
                for (int i = 0; i < times; ++i) plan.execute(Exec(), u, v);
                moved = moved_by(plan.schedule(), 2);
            }));
            const std::string label = "PaddingExchangePlan #1";
            EXPECT_EQ(report.number({{"type", "plan"}, {"plan", label}}, "executions"), times);
            EXPECT_EQ(report.number({{"type", "plan"}, {"plan", label}}, "binds"), 1);
            EXPECT_EQ(report.number({{"type", "report"}}, "ranks"), world_size());
            EXPECT_EQ(report.find({{"type", "rank"}}).size(),
                      static_cast<std::size_t>(world_size()));
            expect_moved(report, label, choice, moved);
            const auto reasons =
                report.find({{"type", "reason"}, {"why", "DISTVIEW_TRANSPORT=message"}});
            const auto packed =
                report.find({{"type", "reason"}, {"why", "borrowed memory, packed by its owner"}});
            const bool in_messages = choice == Transport::message;
            EXPECT_EQ(static_cast<std::int64_t>(reasons.size()),
                      in_messages ? moved.messages / times : 0);
            EXPECT_EQ(static_cast<std::int64_t>(packed.size()),
                      !in_messages && borrows ? moved.messages / times : 0);
        }
}

TEST(Report, CountsWhatRedistributionsAndGathersMove) {
    for (const TransportChoice choice : {TransportChoice(), TransportChoice(Transport::message)}) {
        SCOPED_TRACE("transport " + name_of(choice));
        const TransportSetting setting(choice);
        Moved turned;
        Moved gathered;
        const Lines report(report_of([&](const Communicator& comm) {
            const std::int64_t n = 3 * comm.size();
            const ArrayLayout rows(ProcessGrid{comm.size(), 1}, {block(n), block(n)});
            const ArrayLayout columns(ProcessGrid{1, comm.size()}, {block(n), block(n)});
            const Plate a = shared_plate(comm, rows);
            const Plate b = shared_plate(comm, columns);
            RedistributionPlan plan(comm, rows, columns);
            IndexList wanted(2); // one element in the rows of each rank
            for (int r = 0; r < comm.size(); ++r) wanted.add_element({3 * r, 1});
            GatherPlan gather(comm, rows, wanted);
            const Kokkos::View<double*, Kokkos::HostSpace> values("values", comm.size());
            for (int i = 0; i < times; ++i) {
                plan.execute(Exec(), a, b);
                gather.execute(Exec(), a, values);
            }
            const std::int64_t others = comm.size() - 1;
            turned = {sum_of(others * 9 * 8 * times), sum_of(std::int64_t{9} * 8 * times),
                      sum_of(others * times)};
            gathered = {sum_of(others * 8 * times), sum_of(std::int64_t{8} * times),
                        sum_of(others * times)};
        }));
        expect_moved(report, "RedistributionPlan #1", choice, turned);
        expect_moved(report, "GatherPlan #2", choice, gathered);
    }
}

TEST(Report, IsReadableText) {
    const std::string report = report_of(
        [&](const Communicator& comm) {
            const ArrayLayout layout = rows_of(comm);
            const Plate u = shared_plate(comm, layout);
            PaddingExchangePlan plan(comm, layout);
            for (int i = 0; i < times; ++i) plan.execute(Exec(), u);
        },
        ".txt");
    for (const char* const part :
         {"DistView report: ", "A copy of 1 MiB, by one thread of each rank at a time: ",
          "PaddingExchangePlan #1: 7 executions", "within sections", "an execution", "copying",
          "waiting", "of a copy's", "Advice"})
        EXPECT_NE(report.find(part), std::string::npos) << part << " is missing in\n" << report;
}

/// Names of a flat JSON object, in order.
std::string names_of(const std::string& line) {
    static const std::regex name("\"([a-z0-9_]+)\": ");
    std::string names;
    for (std::sregex_iterator at(line.begin(), line.end(), name), end; at != end; ++at)
        names += text(names.empty() ? "" : " ", (*at)[1].str());
    return names;
}

TEST(Report, LinesOfJsonHaveTheirNamesInOrder) {
    const Lines report(report_of([&](const Communicator& comm) {
        const ArrayLayout layout = rows_of(comm);
        const Plate u = shared_plate(comm, layout);
        PaddingExchangePlan plan(comm, layout);
        for (int i = 0; i < times; ++i) plan.execute(Exec(), u);
    }));
    const auto names = [&](const char* type) {
        const auto found = report.find({{"type", type}});
        return found.empty() ? std::string() : names_of(found.front());
    };
    EXPECT_EQ(names("plan"),
              "type plan geometry plans executions binds binding_seconds median_seconds "
              "percentile99_seconds slowest_rank copying_seconds waiting_seconds packing_seconds "
              "step_seconds total_seconds total_waiting_seconds total_packing_seconds "
              "bandwidth_share");
    EXPECT_EQ(names("rank"), "type plan rank median_seconds percentile99_seconds copying_seconds "
                             "waiting_seconds packing_seconds work_seconds late_seconds");
}

TEST(Report, ExecutionsAllocateNothing) {
    std::int64_t allocated = -1;
    report_of([&](const Communicator& comm) {
        const ArrayLayout layout = rows_of(comm);
        const Plate u = shared_plate(comm, layout);
        PaddingExchangePlan plan(comm, layout);
        plan.execute(Exec(), u);
        allocated = count_heap_allocations([&] {
                        for (std::size_t i = 0; i < TimeSamples::capacity + 64; ++i)
                            plan.execute(Exec(), u);
                    }).heap;
    });
    EXPECT_EQ(allocated, 0);
}

TEST(Report, IsWrittenByRank0AloneIfOthersDoNotClose) {
    if (world_size() == 1) GTEST_SKIP() << "needs others";
    const MessageSink before = set_message_sink([](Severity, std::string_view) {});
    const std::string file = file_name(".json");
    OwnedComm world = duplicate_world();
    Communicator comm(world.get());
    comm.set_report(file);
    const ArrayLayout layout = rows_of(comm);
    {
        const Plate u = shared_plate(comm, layout);
        PaddingExchangePlan(comm, layout).execute(Exec(), u);
    }
    comm.set_deadline(std::chrono::milliseconds(50)); // applies only to closing
    if (comm.rank() == 1)
        while (!std::filesystem::exists(file))
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    world.free(); // close() would detect it earlier, and throw
    set_message_sink(before);
    const Lines report(content_of(file));
    const std::string missing = std::to_string(world_size() - 1);
    EXPECT_EQ(report.find({{"type", "report"}, {"missing_ranks", missing}}).size(), 1U);
    EXPECT_EQ(report.find({{"type", "report"}, {"missing_ranks", "0"}}).size(), 1U);
}

TEST(Report, RanksWithoutOneDoNotKeepOthers) {
    const std::string file = file_name(".json");
    const OwnedComm world = duplicate_world();
    Communicator comm(world.get());
    if (comm.rank() == 0) comm.set_report(file);
    const ArrayLayout layout = rows_of(comm);
    const Plate u = shared_plate(comm, layout);
    PaddingExchangePlan plan(comm, layout);
    plan.execute(Exec(), u);
    comm.close();
    const Lines report(content_of(file));
    EXPECT_EQ(report.number({{"type", "report"}}, "missing_ranks"), 0);
    EXPECT_EQ(report.number({{"type", "plan"}}, "executions"), 1);
}

TEST(Report, MayBeginWithinACall) {
    const std::string file = file_name(".json");
    const OwnedComm world = duplicate_world();
    Communicator comm(world.get());
    {
        const CollectiveCall setup(comm, "setup");
        comm.set_report(file);
    }
    {
        const CollectiveCall outer(comm, "outer");
        barrier(comm);
    }
    PaddingExchangePlan plan(comm, rows_of(comm)); // without a plan, nothing is reported
    plan.execute(Exec(), shared_plate(comm, rows_of(comm)));
    comm.close();
    const Lines report(content_of(file));
    EXPECT_EQ(report.number({{"type", "call"}, {"rank", "0"}, {"name", "outer"}}, "calls"), 1);
    EXPECT_EQ(report.find({{"type", "call"}, {"name", "barrier"}}).size(), 0U);
}

TEST(Report, StartThatIsRefusedLeavesTheTimesOfTheExecutionInFlight) {
    if (world_size() == 1) GTEST_SKIP() << "nobody is waited for";
    const Lines report(report_of([&](const Communicator& comm) {
        const ArrayLayout layout = rows_of(comm);
        const Plate u = shared_plate(comm, layout);
        PaddingExchangePlan plan(comm, layout);
        plan.execute(Exec(), u);
        barrier(comm);
        if (comm.rank() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        auto handle = plan.start(Exec(), u);
        const auto all = [&](int d) {
            return LocalRange{LocalIndex(0),
                              LocalIndex(static_cast<std::int64_t>(u.view().extent(d)))};
        };
        handle.finish(LocalBox{all(0), all(1)});
        EXPECT_THROW(static_cast<void>(plan.start(Exec(), u)), UsageError);
        handle.finish();
    }));
    const auto of_rank_0 = report.find({{"type", "rank"}, {"rank", "0"}});
    ASSERT_EQ(of_rank_0.size(), 1U);
    EXPECT_GT(std::stod(value_of(of_rank_0.front(), "waiting_seconds")), 0.01) << of_rank_0.front();
}

TEST(Report, EnvironmentNamesTheFile) {
    const auto file = [](std::optional<std::string> value) {
        const VariableSetting setting("DISTVIEW_REPORT", std::move(value));
        return ReportLog::file_from_environment();
    };
    EXPECT_EQ(file(std::nullopt), "");
    EXPECT_EQ(file(""), "");
    EXPECT_EQ(file("0"), "");
    EXPECT_EQ(file("1"), "distview-report.txt");
    EXPECT_EQ(file("run.json"), "run.json");
}

TEST(Report, SaysWhereItCannotBeWritten) {
    std::string said;
    const MessageSink before =
        set_message_sink([&](Severity, std::string_view message) { said = message; });
    const OwnedComm world = duplicate_world();
    Communicator comm(world.get());
    comm.set_report("/nowhere/report.txt");
    const PaddingExchangePlan plan(comm, rows_of(comm));
    comm.close();
    set_message_sink(before);
    EXPECT_EQ(said, world_rank() == 0
                        ? "distview: the report cannot be written to '/nowhere/report.txt'"
                        : "");
}

// Planted defects whose numbers do not depend on times.

std::vector<std::string> advice_of(const std::function<void(const Communicator&)>& program,
                                   const std::string& kind) {
    return Lines(report_of(program)).find({{"type", "advice"}, {"kind", kind}});
}

void write(const Plate& plate, double value) { Kokkos::deep_copy(Exec(), plate.view(), value); }

TEST(ReportAdvice, FieldThatIsNotWrittenInBetween) {
    if (world_size() == 1) GTEST_SKIP() << "padding of neighbours is looked at";
    const auto program = [](bool writes_both) {
        return [writes_both](const Communicator& comm) {
            const ArrayLayout layout = rows_of(comm);
            const Plate u = shared_plate(comm, layout);
            const Plate v = shared_plate(comm, layout);
            PaddingExchangePlan plan(comm, layout);
            for (int i = 0; i < 30; ++i) {
                write(u, i + comm.rank());
                if (writes_both) write(v, 2 * i + comm.rank());
                plan.execute(Exec(), u, v);
            }
        };
    };
    const auto found = advice_of(program(false), "unwritten");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(
        found.front().find("array 1 of 2 was exchanged 30 times without being written in between"),
        std::string::npos)
        << found.front();
    EXPECT_TRUE(advice_of(program(true), "unwritten").empty());
}

TEST(ReportAdvice, SaysNothingOfWritesThatTheLibraryKnows) {
    const auto program = [](const Communicator& comm) {
        const ArrayLayout layout = rows_of(comm);
        const Plate u = shared_plate(comm, layout);
        PaddingExchangePlan plan(comm, layout);
        for (int i = 0; i < 60; ++i) {
            u.mark_written(); // the neighbours' new values have not arrived yet
            plan.execute(Exec(), u);
        }
    };
    EXPECT_TRUE(advice_of(program, "unwritten").empty());
}

TEST(ReportAdvice, SaysNothingOfPaddingThatServesSeveralSteps) {
    const auto program = [](const Communicator& comm) {
        const ArrayLayout layout = rows_of(comm);
        const Plate u = shared_plate(comm, layout);
        PaddingExchangePlan plan(comm, layout);
        for (int i = 0; i < 12; ++i) {
            if (i % 2 == 0) u.mark_written();
            plan.require(Exec(), 1, u);
        }
    };
    EXPECT_TRUE(advice_of(program, "depth").empty());
}

TEST(ReportAdvice, PaddingThatIsDeeperThanAnybodyAsksFor) {
    const auto program = [](std::int64_t asked) {
        return [asked](const Communicator& comm) {
            const ArrayLayout layout = rows_of(comm);
            const Plate u = shared_plate(comm, layout);
            PaddingExchangePlan plan(comm, layout);
            for (int i = 0; i < 5; ++i) {
                u.mark_written();
                plan.require(Exec(), asked, u);
            }
        };
    };
    const auto found = advice_of(program(1), "depth");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found.front().find("filled 2 deep, but require() requested at most 1 (5 calls)"),
              std::string::npos)
        << found.front();
    EXPECT_TRUE(advice_of(program(2), "depth").empty());
}

TEST(ReportAdvice, ArraysThatAreBoundAgainAndAgain) {
    const auto program = [](bool makes_anew) {
        return [makes_anew](const Communicator& comm) {
            const ArrayLayout layout = rows_of(comm);
            PaddingExchangePlan plan(comm, layout);
            Plate u = shared_plate(comm, layout);
            for (int i = 0; i < 12; ++i) {
                if (makes_anew) u = shared_plate(comm, layout);
                plan.execute(Exec(), u);
            }
        };
    };
    const auto found = advice_of(program(true), "binding");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found.front().find("arrays were bound 12 times in 12 executions"), std::string::npos)
        << found.front();
    EXPECT_TRUE(advice_of(program(false), "binding").empty());
}

TEST(ReportAdvice, ManyPlansForOneGeometry) {
    const auto found = advice_of(
        [](const Communicator& comm) {
            const ArrayLayout layout = rows_of(comm);
            const Plate u = shared_plate(comm, layout);
            for (int i = 0; i < 6; ++i) {
                PaddingExchangePlan plan(comm, layout);
                plan.execute(Exec(), u);
            }
        },
        "many_plans");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found.front().find("6 plans were created for one geometry, for 6 executions"),
              std::string::npos)
        << found.front();
}

TEST(ReportAdvice, BorrowedArraysThatOwnersPack) {
    const auto program = [](auto make) {
        return [make](const Communicator& comm) {
            const ArrayLayout layout = rows_of(comm);
            const Plate u = make(comm, layout);
            PaddingExchangePlan plan(comm, layout);
            for (int i = 0; i < 3; ++i) plan.execute(Exec(), u);
        };
    };
    EXPECT_EQ(advice_of(program(borrowed_plate), "borrowed").size(), world_size() > 1 ? 1U : 0U);
    EXPECT_TRUE(advice_of(program(shared_plate), "borrowed").empty());
}

// tests/system also runs these two tests where they find more: on two hosts, and with a /dev/shm of 1 MiB.

TEST(Report, SaysWhichElementsComeFromAnotherNode) {
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    int first_of_node = world_rank();
    MPI_Bcast(&first_of_node, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    std::vector<int> nodes(static_cast<std::size_t>(world_size()));
    MPI_Allgather(&first_of_node, 1, MPI_INT, nodes.data(), 1, MPI_INT, MPI_COMM_WORLD);

    std::int64_t from_others = 0;
    const Lines report(report_of([&](const Communicator& comm) {
        const ArrayLayout layout = rows_of(comm);
        const Plate u = shared_plate(comm, layout);
        PaddingExchangePlan plan(comm, layout);
        for (int i = 0; i < times; ++i) plan.execute(Exec(), u);
        for (const auto& message : plan.schedule().receives())
            from_others += nodes[static_cast<std::size_t>(message.peer)] != first_of_node;
    }));
    EXPECT_EQ(static_cast<std::int64_t>(
                  report.find({{"type", "reason"}, {"why", "it is on another node"}}).size()),
              sum_of(from_others));
}

TEST(ReportAdvice, SharedMemoryThatIsTooSmall) {
    const auto program = [](const Communicator& comm) {
        const ArrayLayout layout(
            ProcessGrid{comm.size(), 1},
            {block(400 * comm.size(), {.padding = 1, .periodic = true}), block(400)}); // 1.3 MB
        const Plate u = shared_plate(comm, layout);
        PaddingExchangePlan plan(comm, layout);
        for (int i = 0; i < 3; ++i) plan.execute(Exec(), u);
    };
    struct statvfs memory{};
    ASSERT_EQ(::statvfs("/dev/shm", &memory), 0);
    const bool is_small = memory.f_frsize * memory.f_blocks < 4 << 20;
    const std::vector<std::string> found = advice_of(program, "borrowed");
    ASSERT_EQ(found.size(), is_small && world_size() > 1 ? 1U : 0U);
    for (const std::string& line : found)
        EXPECT_NE(line.find("since shared memory (/dev/shm) is too small for them"),
                  std::string::npos)
            << line;
}

// Advice from made-up records: 2 ranks, 100 executions of 10 us every 100 us, 6 us of each spent copying.

struct MadeUp {
    std::vector<RankReport> ranks{2};

    MadeUp() {
        for (int r = 0; r < 2; ++r) {
            RankReport& rank = ranks[static_cast<std::size_t>(r)];
            rank.rank = r;
            rank.ranks_of_node = 2;
            rank.processors = 2;
            rank.copy_bandwidth = 1e10;
            PlanRecord& plan = rank.plans.emplace_back();
            plan.plan = "PaddingExchangePlan";
            plan.first = 1;
            plan.plans = 1;
            plan.executions = plan.timed = 100;
            plan.seconds = 100 * 10e-6;
            plan.waiting = 100 * 3e-6;
            plan.packing = 100 * 1e-6;
            SetRecord& set = plan.sets.emplace_back();
            set.binds = 1;
            set.executions = 100;
            set.arrays = 1;
            set.traffic.push_back({.partner = 1 - r, .transport = "direct", .bytes = 4096});
            for (int i = 0; i < 100; ++i)
                plan.samples.samples.push_back({i, i * 100'000, 10e-6, 3e-6, 1e-6, i * 10e-6});
        }
    }
    /// A grid for which copies need a fifth of the time.
    void add_better_grid() {
        using Kind = ExchangeShape::Kind;
        for (int r = 0; r < 2; ++r)
            plan(r).shapes = {{Kind::as_it_is, "1x2", {{8, {{512, 4096}}, true}}, 1 << 21, 5e-6},
                              {Kind::process_grid, "2x1", {{4096, {}, false}}, 1 << 21, 1e-6}};
    }
    PlanRecord& plan(int rank) { return ranks[static_cast<std::size_t>(rank)].plans.front(); }
    std::vector<Advice> find(const std::string& kind) const {
        std::vector<Advice> found = advise(ranks, summaries_of(ranks));
        std::erase_if(found, [&](const Advice& advice) { return advice.kind != kind; });
        return found;
    }
};

TEST(ReportAdvice, SaysNothingOfAProgramWithoutDefects) {
    const MadeUp program;
    EXPECT_TRUE(advise(program.ranks, summaries_of(program.ranks)).empty());
}

TEST(ReportAdvice, ProcessGridOfLongerRuns) {
    MadeUp program;
    program.add_better_grid();
    const auto found = program.find("process_grid");
    ASSERT_EQ(found.size(), 1U);
    // All shrinks to a fifth: in the 3 us of waiting, the other rank copies, for 7 us as well.
    EXPECT_NEAR(found.front().share.value_or(0), 0.2, 1e-9);
    EXPECT_EQ(found.front().sentence,
              "PaddingExchangePlan #1: process grid 2x1 instead of 1x2 would take about 0.2 of "
              "the time: "
              "4096 bytes in runs of 4096 bytes instead of 4096 bytes in runs of 8 bytes");
}

TEST(ReportAdvice, WhereMostIsWaitingNoGainIsPredicted) {
    MadeUp program;
    program.add_better_grid();
    for (int r = 0; r < 2; ++r)
        for (auto& sample : program.plan(r).samples.samples) sample.waiting = 8e-6;
    const Advice grid = program.find("process_grid").at(0);
    EXPECT_FALSE(grid.share);
    EXPECT_NE(grid.sentence.find("2x1 instead of 1x2 would take about 0.2 of the time to copy "
                                 "(most of an execution is waiting): 4096 bytes"),
              std::string::npos)
        << grid.sentence;
    SetRecord& set = program.plan(0).sets.front();
    set.traffic.front().is_packed = true;
    const Advice borrowed = program.find("borrowed").at(0);
    EXPECT_FALSE(borrowed.share);
    EXPECT_NE(borrowed.sentence.find("an execution would save 1 us of 10 us (most"),
              std::string::npos)
        << borrowed.sentence;
}

// Rank 0 waits 3 us until rank 1 begins, and rank 1 then waits as long for copies: in the mean, 1.5 us remain.
TEST(ReportAdvice, WaitingForLateRanksStays) {
    MadeUp program;
    program.add_better_grid();
    for (auto& sample : program.plan(1).samples.samples) sample.began += 20'000;
    EXPECT_NEAR(program.find("process_grid").at(0).share.value_or(0), (1.5 + 8.5 / 5) / 10, 1e-9);
    // In the mean 45 us of 100 us are waiting for the other rank: no gain is predicted, but the grid is reported.
    for (int r = 0; r < 2; ++r)
        for (auto& sample : program.plan(r).samples.samples) sample.waiting = r == 0 ? 90e-6 : 3e-6;
    for (auto& sample : program.plan(1).samples.samples) sample.began += 100'000;
    const Advice told = program.find("process_grid").at(0);
    EXPECT_FALSE(told.share.has_value());
    EXPECT_EQ(told.sentence,
              "PaddingExchangePlan #1: process grid 2x1 instead of 1x2 would take about 0.2 of "
              "the time to copy (most of an execution is waiting): "
              "4096 bytes in runs of 4096 bytes instead of 4096 bytes in runs of 8 bytes");
}

// Rank 1 has one set where rank 0 has two, with other traffic: rank 1 adds its counts of the second set to the first.
TEST(ReportAdvice, SetsThatRanksNumberOtherwiseAreNotCompared) {
    MadeUp program;
    std::vector<SetRecord>& sets = program.plan(0).sets;
    sets.front() = {.binds = 1, .executions = 50, .arrays = 1, .looks = {4}, .unchanged = {0}};
    sets.push_back({.binds = 1, .executions = 50, .arrays = 1, .looks = {4}, .unchanged = {4}});
    program.plan(1).sets.front() = {
        .binds = 2, .executions = 100, .arrays = 1, .looks = {8}, .unchanged = {2}};
    EXPECT_TRUE(program.find("unwritten").empty());
    program.plan(1).sets = sets;
    EXPECT_EQ(program.find("unwritten").size(), 1U);
}

TEST(ReportAdvice, ShortRuns) {
    MadeUp program;
    for (int r = 0; r < 2; ++r)
        program.plan(r).shapes = {
            {ExchangeShape::Kind::as_it_is, "1x2", {{8, {{512, 4096}}, true}}, 1 << 21, 0}};
    EXPECT_EQ(program.find("short_runs").size(), 1U);
}

TEST(ReportAdvice, ShortRunsOfFewBytesAreLatency) {
    MadeUp program;
    for (int r = 0; r < 2; ++r)
        program.plan(r).shapes = {
            {ExchangeShape::Kind::as_it_is, "2", {{8, {{2, 4096}}, true}}, 1 << 21, 0}};
    EXPECT_TRUE(program.find("short_runs").empty());
}

// Only a tenth of a step: a balance does not shorten the rest, such as a gather.
TEST(ReportAdvice, OneRankHasMoreOfLittleWork) {
    MadeUp program;
    for (TimeSample& sample : program.plan(0).samples.samples) sample.inside *= 9.9;
    for (TimeSample& sample : program.plan(1).samples.samples) {
        sample.inside *= 8;
        sample.began += 60'000;
    }
    EXPECT_TRUE(program.find("imbalance").empty());
}

TEST(ReportAdvice, OneRankHasMoreWork) {
    MadeUp program;
    // Rank 1 computes 90 us of 100 us, rank 0 30 us; rank 0 waits for the rest.
    for (TimeSample& sample : program.plan(0).samples.samples) {
        sample.seconds = 70e-6;
        sample.waiting = 63e-6;
        sample.began -= 60'000;
        sample.inside *= 7;
    }
    const auto found = program.find("imbalance");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found.front().share.value_or(0), 0.7, 1e-9); // 60 us of work and 10 us
    EXPECT_NE(
        found.front().sentence.find("rank 1 works 90 us from one execution to the next, the mean "
                                    "is 60 us; it begins 60 us after the first rank"),
        std::string::npos)
        << found.front().sentence;
    for (RankReport& rank : program.ranks) rank.processors = 1;
    EXPECT_TRUE(program.find("imbalance").empty()); // ranks take turns: who works is unknown
}

TEST(ReportAdvice, MoreRanksThanProcessors) {
    MadeUp program;
    for (RankReport& rank : program.ranks) rank.processors = 1;
    const auto found = program.find("oversubscription");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found.front().sentence.find("2 ranks share 1 processors of the node of rank 0"),
              std::string::npos);
}

TEST(ReportAdvice, CallInEveryStep) {
    MadeUp program;
    for (RankReport& rank : program.ranks)
        rank.calls = {{"gather", 100, 100 * 40e-6}, {"sum", 2, 1}};
    const auto found = program.find("call");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found.front().share.value_or(0), 0.6, 1e-9);
    EXPECT_EQ(
        found.front().sentence,
        "gather is called 100 times in 100 executions of PaddingExchangePlan #1, 40 us each time: "
        "without it a step would take about 0.6 of the time");
}

TEST(ReportAdvice, MessagesWithinANode) {
    MadeUp program;
    program.plan(0).sets.front().traffic.front().why_not = "DISTVIEW_TRANSPORT=message";
    EXPECT_EQ(program.find("messages").size(), 1U);
    program.ranks[1].node = 1; // messages are normal between nodes
    EXPECT_TRUE(program.find("messages").empty());
}

TEST(ReportAdvice, StagedMessages) {
    MadeUp program;
    program.plan(0).sets.front().traffic.front().transport = "staged";
    EXPECT_EQ(program.find("staging").size(), 1U);
}

TEST(Report, LatenessIsThatOfOneNode) {
    MadeUp program;
    for (TimeSample& sample : program.plan(1).samples.samples) sample.began += 5000;
    EXPECT_NEAR(summaries_of(program.ranks).front().ranks[1].late, 5e-6, 1e-12);
    program.ranks[1].node = 1;
    EXPECT_EQ(summaries_of(program.ranks).front().ranks[1].late, 0);
}

TEST(Report, PlansAreTheSameByKindAndNumber) {
    MadeUp program;
    PlanRecord other = program.plan(1);
    other.plan = "GatherPlan";
    other.first = 2;
    std::vector<PlanRecord>& of_rank_1 = program.ranks[1].plans;
    of_rank_1.insert(of_rank_1.begin(), other);
    const std::vector<PlanSummary> plans = summaries_of(program.ranks);
    ASSERT_EQ(plans.size(), 2U);
    using Records = std::vector<const PlanRecord*>;
    EXPECT_EQ(plans[0].label, "PaddingExchangePlan #1");
    EXPECT_EQ(plans[0].records, (Records{&program.plan(0), &of_rank_1[1]}));
    EXPECT_EQ(plans[1].label, "GatherPlan #2");
    EXPECT_EQ(plans[1].records, (Records{nullptr, &of_rank_1[0]}));
    EXPECT_EQ(plans[1].ranks.size(), 1U);
}

// Includes ranks that have closed the communicator: their figures arrive last.
TEST(Report, NamesRanksWhoseFiguresAreMissing) {
    MadeUp program;
    program.ranks.resize(3);
    program.ranks[1] = RankReport();
    const std::string file = file_name(".txt");
    if (world_rank() == 0) write_report(file, program.ranks);
    const std::string content = content_of(file);
    EXPECT_TRUE(content.starts_with("DistView report: 3 ranks; figures had not arrived when "
                                    "this was written, from ranks: 1, 2\n"))
        << content;
}

TEST(ReportAdvice, RanksThatAreMissing) {
    MadeUp program;
    program.add_better_grid();
    program.ranks[0] = RankReport();
    const auto found = program.find("process_grid");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found.front().share.value_or(0), 0.2, 1e-9);
}

TEST(Report, TravelsAsBytes) {
    MadeUp program;
    program.plan(1).shapes = {{ExchangeShape::Kind::depth, "1", {{8, {{3, 64}}, true}}, 99, 0.5}};
    program.ranks[1].calls = {{"gather", 3, 0.25}};
    const std::string bytes = packed(program.ranks[1]);
    const RankReport back = unpacked(bytes);
    EXPECT_EQ(packed(back), bytes);
    EXPECT_EQ(back.plans.front().samples.samples.size(), 100U);
    EXPECT_EQ(back.calls.front().name, "gather");
    EXPECT_THROW(unpacked(std::string_view(bytes).substr(0, bytes.size() - 1)), Error);
}

TEST(Report, TravelsInAsManyBytesAsThereIsRoomFor) {
    RankReport report = MadeUp().ranks[0];
    std::vector<impl::Traffic>& traffic = report.plans.front().sets.front().traffic;
    for (int partner = 2; partner < 500; ++partner)
        traffic.push_back({.partner = partner,
                           .transport = "message",
                           .bytes = 10,
                           .messages = 1,
                           .why_not = "it is on another node"});
    const std::string all = packed(report);
    EXPECT_EQ(packed(report, all.size()), all);
    // Fewer samples, but the same traffic.
    const std::string thinned = packed(report, all.size() - 1);
    ASSERT_LT(thinned.size(), all.size());
    const RankReport back = unpacked(thinned);
    EXPECT_EQ(back.plans.front().samples.samples.size(), 50U);
    EXPECT_EQ(back.plans.front().sets.front().traffic, traffic);
    // No single partners, but the same sums.
    const std::string joined = packed(report, 5000);
    ASSERT_FALSE(joined.empty());
    EXPECT_LE(joined.size(), 5000U);
    const std::vector<impl::Traffic> sums = unpacked(joined).plans.front().sets.front().traffic;
    ASSERT_EQ(sums.size(), 2U);
    EXPECT_EQ(sums[0], traffic[0]);
    EXPECT_EQ(sums[1].bytes, 4980);
    EXPECT_EQ(sums[1].messages, 498);
    EXPECT_EQ(sums[1].why_not, "it is on another node");
    EXPECT_EQ(packed(report, 100), "");
}

// A pair that occurs in several sets counts once.
TEST(Report, CountsPairsOfManyRanks) {
    const int ranks = world_rank() == 0 ? 1000 : 3; // rank 0 alone has memory for so many reports
    std::vector<RankReport> reports(static_cast<std::size_t>(ranks));
    for (int r = 0; r < ranks; ++r) {
        RankReport& report = reports[static_cast<std::size_t>(r)];
        report.rank = r;
        PlanRecord& plan = report.plans.emplace_back();
        plan.plan = "GatherPlan";
        plan.sets.resize(2);
        plan.sets[1].traffic.push_back({.partner = (r + 1) % ranks, .why_not = "far"});
        for (int partner = 0; partner < ranks; ++partner)
            if (partner != r)
                plan.sets[0].traffic.push_back({.partner = partner, .why_not = "far"});
    }
    const std::vector<PlanSummary> plans = summaries_of(reports);
    ASSERT_EQ(plans.size(), 1U);
    ASSERT_EQ(plans[0].reasons.size(), 1U);
    EXPECT_EQ(plans[0].reasons[0].pairs.size(), static_cast<std::size_t>(ranks * (ranks - 1)));
    EXPECT_EQ(pairs_text(plans[0].reasons[0].pairs),
              text("rank 0 from rank 1, rank 0 from rank 2, rank ", ranks > 3 ? 0 : 1,
                   " from rank ", ranks > 3 ? 3 : 0, " and ", ranks * (ranks - 1) - 3, " more"));
}

TEST(Report, SamplesAreTheSameExecutionsHoweverMany) {
    TimeSamples samples;
    samples.reserve();
    for (std::int64_t i = 0; i < 10000; ++i) samples.add({.number = i});
    EXPECT_LE(samples.samples.size(), TimeSamples::capacity);
    EXPECT_GE(samples.samples.size(), TimeSamples::capacity / 4);
    for (std::size_t i = 0; i < samples.samples.size(); ++i)
        EXPECT_EQ(samples.samples[i].number, static_cast<std::int64_t>(i) * samples.stride);
    const std::size_t before = samples.samples.size();
    samples.thin();
    ASSERT_EQ(samples.samples.size(), (before + 1) / 2);
    EXPECT_EQ(samples.samples.back().number % samples.stride, 0);
}

TEST(Report, KeepsOneRecordForPlansThatAreTooMany) {
    ReportLog log("file");
    for (std::uint64_t i = 0; i < 300; ++i) log.record_of("Plan", i, i, "");
    EXPECT_LE(log.plans().size(), 129U);
    EXPECT_EQ(log.record_of("Plan", 300, 300, ""), log.plans().back());
    EXPECT_EQ(log.record_of("Plan", 301, 5, ""), log.plans()[5]);
}

} // namespace

} // namespace distview::testing
