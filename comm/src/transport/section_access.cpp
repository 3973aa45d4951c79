// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/section_access.hpp>

#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/mpi/known_labels.hpp>
#include <distview/comm/impl/transport/field.hpp>
#include <distview/comm/impl/transport/make_field.hpp>
#include <distview/comm/impl/transport/reached_sections.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <cstddef>
#include <vector>

namespace distview {

namespace {

constexpr const char* name = "SectionAccess";

/// Whether this process knows the labels of `process`, and so the extents of its section.
bool knows_labels(const ArrayLayout& layout, int process) {
    const GridCoordinates at = layout.coordinates(process);
    for (int d = 0; d < layout.rank(); ++d) {
        if (impl::is_partly_known(layout.axis(d)) &&
            layout.axis(d).as_unstructured().known_process() != at[static_cast<std::size_t>(d)])
            return false;
    }
    return true;
}

} // namespace

struct SectionAccess::State {
    AnyDistView array;
    impl::ReachedSections reached;
    std::vector<int> all_reached_by{}; ///< by rank

    impl::ReachedSections::Section section(int process) const {
        const auto found = reached.sections.find(process);
        return found != reached.sections.end() ? found->second : impl::ReachedSections::Section();
    }
    bool reaches(int process) const {
        return process >= 0 && process < array.layout().process_count() &&
               (section(process).data || (knows_labels(array.layout(), process) &&
                                          impl::is_empty_section(array.layout(), process)));
    }
};

SectionAccess::SectionAccess(const Communicator& comm, const AnyDistView& array) {
    const CollectiveCall call(comm, name);
    const auto state = std::make_shared<State>(
        State{array, impl::reach_sections(comm, name, impl::make_field(array), nullptr,
                                          impl::Access::read)});
    int reaches_all = 1;
    for (int process = 0; process < comm.size(); ++process)
        if (!state->reaches(process)) reaches_all = 0;
    state->all_reached_by = all_gather(comm, reaches_all);
    m_state = state;
}

bool SectionAccess::reaches(int process) const { return m_state->reaches(process); }

bool SectionAccess::reaches_all(int rank) const {
    const auto& by_rank = m_state->all_reached_by;
    return rank >= 0 && rank < std::ssize(by_rank) && by_rank[static_cast<std::size_t>(rank)] != 0;
}

AnySection SectionAccess::section(int process) const {
    require<UsageError>(reaches(process), [&] {
        return text(name, "::section: the section of process ", process, " of ",
                    m_state->array.layout().process_count(), " cannot be accessed by rank ",
                    m_state->array.process());
    });
    const ArrayLayout& layout = m_state->array.layout();
    const auto rank = static_cast<std::size_t>(layout.rank());
    const impl::ReachedSections::Section reached = m_state->section(process);
    const Extents extents = reached.data ? reached.extents : layout.local_extents(process);
    AnySection result = m_state->array.section();
    result.data = const_cast<char*>(reached.data);
    result.extents.assign(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(rank));
    result.strides.assign(reached.strides.begin(),
                          reached.strides.begin() + static_cast<std::ptrdiff_t>(rank));
    result.read_only = true;
    result.owner = m_state;
    return result;
}

} // namespace distview
