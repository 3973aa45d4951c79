// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/plan_core.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/impl/kernels/copy_boxes.hpp>
#include <distview/comm/impl/report/report_log.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/checking.hpp>
#include <distview/core/element_type.hpp>
#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>

namespace distview::impl {

namespace {

/// Sets of arrays that a plan keeps, at most the 64 bits of `candidates`. To cycle through more, make several plans.
constexpr std::size_t most_bindings = 32;

/// The lowest number that no binding has: a plan has few bindings at a time, so that numbers need few bits for any
/// number of sets. The number is the same on all ranks, because all ranks bind and drop the same sets.
std::uint64_t free_number(const std::vector<std::shared_ptr<ExchangeBinding>>& bindings) {
    std::uint64_t number = 0;
    while (std::any_of(bindings.begin(), bindings.end(),
                       [&](const auto& binding) { return binding->number == number; }))
        ++number;
    return number;
}

/// Key that distinguishes an execution from executions of the same set of arrays at the places before and after, and from
/// executions at the same place of other sets, of which a plan has at most 33, or with another named operation. Of
/// executions with other factors one in 256 has the same key.
std::uint64_t key_of(std::uint64_t set, const CallPlace& place, std::uint16_t operation) noexcept {
    return set + 67 * place.index + 101 * place.meetings + 13 * place.part + 37 * operation;
}

/// Number and types of the arrays, for an error.
std::vector<Argument> arguments_of(std::span<const Field> fields, std::span<const Field> targets) {
    std::vector<Argument> result{
        {"DISTVIEW_CHECK", is_checking() ? "padding" : "0"},
        {"number of arrays", text(fields.size() + targets.size())},
    };
    for (const auto& side : {fields, targets})
        for (const Field& field : side)
            result.push_back({text("element type of array ", result.size() - 2),
                              describe(ElementType{static_cast<ElementKind>(field.element_code % 8),
                                                   field.element_size})});
    return result;
}

} // namespace

PlanCore::Labels::Labels(const std::string& plan, const char* local_kernel,
                         const char* incoming_kernel)
    : pack("distview::" + plan + "::pack"), local("distview::" + plan + "::" + local_kernel),
      incoming("distview::" + plan + "::" + incoming_kernel),
      combine("distview::" + plan + "::combine"),
      fence_ready("distview::" + plan + ": elements are written and packed, others may read"),
      fence_done("distview::" + plan + ": others' elements have been read"),
      start("distview::" + plan + "::start"), finish("distview::" + plan + "::finish"),
      wait("distview::" + plan + "::wait") {}

PlanCore::PlanCore(const Communicator& comm, const char* name, std::uint64_t number,
                   Labels labels_of_plan, std::optional<Transport> required, bool has_outsiders)
    : labels(std::move(labels_of_plan)), m_comm(comm), m_name(name), m_required(required),
      m_has_outsiders(has_outsiders), m_calls(&state_of(comm)->calls()), m_number(number) {}

PlanCore::~PlanCore() {
    m_calls->forget_plan(m_number);
    if (m_unread && is_open() && !m_unread->is_over()) keep(m_unread);
}

/// Keeps a binding: other ranks may still read its buffers and write their progress to its lines.
void PlanCore::keep(const ExchangeBinding* kept) noexcept {
    const auto found = std::find_if(m_bindings.begin(), m_bindings.end(),
                                    [&](const auto& binding) { return binding->has_step(kept); });
    if (found == m_bindings.end() || m_kept.empty() || !is_open()) return;
    m_kept.front() = *found;
    state().keep(m_kept);
}

void PlanCore::check_ready(bool to_begin) const {
    require<UsageError>(!m_unusable, [&] {
        return text(m_name, ": an earlier execution was abandoned or failed; this plan cannot be "
                            "used again, build a new one");
    });
    require<UsageError>(!to_begin || m_active == nullptr, [&] {
        return text(m_name, ": an execution is in flight; call finish() on its handle first");
    });
    require<UsageError>(is_open(),
                        [&] { return text(m_name, ": the communicator has been closed"); });
}

void PlanCore::check_overwriting(bool overwrites_sources, const ArraySet& arrays) const {
    require<UsageError>(!overwrites_sources || !arrays.reads_target, [&] {
        return text(m_name, ": sources and targets share memory, so old values of a target cannot "
                            "be kept, expected beta = 0 and no combination");
    });
}

void PlanCore::check_array(const char* what, std::size_t i, const Field& array,
                           const ArrayLayout& layout, int process, DeviceLayer* layer) const {
    require<ShapeError>(*array.layout == layout, [&] {
        return text(m_name, ": ", what, " ", i, " is a ", array.layout->describe(),
                    "\nthe plan is for a ", layout.describe(),
                    difference_of(*array.layout, layout));
    });
    require<ShapeError>(array.process == process, [&] {
        return text(m_name, ": ", what, " ", i, ": expected the section of process ", process,
                    ", got the section of process ", array.process);
    });
    require<ShapeError>(layer || array.host_accessible, [&] {
        return text(m_name, ": ", what, " ", i, " is in memory that the host cannot access");
    });
    if (!layer || is_empty_section(layout, process)) return;
    require<ShapeError>(!array.data || layer->reaches(array.data), [&] {
        return text(m_name, ": ", what, " ", i, " is in memory that the device cannot access");
    });
    const Extents extents = layout.local_extents(process);
    auto bits = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(array.data));
    for (std::size_t d = 0; d < extents.size(); ++d)
        if (extents[d] > 1) bits |= array.strides[d];
    require<ShapeError>(bits % array.alignment == 0, [&] {
        return text(m_name, ": ", what, " ", i,
                    ": expected elements in device memory at multiples of ", array.alignment,
                    " bytes, got some at multiples of ", bits & -bits);
    });
}

ExchangeBinding* PlanCore::find(const ArraySet& arrays) const noexcept {
    const auto found = std::find_if(m_bindings.begin(), m_bindings.end(),
                                    [&](const auto& binding) { return binding->is_for(arrays); });
    return found == m_bindings.end() ? nullptr : found->get();
}

/// Like find(), by agreement of all ranks: a rank that passes no array does not see that other ranks pass new arrays.
ExchangeBinding* PlanCore::agree_on_known(const ArraySet& arrays, bool to_begin) {
    agree_on(m_comm, m_name, [&] { check_ready(to_begin); });
    std::uint64_t candidates = 0;
    for (std::size_t i = 0; i < m_bindings.size(); ++i)
        if (m_bindings[i]->is_for(arrays)) candidates |= std::uint64_t{1} << i;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &candidates, 1, MPI_UINT64_T, MPI_BAND, m_comm.mpi()),
              "MPI_Allreduce");
    return candidates == 0
               ? nullptr
               : m_bindings[static_cast<std::size_t>(std::countr_zero(candidates))].get();
}

ExchangeBinding& PlanCore::use(ExchangeBinding& binding, const ArraySet& arrays) {
    check_overwriting(binding.overwrites_sources, arrays);
    binding.last_used = ++m_clock;
    m_latest = &binding;
    return binding;
}

/// `bound` is the result of known(); null if some ranks pass no array.
ExchangeBinding& PlanCore::obtain(ExchangeBinding* bound, const ArraySet& arrays, bool to_begin) {
    if (m_has_outsiders) bound = agree_on_known(arrays, to_begin);
    return bound ? use(*bound, arrays) : make_binding(arrays, to_begin);
}

ExchangeBinding& PlanCore::make_binding(const ArraySet& arrays, bool to_begin) {
    std::exception_ptr failure;
    Maker make;
    Hash digest;
    std::vector<std::uint64_t> identities;
    try {
        check_ready(to_begin);
        make = prepare(arrays);
        digest.add(is_checking() ? 1 : 0); // adds an agreement to every execution
        digest.add(digest_of(arrays));
        // A rank without an array passes the element type of the other ranks' arrays; such an array has no number.
        for (const auto& side : {arrays.sources, arrays.targets})
            for (const Field& field : side) {
                digest.add(field.element_code);
                identities.push_back(field.identity);
            }
    } catch (...) {
        failure = std::current_exception();
    }
    agree(
        m_comm, m_name, failure, digest.value(),
        [&] { return arguments_of(arrays.sources, arrays.targets); }, identities);
    Tags tags{.messages = state().next_tag()};
    for (int& end : tags.ends) end = state().next_tag();
    std::shared_ptr<ExchangeBinding> binding = make(tags);
    if (m_bindings.size() >= most_bindings) {
        wait_for_last_readers(); // else ranks that have already waited would drop another set
        drop_oldest_binding();
    }
    binding->number = free_number(m_bindings);
    m_bindings.push_back(binding);
    return use(*binding, arrays);
}

void PlanCore::complete(const std::shared_ptr<ExchangeBinding>& binding, const ArraySet& arrays,
                        const Tags& tags) {
    binding->set_key(arrays);
    std::vector<PaddingEffect> effects = effects_of(arrays);
    for (PaddingEffect& effect : effects) effect.plan = m_number;
    if (binding->overwrites_sources)
        for (PaddingEffect& effect : all_written(arrays.sources))
            effects.push_back(std::move(effect));
    for (std::size_t i = 0; i < effects.size(); ++i)
        if (effects[i].array->whole) effects.push_back({effects[i].array->whole, {}});
    binding->set_effects(std::move(effects));
    for (const auto& [number, lines] : m_lines) binding->hold(lines.memory());
    binding->make_requests(state(), tags.messages, tags.ends);
    state().add(binding);
    m_bindings.reserve(most_bindings);
    if (m_recorder) record_bound(*binding, arrays);
}

std::vector<PaddingEffect> PlanCore::all_written(std::span<const Field> fields) {
    std::vector<PaddingEffect> result;
    for (const Field& field : fields)
        if (field.state && *field.state) result.push_back({*field.state, {}});
    return result;
}

std::vector<PaddingEffect> PlanCore::effects_of(const ArraySet& arrays) const {
    return all_written(arrays.targets);
}

ExchangeBinding& PlanCore::bind(CallWord::Kind kind, const ArraySet& arrays) {
    ExchangeBinding* const binding = m_has_outsiders ? nullptr : known(arrays);
    return in_call(*m_calls, word_of(kind, binding, 0), [&]() -> auto& {
        if (binding) check_ready(false);
        return obtain(binding, arrays, false);
    });
}

ExchangeBinding& PlanCore::begin(CallWord::Kind kind, const ArraySet& arrays) {
    ExchangeBinding* const bound = m_has_outsiders ? nullptr : known(arrays);
    // Ranks without a target, of another program perhaps, need not know the operation.
    const std::uint16_t operation = m_has_outsiders ? 0 : arrays.operation;
    // Counts a misuse on this rank alone as its call. Other ranks know, or will learn, that a plan is unusable.
    if (bound && !m_unusable) before_call([&] { check_ready(true); });
    return in_call(*m_calls, word_of(kind, bound, operation), [&]() -> auto& {
        if (bound && m_unusable) check_ready(true);
        ExchangeBinding& binding = obtain(bound, arrays, true);
        if (m_unread) wait_for_last_readers();
        if (is_checking()) check_elements(arrays);
        m_active = &binding;
        m_epoch = next_epoch(m_epoch, key_of(binding.number, m_calls->current().place, operation));
        binding.set_call(*m_calls);
        return binding;
    });
}

void PlanCore::skip(CallWord::Kind kind) {
    if (!m_unusable) before_call([&] { check_ready(true); });
    in_call(*m_calls, CallWord::of_plan(kind, m_number, 0), [&]() -> auto& {
        check_ready(true);
        return *this;
    });
}

/// Drops the least recently used binding that is not in use.
void PlanCore::drop_oldest_binding() {
    const auto age = [&](const std::shared_ptr<ExchangeBinding>& binding) {
        const bool in_use = binding->has_step(m_active) || binding->has_step(m_unread);
        return in_use ? 0 : m_clock - binding->last_used + 1;
    };
    m_latest = nullptr;
    const auto oldest =
        std::max_element(m_bindings.begin(), m_bindings.end(),
                         [&](const auto& a, const auto& b) { return age(a) < age(b); });
    if (m_recorder) m_recorder->dropped(oldest->get());
    m_bindings.erase(oldest);
}

ExchangeBinding& PlanCore::active() const {
    require<UsageError>(is_open(),
                        [&] { return text(m_name, ": the communicator has been closed"); });
    return *m_active;
}

ExchangeBinding* PlanCore::advance() {
    ExchangeBinding* const next = m_active->next();
    if (!next) return nullptr;
    m_unread = m_active;
    wait_for_last_readers();
    state().deadline().begin_again();
    m_active = next;
    ++m_epoch;
    return next;
}

/// Waits within an execution, and records the time for the report.
void PlanCore::wait_for_last_readers() {
    if (m_recorder) m_recorder->enter(Phase::wait);
    wait_for_readers();
    if (m_recorder) m_recorder->leave(Phase::wait);
}

void PlanCore::wait_for_readers() {
    if (!m_unread) return;
    require<UsageError>(is_open(),
                        [&] { return text(m_name, ": the communicator has been closed"); });
    try {
        m_unread->wait_for_readers();
    } catch (...) {
        m_unusable = true;
        m_calls->mark_failed(m_unread->call().call);
        // Informs ranks that wait for this process, in this execution or the next one.
        m_unread->leave();
        for (const auto& binding : m_bindings)
            if (is_open()) binding->send_end();
        throw;
    }
    m_unread = nullptr;
}

void PlanCore::abandon() noexcept {
    m_unusable = true;
    if (m_active) {
        m_calls->mark_failed(m_active->call().call);
        m_active->leave();
        m_active->note_abandoned();
        for (const auto& binding : m_bindings)
            if (!binding->has_step(m_active) && is_open()) binding->send_end();
        keep(m_active);
    }
    m_active = nullptr;
}

std::size_t PlanCore::workspace_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const auto& binding : m_bindings) bytes += binding->workspace_bytes();
    return bytes;
}

void PlanCore::begin_record(std::uint64_t key, const std::string& geometry) {
    ReportLog& log = *state().report();
    m_recorder = std::make_unique<PlanRecorder>(log.record_of(m_name, m_number, key, geometry),
                                                log.time_inside());
}

void PlanCore::record_bound(const ExchangeBinding& binding, const ArraySet& arrays) {
    std::vector<PlanRecorder::ByteSpan> memory;
    for (const auto& side : {arrays.sources, arrays.targets})
        for (const Field& field : side) {
            PlanRecorder::ByteSpan& span = memory.emplace_back();
            if (!field.data || !field.layout) continue;
            const auto range = bytes_of(field.layout->local_extents(field.process), field.strides,
                                        field.element_size);
            if (range) span = {field.data + range->begin, field.data + range->end};
        }
    m_recorder->bound(&binding, binding.traffic(), std::move(memory));
    if (!m_recorder->has_shapes()) m_recorder->set_shapes(shapes_of(arrays));
}

void PlanCore::enter(Phase phase, const std::string* label) const noexcept {
    if (label && Kokkos::Profiling::profileLibraryLoaded()) Kokkos::Profiling::pushRegion(*label);
    if (m_recorder) m_recorder->enter(phase);
}

void PlanCore::leave(Phase phase, bool has_label) const noexcept {
    if (m_recorder) {
        m_recorder->leave(phase);
        if (phase == Phase::start && m_active && !m_recorder->is_in_flight()) {
            m_recorder->set(m_active);
            // The library knows that these arrays were written, even if their values are the same.
            std::size_t array = 0;
            for (const PaddingEffect& effect : m_active->effects())
                m_recorder->set_written(array++, effect.array->valid_padding != effect.after);
        }
        if (phase == Phase::finish && !m_active) m_recorder->end();
    }
    if (has_label && Kokkos::Profiling::profileLibraryLoaded()) Kokkos::Profiling::popRegion();
}

namespace {

/// Whether source and destination already have the same bytes.
bool is_same(const CopyBox& box) {
    const auto are_equal = [](const char* from, const char* to, std::int64_t bytes) {
        return std::memcmp(from, to, static_cast<std::size_t>(bytes)) == 0;
    };
    const CopyBox::Axis row = box.innermost();
    BoxRows rows(box);
    do {
        const char* from = rows.from();
        const char* to = rows.to();
        for (std::int64_t k = 0; k < row.count; ++k) {
            if (!are_equal(from, to, box.element_size)) return false;
            for (int i = 0; i < box.lane_count; ++i)
                if (!are_equal(from + box.lanes[i].source, to + box.lanes[i].destination,
                               box.lanes[i].bytes))
                    return false;
            from += row.source_stride;
            to += row.destination_stride;
        }
    } while (rows.next());
    return true;
}

} // namespace

void PlanCore::look_at(const ExchangeBinding& step, const Incoming& incoming) const noexcept {
    if (!m_recorder || !m_recorder->looks()) return;
    for (const Batch& batch : incoming.batches) {
        if (batch.kind != Batch::Kind::copy) continue;
        for (int i = batch.begin; i < batch.end; ++i) {
            const CopyBox& box = step.program().boxes[static_cast<std::size_t>(i)];
            m_recorder->look(box.destination, is_same(box));
        }
    }
}

std::string PlanCore::describe_bound_sets() const {
    std::string result;
    for (std::size_t i = 0; i < m_bindings.size(); ++i) {
        const std::size_t arrays = m_bindings[i]->array_count();
        result += text("\nbound set ", i, " of ", arrays,
                       arrays == 1 ? " array:" : " arrays:", m_bindings[i]->describe());
    }
    return result;
}

} // namespace distview::impl
