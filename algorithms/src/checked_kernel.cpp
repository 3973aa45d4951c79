// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/impl/checked_kernel.hpp>

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <optional>

namespace distview::impl {

namespace {

/// An array's elements in memory that the host can access: the array's own, or a copy that put() writes back.
class HostElements {
public:
    explicit HostElements(const CheckedArray& array)
        : m_array(&array), m_range(array.section->byte_range()) {
        if (!array.to_host) return;
        m_copy.resize(static_cast<std::size_t>(m_range[1] - m_range[0]));
        array.to_host(m_copy.data(), memory() + m_range[0], m_copy.size());
    }
    char* base() { return m_array->to_host ? m_copy.data() - m_range[0] : memory(); }
    void put() {
        if (m_array->from_host)
            m_array->from_host(memory() + m_range[0], m_copy.data(), m_copy.size());
    }

private:
    char* memory() const { return m_array->section->memory().data; }

    const CheckedArray* m_array;
    std::array<std::int64_t, 2> m_range;
    std::vector<char> m_copy;
};

/// Runs a kernel repeatedly on arrays in their original state.
class Trial {
public:
    using Result = std::vector<std::vector<char>>;

    Trial(const CheckedKernel& kernel, const std::function<void()>& run) : m_run(run) {
        for (const CheckedArray& array : kernel.reads) {
            const auto& section = array.section;
            if (!section || section->all_valid() || section->memory().read_only) continue;
            if (is_among(m_suspects, section)) continue;
            m_suspects.push_back(array);
            m_padding.push_back(section->padding(HostElements(array).base()));
        }
        if (m_suspects.empty()) return;
        for (const CheckedArray& array : kernel.writes) {
            if (!array.section || is_among(m_writes, array.section)) continue;
            m_writes.push_back(array);
            const CheckedSection& section = *array.section;
            m_elements.push_back(section.elements(HostElements(array).base(), section.whole()));
        }
    }

    const std::vector<CheckedArray>& suspects() const noexcept { return m_suspects; }

    /// The kernel's results if all invalid padding of suspects has the values of a round. With `at`, only that suspect,
    /// or only that place of it, has them; the rest has the values of round 0.
    struct Place {
        std::size_t suspect;
        std::optional<PaddingPlace> place{};
    };
    Result run(int round, const std::optional<Place>& at = {}) {
        restore();
        for (std::size_t i = 0; i < m_suspects.size(); ++i) {
            HostElements elements(m_suspects[i]);
            const CheckedSection& section = *m_suspects[i].section;
            section.disturb(elements.base(), at ? 0 : round, nullptr, written_of(section));
            if (at && at->suspect == i)
                section.disturb(elements.base(), round, at->place ? &*at->place : nullptr,
                                written_of(section));
            elements.put();
        }
        m_run();
        Result result;
        for (const CheckedArray& array : m_writes)
            result.push_back(array.section->elements(HostElements(array).base(), array.written));
        return result;
    }
    /// Restores all arrays.
    void restore() {
        for (std::size_t i = 0; i < m_writes.size(); ++i) {
            HostElements elements(m_writes[i]);
            const CheckedSection& section = *m_writes[i].section;
            section.put_elements(elements.base(), section.whole(), m_elements[i]);
            elements.put();
        }
        restore_padding(false);
    }
    /// Restores the suspects' padding; `keeps_written`: except elements that the kernel has written.
    void restore_padding(bool keeps_written) {
        for (std::size_t i = 0; i < m_suspects.size(); ++i) {
            HostElements elements(m_suspects[i]);
            const CheckedSection& section = *m_suspects[i].section;
            section.put_padding(elements.base(), m_padding[i],
                                keeps_written ? written_of(section) : nullptr);
            elements.put();
        }
    }

private:
    static bool is_among(const std::vector<CheckedArray>& arrays,
                         const std::shared_ptr<CheckedSection>& section) {
        return std::ranges::any_of(arrays,
                                   [&](const CheckedArray& a) { return a.section == section; });
    }
    const LocalBox* written_of(const CheckedSection& section) const {
        for (const CheckedArray& array : m_writes)
            if (array.section.get() == &section) return &array.written;
        return nullptr;
    }

    const std::function<void()>& m_run;
    std::vector<CheckedArray> m_suspects;
    std::vector<std::vector<char>> m_padding;
    std::vector<CheckedArray> m_writes;
    std::vector<std::vector<char>> m_elements;
};

/// Whether the kernel's results depend on its suspects.
bool reads_any(Trial& trial, const Trial::Result& usual) {
    for (int round = 1; round < CheckedSection::rounds; ++round)
        if (trial.run(round) != usual) return true;
    // One suspect may hide another, for example in a condition: each is also changed alone.
    for (std::size_t i = 0; trial.suspects().size() > 1 && i < trial.suspects().size(); ++i)
        for (int round = 1; round < CheckedSection::rounds; ++round)
            if (trial.run(round, Trial::Place{i}) != usual) return true;
    return false;
}

/// The first place of a suspect that the kernel reads.
std::optional<PaddingPlace> place_read(Trial& trial, const Trial::Result& usual, std::size_t i) {
    for (const PaddingPlace& place : trial.suspects()[i].section->invalid_places())
        for (int round = 1; round < CheckedSection::rounds; ++round)
            if (trial.run(round, Trial::Place{i, place}) != usual) return place;
    return std::nullopt;
}

std::string describe_reads(Trial& trial, const Trial::Result& usual) {
    std::string result;
    for (std::size_t i = 0; i < trial.suspects().size(); ++i) {
        const CheckedSection& section = *trial.suspects()[i].section;
        const auto place = place_read(trial, usual, i);
        if (!place) continue;
        const std::int64_t valid = section.valid_depth(*place);
        result += text(result.empty() ? "" : "; ", '\'', section.label(), "' read ", place->depth,
                       " deep ", describe(*place), ", where ",
                       valid > 0 ? text("it is valid ", valid, " deep") : "none is valid", " (",
                       section.history(), ')');
    }
    // No single place changes the results: only several places together do.
    return result.empty() ? "invalid padding of several of its arrays" : result;
}

} // namespace

void run_checked(const CheckedKernel& kernel, const std::function<void()>& run) {
    Trial trial(kernel, run);
    if (trial.suspects().empty()) {
        run();
        return;
    }
    const Trial::Result usual = trial.run(0);
    if (!reads_any(trial, usual)) {
        trial.restore_padding(true);
        return;
    }
    if (trial.run(0) != usual) {
        // Equal runs give different results, as with random numbers: the check cannot decide anything.
        trial.restore();
        run();
        return;
    }
    std::string found = describe_reads(trial, usual);
    const CheckedSection& section = *trial.suspects().front().section;
    if (!kernel.is_collective && section.process_count() > 1)
        found += text(" [rank ", section.process(), " of ", section.process_count(), ']');
    trial.restore();
    throw UsageError(text(kernel.caller, " '", kernel.label,
                          "': expected to read padding that is valid, got ", found));
}

} // namespace distview::impl
