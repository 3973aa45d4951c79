// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/redistribution_core.hpp>

#include <distview/core/text.hpp>

#include <cstddef>

namespace distview::impl {

namespace {

/// Whether this process has no element of it.
bool is_empty(const Field& field) {
    return !field.layout || is_empty_section(*field.layout, field.process);
}

} // namespace

/// Whether sources and targets of a set of arrays share memory on this rank, and how.
RedistributionCore::Sharing RedistributionCore::check(const ArraySet& arrays) const {
    Sharing sharing;
    require<UsageError>(!arrays.layer || m_stages.size() == 1,
                        "RedistributionPlan: by dimension, expected memory of the host");
    require<UsageError>(
        !arrays.sources.empty() && arrays.sources.size() == arrays.targets.size(), [&] {
            return text(name(), ": expected as many sources as targets, at least 1, got ",
                        arrays.sources.size(), " and ", arrays.targets.size());
        });
    require<ShapeError>(arrays.are_of_that_type(), [&] {
        return text(name(), ": source or target is not of the element type that was asked for");
    });
    const auto check_field = [&](const Field& field, std::size_t i, const char* what,
                                 const ArrayLayout& layout, int process) {
        require<ShapeError>(field.layout != nullptr || process < 0, [&] {
            return text(name(), ": ", what, " ", i, " is missing on a rank that is process ",
                        process, " of its grid");
        });
        if (!field.layout) return;
        require<ShapeError>(process >= 0, [&] {
            return text(name(), ": ", what, " ", i,
                        " was given on a rank that is no process of its grid; expected a null "
                        "pointer there");
        });
        check_array(what, i, field, layout, process, arrays.layer);
    };
    for (std::size_t i = 0; i < arrays.sources.size(); ++i) {
        const Field& source = arrays.sources[i];
        const Field& target = arrays.targets[i];
        check_field(source, i, "source", m_schedule.from_layout(), m_from_process);
        check_field(target, i, "target", m_schedule.to_layout(), m_to_process);
        require<ShapeError>(!arrays.as_bytes || source.element_code == target.element_code, [&] {
            return text(name(), ": source ", i, " and target ", i, " differ in element type");
        });
        require<ShapeError>(!arrays.as_bytes || ArraySet::moves_as_bytes(source.element_size), [&] {
            return text(name(),
                        ": of types known at run time only, expected elements of 1, 2, 4, 8 or 16 "
                        "bytes, got ",
                        source.element_size);
        });
        require<ShapeError>(!target.read_only,
                            [&] { return text(name(), ": target ", i, " is read-only"); });
        for (std::size_t j = 0; j < arrays.sources.size(); ++j) {
            const bool is_same = i == j && source.data == target.data &&
                                 source.strides == target.strides &&
                                 source.element_size == target.element_size;
            const bool shares = overlap(arrays.sources[j], target);
            const bool is_harmless = is_same && m_schedule.is_identity();
            require<UsageError>(!arrays.layer || !m_in_place || is_harmless || !shares, [&] {
                return text(name(), ": source ", j, " and target ", i,
                            " share memory of a device: in place, expected memory of the host");
            });
            require<UsageError>(m_in_place || is_harmless || !shares, [&] {
                return text(name(), ": source ", j, " and target ", i,
                            " share memory: elements could be overwritten before they are read; to "
                            "redistribute in place, build the plan with in_place");
            });
            sharing.any = sharing.any || (shares && !is_harmless);
            sharing.is_same =
                sharing.is_same && (is_same || (i != j && !shares) || is_empty(target));
            require<UsageError>(i == j || !overlap(arrays.targets[j], target), [&] {
                return text(name(), ": targets ", i, " and ", j, " share memory");
            });
        }
    }
    return sharing;
}

} // namespace distview::impl
