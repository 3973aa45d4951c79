// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/protocol/dim_data.hpp>

#include "protocol_message.hpp"

#include <sstream>
#include <string>
#include <string_view>

namespace distview::protocol {

namespace impl {

std::string escaped(std::string_view value, char quote) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string result;
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == quote || c == '\\') {
            result += '\\';
            result += c;
        } else if (byte < 0x20 || byte == 0x7f) {
            result += "\\u00";
            result += hex[byte >> 4];
            result += hex[byte & 15];
        } else {
            result += c;
        }
    }
    return result;
}

std::string quoted(std::string_view value) {
    constexpr std::size_t most = 40;
    // Escapes lengthen the text again.
    const std::string begin = escaped(shortened(value, most), '\'');
    return '\'' + shortened(begin, 2 * most) + '\'';
}

} // namespace impl

namespace {

/// Writes a JSON object member by member.
class ObjectWriter {
public:
    template <class Value>
    void member(std::string_view key, const std::optional<Value>& value) {
        if (!value) return;
        begin_member(key);
        write(*value);
    }
    void unknown_members() {
        m_out << m_separator << "...";
        m_separator = ", ";
    }
    std::string str() const { return '{' + m_out.str() + '}'; }

private:
    void begin_member(std::string_view key) {
        m_out << m_separator << '"' << key << "\": ";
        m_separator = ", ";
    }
    void write(std::int64_t value) { m_out << std::to_string(value); } // no locale's grouping
    void write(bool value) { m_out << (value ? "true" : "false"); }
    void write(const std::string& value) { m_out << '"' << impl::escaped(value, '"') << '"'; }
    void write(const PaddingValue& value) {
        if (value.length == 2)
            m_out << '[' << std::to_string(value.low) << ", " << std::to_string(value.high) << ']';
        else
            m_out << "[" << value.length << (value.length == 1 ? " width]" : " widths]");
    }
    void write(const std::vector<std::int64_t>& values) {
        const char* separator = "";
        m_out << '[';
        for (const std::int64_t value : values) {
            m_out << separator << std::to_string(value);
            separator = ", ";
        }
        m_out << ']';
    }

    std::ostringstream m_out;
    const char* m_separator = "";
};

} // namespace

bool DimData::empty() const noexcept {
    return !dist_type && !size && !proc_grid_size && !proc_grid_rank && !start && !stop &&
           !padding && !periodic && !block_size && !indices && !one_to_one && !has_other_keys;
}

std::string describe(const DimData& dim) {
    ObjectWriter object;
    object.member("dist_type", dim.dist_type);
    object.member("size", dim.size);
    object.member("proc_grid_size", dim.proc_grid_size);
    object.member("proc_grid_rank", dim.proc_grid_rank);
    object.member("start", dim.start);
    object.member("stop", dim.stop);
    object.member("padding", dim.padding);
    object.member("periodic", dim.periodic);
    object.member("block_size", dim.block_size);
    object.member("indices", dim.indices);
    object.member("one_to_one", dim.one_to_one);
    if (dim.has_other_keys) object.unknown_members();
    return object.str();
}

std::string describe(const std::vector<DimData>& dim_data) {
    std::string result = "[";
    for (const DimData& dim : dim_data) {
        if (result.size() > 1) result += ", ";
        result += describe(dim);
    }
    return result + ']';
}

} // namespace distview::protocol
