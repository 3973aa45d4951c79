// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/transport.hpp>
#include <distview/core/error.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace distview::testing {

namespace {

/// Sets DISTVIEW_TRANSPORT, or unsets it, and puts things back.
class TransportVariable {
public:
    explicit TransportVariable(const char* value) {
        if (const char* before = std::getenv(name)) m_before = before;
        set(value);
    }
    ~TransportVariable() { set(m_before ? m_before->c_str() : nullptr); }
    TransportVariable(const TransportVariable&) = delete;
    TransportVariable& operator=(const TransportVariable&) = delete;

private:
    static constexpr const char* name = "DISTVIEW_TRANSPORT";
    static void set(const char* value) {
        if (value)
            ::setenv(name, value, 1);
        else
            ::unsetenv(name);
    }
    std::optional<std::string> m_before;
};

std::string error_of_required_transport() {
    try {
        required_transport();
    } catch (const UsageError& error) {
        return error.what();
    }
    return "nothing thrown";
}

TEST(Transport, NamesItself) {
    EXPECT_EQ(to_string(Transport::self), "self");
    EXPECT_EQ(to_string(Transport::direct), "direct");
    EXPECT_EQ(to_string(Transport::ipc), "ipc");
    EXPECT_EQ(to_string(Transport::cma), "cma");
    EXPECT_EQ(to_string(Transport::message), "message");
    EXPECT_EQ(to_string(Transport::gpu_message), "gpu_message");
    EXPECT_EQ(to_string(Transport::staged), "staged");
}

TEST(Transport, IsFreeUnlessTheEnvironmentNamesOne) {
    const TransportVariable unset(nullptr);
    EXPECT_EQ(required_transport(), std::nullopt);
    const TransportVariable empty("");
    EXPECT_EQ(required_transport(), std::nullopt);
}

TEST(Transport, IsWhatTheEnvironmentNames) {
    for (const Transport transport :
         {Transport::direct, Transport::ipc, Transport::cma, Transport::message,
          Transport::gpu_message, Transport::staged}) {
        const std::string name(to_string(transport));
        const TransportVariable variable(name.c_str());
        EXPECT_EQ(required_transport(), transport) << name;
    }
}

TEST(Transport, MustBeOneThatExists) {
    const std::string expected = "DISTVIEW_TRANSPORT: expected direct, ipc, cma, message, "
                                 "gpu_message or staged, got '";
    for (const std::string name : {"self", "Message", "message ", "tcp"}) {
        const TransportVariable variable(name.c_str());
        EXPECT_EQ(error_of_required_transport(), expected + name + "'");
    }
}

TEST(Transport, MustBeOneThatThisBuildHas) {
    check_available(std::nullopt);
    check_available(Transport::direct);
    check_available(Transport::cma);
    check_available(Transport::message);
    try {
        check_available(Transport::ipc);
        ADD_FAILURE() << "nothing thrown";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "DISTVIEW_TRANSPORT: 'ipc' is not available here, only "
                                   "'direct', 'cma' and 'message' are");
    }
}

} // namespace

} // namespace distview::testing
