// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/mpi/calls.hpp>
#include <distview/comm/impl/plan/array_set.hpp>
#include <distview/comm/impl/plan/exchange_binding.hpp>
#include <distview/comm/impl/report/plan_recorder.hpp>
#include <distview/comm/impl/transport/transport.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace distview::impl {

/// The part of a plan that is independent of element types, execution spaces and the kind of exchange: the bound sets
/// of arrays, the execution in flight, and its end if a rank abandons it.
class PlanCore {
public:
    /// Names of a plan's kernels and fences.
    struct Labels {
        explicit Labels(const std::string& plan, const char* local_kernel,
                        const char* incoming_kernel);
        std::string pack;
        std::string local;    ///< copies within the section
        std::string incoming; ///< elements that arrived
        std::string combine;
        std::string fence_ready;
        std::string fence_done;
        // Regions, for profilers.
        std::string start;
        std::string finish;
        std::string wait; ///< for other ranks
    };

    PlanCore(const PlanCore&) = delete;
    PlanCore& operator=(const PlanCore&) = delete;
    virtual ~PlanCore();

    const Communicator& communicator() const noexcept { return m_comm; }
    /// Stores where the program made the plan, for errors that name the plan.
    void note_made(const std::source_location& where) noexcept {
        m_calls->note_plan(m_number, where);
    }

    /// Returns the binding of these arrays; collective if the set is new.
    ///
    /// Errors: UsageError if an execution was abandoned; those of prepare() and make()
    ExchangeBinding& bind(CallWord::Kind kind, const ArraySet& arrays);
    /// Begins an execution after all readers of the last execution have finished; UsageError also if one is in flight.
    ExchangeBinding& begin(CallWord::Kind kind, const ArraySet& arrays);
    /// Checks arguments of an execution before it begins; an exception of `check` counts as the execution.
    template <class Check>
    decltype(auto) before_call(Check&& check) const {
        return counted(*m_calls, m_name, std::forward<Check>(check));
    }
    /// Counts an execution of that kind that has nothing to do, so that other ranks see this rank make the call.
    void skip(CallWord::Kind kind);
    /// The step in flight; UsageError if the communicator was closed meanwhile.
    ExchangeBinding& active() const;
    /// Waits for readers of this step, then makes the execution's next step active; null if this step is the last.
    ExchangeBinding* advance();
    /// Ends the execution in flight; does not wait for its readers.
    void end() noexcept {
        m_unread = std::exchange(m_active, nullptr);
        m_unread->note_effects();
    }
    /// Returns when the readers of the last execution have finished.
    void wait_for_readers();
    /// Epoch of the latest step.
    std::uint64_t epoch() const noexcept { return m_epoch; }
    /// Abandons the execution in flight without waiting for other ranks; the plan is unusable afterwards.
    void abandon() noexcept;

    /// Whether the communicator's report includes this plan's executions.
    bool is_recorded() const noexcept { return m_recorder != nullptr; }
    /// Marks the begin and the end of a phase, for a report or a profiler; `label` names a region of Kokkos Tools.
    void enter(Phase phase, const std::string* label) const noexcept;
    void leave(Phase phase, bool has_label) const noexcept;
    /// Checks in some executions whether elements that arrived differ from the old ones; call it before copying them.
    void look_at(const ExchangeBinding& step, const Incoming& incoming) const noexcept;

    std::size_t workspace_bytes() const noexcept;
    /// Whether no execution has been abandoned or has failed, as far as this rank knows.
    bool is_usable() const noexcept { return !m_unusable; }

    const Labels labels;

protected:
    /// `name` begins the text of errors; `number` is CommunicatorState::next_plan(). `has_outsiders`: some ranks may
    /// pass no array, and then do not know whether a set is new.
    PlanCore(const Communicator& comm, const char* name, std::uint64_t number, Labels labels,
             std::optional<Transport> required, bool has_outsiders);

    /// MPI tags of a new set's messages.
    struct Tags {
        int messages = 0;
        std::array<int, 3> ends{}; ///< see PersistentMessages::Setting::end_tags
    };
    /// Makes the binding of a new set, and calls complete() in its last agreed step; collective, throws on all ranks or on
    /// none.
    using Maker = std::function<std::shared_ptr<ExchangeBinding>(const Tags&)>;
    /// Allocates everything else that executions of a new binding need; executions allocate nothing. Local.
    void complete(const std::shared_ptr<ExchangeBinding>& binding, const ArraySet& arrays,
                  const Tags& tags);
    /// Checks the arrays of a new set, which outlive the maker, and makes the allocations that may fail; local.
    virtual Maker prepare(const ArraySet& arrays) = 0;
    /// Hash of the set's properties that must agree between ranks, besides the arrays' types and numbers.
    virtual std::uint64_t digest_of(const ArraySet& arrays) const {
        return arrays.sources.size() * 4 + static_cast<std::uint64_t>(arrays.variant);
    }
    /// Changes of valid padding by an execution with these arrays: padding of targets becomes invalid.
    virtual std::vector<PaddingEffect> effects_of(const ArraySet& arrays) const;
    /// Effects of an execution that leaves no padding of these fields valid.
    static std::vector<PaddingEffect> all_written(std::span<const Field> fields);
    /// In the checking mode: throws on all ranks if an execution would read poisoned elements on any rank.
    virtual void check_elements(const ArraySet&) const {}

    /// Records executions if a report was requested; `key` is the same on all ranks for plans of one geometry.
    template <class Describe>
    void record(std::uint64_t key, Describe&& describe) {
        if (state().report()) begin_record(key, describe());
    }
    PlanRecorder* recorder() const noexcept { return m_recorder.get(); }
    /// For a report: copies with these arrays as the plan is (the first shape), and with other options of the plan.
    virtual std::vector<ExchangeShape> shapes_of(const ArraySet&) const { return {}; }

    const char* name() const noexcept { return m_name; }
    std::optional<Transport> required() const noexcept { return m_required; }
    bool oversubscribed() const noexcept { return m_calls->oversubscribed(); }
    CommunicatorState& state() const noexcept { return *state_of(m_comm); }
    bool is_open() const noexcept { return state().is_open(); }
    /// Returns the lines with a number that the plan chooses; the first call makes them, for these readers.
    PlanLines& lines(std::size_t number, const std::vector<int>& readers) {
        return m_lines.try_emplace(number, state(), m_number, readers).first->second;
    }
    /// Throws ShapeError unless array `i` of kind `what` has this layout and process and lies in memory that the host,
    /// or the device, can access.
    void check_array(const char* what, std::size_t i, const Field& array, const ArrayLayout& layout,
                     int process, DeviceLayer* layer) const;
    /// Throws the same UsageError on all ranks if sources would be overwritten and targets read.
    void check_overwriting(bool overwrites_sources, const ArraySet& arrays) const;
    /// Text for users: a paragraph for each set of arrays, beginning with a line break.
    std::string describe_bound_sets() const;
    /// The binding of these arrays; null if this rank does not know the set.
    ExchangeBinding* known(const ArraySet& arrays) const noexcept {
        // Most calls pass the latest set again.
        return m_latest && m_latest->is_for(arrays) ? m_latest : find(arrays);
    }

private:
    ExchangeBinding* find(const ArraySet& arrays) const noexcept;
    void check_ready(bool to_begin) const;
    ExchangeBinding* agree_on_known(const ArraySet& arrays, bool to_begin);
    ExchangeBinding& use(ExchangeBinding& binding, const ArraySet& arrays);
    ExchangeBinding& obtain(ExchangeBinding* bound, const ArraySet& arrays, bool to_begin);
    ExchangeBinding& make_binding(const ArraySet& arrays, bool to_begin);
    /// `bound` is null for a new set, and if some ranks pass no array: these ranks do not know the set.
    CallWord word_of(CallWord::Kind kind, const ExchangeBinding* bound,
                     std::uint16_t operation) const noexcept {
        return CallWord::of_plan(kind, m_number, bound ? bound->number & 0xff : CallWord::new_set,
                                 operation);
    }
    void drop_oldest_binding();
    void begin_record(std::uint64_t key, const std::string& geometry);
    void record_bound(const ExchangeBinding& binding, const ArraySet& arrays);
    void wait_for_last_readers();
    void keep(const ExchangeBinding* binding) noexcept;

    Communicator m_comm;
    const char* m_name;
    std::optional<Transport> m_required;
    bool m_has_outsiders;
    Calls* m_calls;         ///< of the communicator, kept alive by m_comm
    std::uint64_t m_number; ///< of this plan on the communicator
    std::unique_ptr<PlanRecorder> m_recorder;
    bool m_unusable = false;
    std::uint64_t m_epoch = 0;
    std::uint64_t m_clock = 0;
    ExchangeBinding* m_latest = nullptr; ///< last bound or found
    ExchangeBinding* m_active = nullptr;
    ExchangeBinding* m_unread = nullptr; ///< of the last execution, until its readers finish
    std::map<std::size_t, PlanLines> m_lines;
    std::vector<std::shared_ptr<ExchangeBinding>> m_bindings;
    /// One list node for the binding of an abandoned execution, made in advance so that keep() allocates nothing.
    std::list<std::shared_ptr<Closable>> m_kept{nullptr};
};

} // namespace distview::impl
