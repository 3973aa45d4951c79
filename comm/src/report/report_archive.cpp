// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/report/report_archive.hpp>

#include <distview/core/error.hpp>

#include <cstring>
#include <type_traits>
#include <vector>

namespace distview::impl {

namespace {

class Writer {
public:
    template <class... Values>
    void operator()(Values&... values) {
        (put(values), ...);
    }
    std::string bytes{};

private:
    template <class Value>
    void put(Value& value) {
        if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>)
            bytes.append(reinterpret_cast<const char*>(&value), sizeof(Value));
        else
            visit(*this, value);
    }
    void put(std::string& value) {
        std::size_t size = value.size();
        put(size);
        bytes += value;
    }
    template <class Value>
    void put(std::vector<Value>& values) {
        std::size_t size = values.size();
        put(size);
        for (Value& value : values) put(value);
    }
};

class Reader {
public:
    explicit Reader(std::string_view bytes) : m_bytes(bytes) {}
    template <class... Values>
    void operator()(Values&... values) {
        (get(values), ...);
    }

private:
    std::string_view take(std::size_t size) {
        require<Error>(size <= m_bytes.size(), "report: expected more bytes");
        const std::string_view result = m_bytes.substr(0, size);
        m_bytes.remove_prefix(size);
        return result;
    }
    template <class Value>
    void get(Value& value) {
        if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>)
            std::memcpy(&value, take(sizeof(Value)).data(), sizeof(Value));
        else
            visit(*this, value);
    }
    void get(std::string& value) {
        std::size_t size = 0;
        get(size);
        value = take(size);
    }
    template <class Value>
    void get(std::vector<Value>& values) {
        std::size_t size = 0;
        get(size);
        require<Error>(size <= m_bytes.size(), "report: expected more bytes");
        values.resize(size);
        for (Value& value : values) get(value);
    }

    std::string_view m_bytes;
};

template <class Archive>
void visit(Archive& archive, Traffic& it) {
    archive(it.partner, it.is_sent, it.transport, it.bytes, it.messages, it.is_packed, it.why_not);
}
template <class Archive>
void visit(Archive& archive, RunNest::Axis& it) {
    archive(it.count, it.stride);
}
template <class Archive>
void visit(Archive& archive, RunNest& it) {
    archive(it.run_bytes, it.axes, it.is_packed);
}
template <class Archive>
void visit(Archive& archive, ExchangeShape& it) {
    archive(it.kind, it.what, it.nests, it.section_bytes, it.seconds);
}
template <class Archive>
void visit(Archive& archive, SetRecord& it) {
    archive(it.traffic, it.binds, it.executions, it.arrays, it.looks, it.unchanged);
}
template <class Archive>
void visit(Archive& archive, TimeSample& it) {
    archive(it.number, it.began, it.seconds, it.waiting, it.packing, it.inside);
}
template <class Archive>
void visit(Archive& archive, PlanRecord& it) {
    archive(it.plan, it.first, it.key, it.geometry, it.plans, it.sets, it.executions, it.timed,
            it.seconds, it.waiting, it.packing, it.binding, it.samples.samples, it.filled_depth,
            it.require_calls, it.asked_depth, it.shapes);
}
template <class Archive>
void visit(Archive& archive, CallRecord& it) {
    archive(it.name, it.calls, it.seconds);
}
template <class Archive>
void visit(Archive& archive, RankReport& it) {
    archive(it.rank, it.node, it.ranks_of_node, it.processors, it.lacked_shared_memory,
            it.copy_bandwidth, it.plans, it.calls);
}

} // namespace

std::string packed(const RankReport& report) {
    Writer writer;
    writer(const_cast<RankReport&>(report)); // one visit() for both directions; it does not write
    return std::move(writer.bytes);
}

RankReport unpacked(std::string_view bytes) {
    RankReport report;
    Reader reader(bytes);
    reader(report);
    return report;
}

} // namespace distview::impl
