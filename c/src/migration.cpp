// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exchanges.hpp"
#include "memory.hpp"
#include "together.hpp"

#include <distview/c/migration.h>

#include <distview/comm/migration_plan.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>

using namespace distview::c;
using distview::MigratingField;
using distview::MigrationPlan;
using distview::require;
using distview::ShapeError;
using distview::text;
using distview::UsageError;

struct distview_migration_plan : Counted {
    distview_migration_plan(const distview::Communicator& communicator, MigrationPlan made)
        : comm(communicator), plan(std::move(made)) {}
    ~distview_migration_plan() { leave_exchange(exchange); }

    distview::Communicator comm;
    MigrationPlan plan;
    distview_exchange* exchange = nullptr; ///< kept for the next start
};

namespace {

void check_list(const void* elements, std::int64_t count, std::int64_t expected, int field,
                const char* what, const char* function) {
    require<ShapeError>(count == expected, [&] {
        return text(function, ": expected ", expected, " elements ", what, " of field ", field,
                    ", got ", count);
    });
    if (count > 0 && !elements)
        throw_null(function, text("elements ", what, " of field ", field).c_str());
}

/// The fields of a call.
struct Fields {
    std::array<MigratingField, MigrationPlan::most_fields> all{};
    std::size_t count = 0;
    std::span<const MigratingField> span() const { return {all.data(), count}; }
};

Fields fields_of(const distview_migration_plan& plan, int count,
                 const distview_migrating_field* given, const char* function) {
    return look_at(plan.comm, function, [&] {
        Fields fields;
        constexpr int most = MigrationPlan::most_fields;
        require<UsageError>(count > 0 && count <= most, [&] {
            return text(function, ": expected from 1 to ", most, " fields, got ", count);
        });
        checked(given, function, "fields");
        fields.count = static_cast<std::size_t>(count);
        for (int i = 0; i < count; ++i) {
            const distview_migrating_field& field = given[i];
            check_list(field.from, field.from_count, plan.plan.source_size(), i, "to move",
                       function);
            check_list(field.to, field.to_count, plan.plan.size(), i, "to write", function);
            fields.all[static_cast<std::size_t>(i)] = {field.from, field.to,
                                                       element_of(field.element, function)};
        }
        return fields;
    });
}

} // namespace

int distview_migration_plan_create(const distview_communicator* comm, int64_t count,
                                   const int* targets, distview_migration_plan** result) {
    return guard(__func__, [&](const char* function) {
        const distview::Communicator& all = communicator_of(comm, function);
        together(all, function, [&] {
            checked(result, function, "a place for the result");
            require<UsageError>(count >= 0, [&] {
                return text(function, ": expected at least 0 elements, got ", count);
            });
            if (count > 0) checked(targets, function, "targets");
            require_kokkos(function);
        });
        give(result, function, all,
             MigrationPlan(all, std::span(targets, static_cast<std::size_t>(count))));
    });
}

distview_migration_plan* distview_migration_plan_retain(distview_migration_plan* plan) {
    return retain(plan);
}
void distview_migration_plan_release(distview_migration_plan* plan) { release(plan); }

int distview_migration_plan_sizes(const distview_migration_plan* plan, int64_t* source_size,
                                  int64_t* size, int64_t* kept) {
    return guard(__func__, [&](const char* function) {
        const MigrationPlan& asked = checked(plan, function, "a plan").plan;
        if (source_size) *source_size = asked.source_size();
        if (size) *size = asked.size();
        if (kept) *kept = asked.kept();
    });
}

int distview_migration_plan_execute(distview_migration_plan* plan, int count,
                                    const distview_migrating_field* fields) {
    return guard_plan(__func__, plan, [&](distview_migration_plan& used, const char* function) {
        const Exec& exec = host(function);
        used.plan.execute(exec, fields_of(used, count, fields, function).span());
    });
}

int distview_migration_plan_start(distview_migration_plan* plan, int count,
                                  const distview_migrating_field* fields,
                                  distview_exchange** result) {
    return guard_plan(__func__, plan, [&](distview_migration_plan& used, const char* function) {
        distview_exchange*& place = checked(result, function, "a place for the result");
        const Exec& exec = host(function);
        const Fields lists = fields_of(used, count, fields, function);
        distview_exchange& exchange = next_exchange(used.exchange);
        keep(exchange, used.plan.start(exec, lists.span()));
        place = retain(&exchange);
    });
}

int distview_migration_plan_is_usable(const distview_migration_plan* plan, int* usable) {
    return guard(__func__, [&](const char* function) {
        checked(usable, function, "a place for the answer") =
            checked(plan, function, "a plan").plan.is_usable() ? 1 : 0;
    });
}

int distview_migration_plan_workspace_bytes(const distview_migration_plan* plan, int64_t* bytes) {
    return guard(__func__, [&](const char* function) {
        checked(bytes, function, "a place for the bytes") =
            static_cast<std::int64_t>(checked(plan, function, "a plan").plan.workspace_bytes());
    });
}

int distview_migration_plan_describe(const distview_migration_plan* plan, char* buffer,
                                     int64_t capacity, int64_t* length) {
    return guard(__func__, [&](const char* function) {
        give_text(checked(plan, function, "a plan").plan.describe(), buffer, capacity, length,
                  function);
    });
}
