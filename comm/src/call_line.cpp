// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/call_line.hpp>

#include <distview/core/text.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace distview::impl {

std::string CallWord::describe(std::string_view name) const {
    const std::uint64_t plan = bits >> 32 & 0xffffff;
    const std::uint64_t set = bits >> 16 & 0xffff;
    const auto of_plan = [&](const char* type, const char* function) {
        return set == new_set ? text(type, " #", plan, ' ', function, ", new arrays")
                              : text(type, " #", plan, ' ', function, ", set ", set);
    };
    switch (kind()) {
    case Kind::none: return "no call";
    case Kind::named: return std::string(name);
    case Kind::fill: return of_plan("PaddingExchangePlan", "execute");
    case Kind::combine: return of_plan("PaddingExchangePlan", "combine");
    case Kind::redistribute: return of_plan("RedistributionPlan", "execute");
    case Kind::redistribute_combine: return of_plan("RedistributionPlan", "combine");
    }
    return "another version's call";
}

/// No reader takes the words for those of one record while they are written.
void SharedRecord::write(const MeetingRecord& record) noexcept {
    const auto values = std::bit_cast<std::array<std::uint64_t, words>>(record);
    m_stamp.store(0, std::memory_order_relaxed);
    for (std::size_t i = 0; i < words; ++i) m_words[i].store(values[i], sync_order::publish);
    m_stamp.store(record.stamp, sync_order::publish);
}

bool SharedRecord::read(std::uint64_t stamp, MeetingRecord& record) const noexcept {
    if (m_stamp.load(sync_order::arrive) != stamp) return false;
    std::array<std::uint64_t, words> values;
    for (std::size_t i = 0; i < words; ++i) values[i] = m_words[i].load(sync_order::arrive);
    if (m_stamp.load(std::memory_order_relaxed) != stamp) return false;
    record = std::bit_cast<MeetingRecord>(values);
    return true;
}

void CallLine::set_name(std::uint64_t of_number, std::string_view name) noexcept {
    Call& at = call(of_number);
    std::array<std::uint64_t, std::tuple_size_v<decltype(Call::name)>> words{};
    std::memcpy(words.data(), name.data(), std::min(name.size(), sizeof(words) - 1));
    for (std::size_t i = 0; i < words.size(); ++i)
        at.name[i].store(words[i], std::memory_order_release);
}

std::string CallLine::name(std::uint64_t of_number) const {
    const Call& at = calls[of_number % kept_calls];
    std::array<std::uint64_t, std::tuple_size_v<decltype(Call::name)>> words{};
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = at.name[i].load(std::memory_order_acquire);
    std::string result(sizeof(words), '\0');
    std::memcpy(result.data(), words.data(), sizeof(words));
    result.resize(std::min(result.size(), result.find('\0')));
    return result;
}

} // namespace distview::impl
