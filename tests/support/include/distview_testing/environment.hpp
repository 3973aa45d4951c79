// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace distview::testing {

/// Sets or removes an environment variable, and restores its previous state on destruction.
class VariableSetting {
public:
    VariableSetting(const char* name, std::optional<std::string> value) : m_name(name) {
        if (const char* before = std::getenv(m_name)) m_before = before;
        set(value);
    }
    ~VariableSetting() { set(m_before); }
    VariableSetting(const VariableSetting&) = delete;
    VariableSetting& operator=(const VariableSetting&) = delete;

private:
    void set(const std::optional<std::string>& value) const {
        if (value)
            setenv(m_name, value->c_str(), 1);
        else
            unsetenv(m_name);
    }
    const char* m_name;
    std::optional<std::string> m_before;
};

} // namespace distview::testing
