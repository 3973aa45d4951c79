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

/// The part of a plan that depends neither on types and execution spaces nor on what is exchanged: the sets of arrays
/// that it is bound to, the execution in flight, and what becomes of it when a rank gives up.
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
    /// For errors that name the plan: where the program has made it.
    void note_made(const std::source_location& where) noexcept {
        m_calls->note_plan(m_number, where);
    }

    /// The binding of these arrays; collective the first time a set comes.
    ///
    /// Errors: UsageError if an execution was abandoned; those of prepare() and make()
    ExchangeBinding& bind(CallWord::Kind kind, const ArraySet& arrays);
    /// Begins an execution with these arrays, once the last one has been read; UsageError also if one is in flight.
    ExchangeBinding& begin(CallWord::Kind kind, const ArraySet& arrays);
    /// Looks at arguments of an execution before it begins: what that throws counts as the execution.
    template <class Check>
    decltype(auto) before_call(Check&& check) const {
        return counted(*m_calls, m_name, std::forward<Check>(check));
    }
    /// An execution of that kind in which nothing is to be done: other ranks see that this one makes it.
    void skip(CallWord::Kind kind);
    /// The step that is in flight; UsageError if the communicator was closed meanwhile.
    ExchangeBinding& active() const;
    /// Goes on to the execution's next step when others have read this one; null if there is none.
    ExchangeBinding* advance();
    /// Ends the execution in flight; whether others have read it is left for later.
    void end() noexcept {
        m_unread = std::exchange(m_active, nullptr);
        m_unread->note_effects();
    }
    /// Returns when others have read what the last execution let them.
    void wait_for_readers();
    /// Of the step begun last.
    std::uint64_t epoch() const noexcept { return m_epoch; }
    /// Gives up the execution in flight without waiting for anybody; the plan is unusable then.
    void abandon() noexcept;

    /// Whether its executions go into the communicator's report.
    bool is_recorded() const noexcept { return m_recorder != nullptr; }
    /// An execution that is recorded, or profiled, comes to a phase, and leaves it. A label is that of a region of Kokkos
    /// Tools.
    void enter(Phase phase, const std::string* label) const noexcept;
    void leave(Phase phase, bool has_label) const noexcept;
    /// Looks now and then whether what has arrived brings anything new; before it is copied.
    void look_at(const ExchangeBinding& step, const Incoming& incoming) const noexcept;

    std::size_t workspace_bytes() const noexcept;
    /// Whether no execution has been abandoned or has failed, as far as this rank knows.
    bool is_usable() const noexcept { return !m_unusable; }

    const Labels labels;

protected:
    /// `name` begins the text of errors; `number` is CommunicatorState::next_plan(). `has_outsiders`: some ranks may have
    /// no array to pass, and so cannot tell whether a set is new.
    PlanCore(const Communicator& comm, const char* name, std::uint64_t number, Labels labels,
             std::optional<Transport> required, bool has_outsiders);

    /// Of a new set's messages.
    struct Tags {
        int messages = 0;
        std::array<int, 3> ends{}; ///< as PersistentMessages::Setting::end_tags
    };
    /// Makes the binding of a new set, and calls complete() in its last agreed step; collective, throws on all ranks or on
    /// none.
    using Maker = std::function<std::shared_ptr<ExchangeBinding>(const Tags&)>;
    /// Takes all else that executions of a new binding need, so that nothing is allocated later; local.
    void complete(const std::shared_ptr<ExchangeBinding>& binding, const ArraySet& arrays,
                  const Tags& tags);
    /// Checks the arrays of a new set, which outlive the maker, and takes what memory may lack for; local.
    virtual Maker prepare(const ArraySet& arrays) = 0;
    /// Hash of all else that ranks must agree on besides the arrays' types and numbers.
    virtual std::uint64_t digest_of(const ArraySet& arrays) const {
        return arrays.sources.size() * 4 + static_cast<std::uint64_t>(arrays.variant);
    }
    /// Changes of valid padding by an execution with these arrays: none of targets, which it writes, is valid.
    virtual std::vector<PaddingEffect> effects_of(const ArraySet& arrays) const;
    /// Effects of an execution that leaves no padding of these fields valid.
    static std::vector<PaddingEffect> all_written(std::span<const Field> fields);
    /// Of the checking mode: throws on all ranks if elements that an execution reads are poisoned on any.
    virtual void check_elements(const ArraySet&) const {}

    /// Has executions recorded if there is a report; `key` is the same on all ranks for plans of one geometry.
    template <class Describe>
    void record(std::uint64_t key, Describe&& describe) {
        if (state().report()) begin_record(key, describe());
    }
    PlanRecorder* recorder() const noexcept { return m_recorder.get(); }
    /// Of a report: what is copied with these arrays, and with other options of the plan; the first is as it is.
    virtual std::vector<ExchangeShape> shapes_of(const ArraySet&) const { return {}; }

    const char* name() const noexcept { return m_name; }
    std::optional<Transport> required() const noexcept { return m_required; }
    bool oversubscribed() const noexcept { return m_calls->oversubscribed(); }
    CommunicatorState& state() const noexcept { return *state_of(m_comm); }
    bool is_open() const noexcept { return state().is_open(); }
    /// Lines of a number that the plan chooses, made for these readers when they are first asked for.
    PlanLines& lines(std::size_t number, const std::vector<int>& readers) {
        return m_lines.try_emplace(number, state(), m_number, readers).first->second;
    }
    /// Throws ShapeError unless array `i` of those that are a `what` has this layout and process, in memory that the
    /// host, or the device, reaches.
    void check_array(const char* what, std::size_t i, const Field& array, const ArrayLayout& layout,
                     int process, DeviceLayer* layer) const;
    /// The same UsageError on all ranks if sources are overwritten and targets to be read.
    void check_overwriting(bool overwrites_sources, const ArraySet& arrays) const;
    /// For people: a paragraph for each set of arrays, which begins with a line break.
    std::string describe_bound_sets() const;
    /// The binding of these arrays, null if they are new as far as this rank can tell.
    ExchangeBinding* known(const ArraySet& arrays) const noexcept {
        // Mostly the same set again.
        return m_latest && m_latest->is_for(arrays) ? m_latest : find(arrays);
    }

private:
    ExchangeBinding* find(const ArraySet& arrays) const noexcept;
    void check_ready(bool to_begin) const;
    ExchangeBinding* agree_on_known(const ArraySet& arrays, bool to_begin);
    ExchangeBinding& use(ExchangeBinding& binding, const ArraySet& arrays);
    ExchangeBinding& obtain(ExchangeBinding* bound, const ArraySet& arrays, bool to_begin);
    ExchangeBinding& make_binding(const ArraySet& arrays, bool to_begin);
    /// Where some ranks have no array, these cannot tell which set comes.
    CallWord word_of(CallWord::Kind kind, const ExchangeBinding* bound) const noexcept {
        return CallWord::of_plan(kind, m_number, bound ? bound->number & 0xff : CallWord::new_set);
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
    Calls* m_calls;         ///< of the communicator, which m_comm keeps
    std::uint64_t m_number; ///< of this plan on the communicator
    std::unique_ptr<PlanRecorder> m_recorder;
    bool m_unusable = false;
    std::uint64_t m_epoch = 0;
    std::uint64_t m_clock = 0;
    ExchangeBinding* m_latest = nullptr; ///< bound or found
    ExchangeBinding* m_active = nullptr;
    ExchangeBinding* m_unread = nullptr; ///< of the last execution, until others have read it
    std::map<std::size_t, PlanLines> m_lines;
    std::vector<std::shared_ptr<ExchangeBinding>> m_bindings;
    /// List node for the binding of an abandoned execution, made ahead so that keep() allocates nothing; one is enough.
    std::list<std::shared_ptr<Closable>> m_kept{nullptr};
};

} // namespace distview::impl
