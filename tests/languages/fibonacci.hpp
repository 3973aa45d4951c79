// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/distview.h>

#include <stdexcept>
#include <string_view>

/// The exceptions of fibonacci(). C gets them as DISTVIEW_OTHER_ERROR with the name of the class as its code.
class FibonacciError : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};
class NegativeValue : public FibonacciError {
public:
    using FibonacciError::FibonacciError;
};
class Exceeded : public FibonacciError {
public:
    using FibonacciError::FibonacciError;
};
class TooDeep : public Exceeded {
public:
    using Exceeded::Exceeded;
};
class TooBig : public Exceeded {
public:
    using Exceeded::Exceeded;
};

/// Throws the exception for a status of C.
inline void throw_error(int status) {
    if (status == DISTVIEW_SUCCESS) return;
    const distview_error& error = *distview_last_error();
    const std::string_view code = error.code;
    if (code == "NegativeValue") throw NegativeValue(error.message);
    if (code == "TooDeep") throw TooDeep(error.message);
    if (code == "TooBig") throw TooBig(error.message);
    throw std::runtime_error(error.message);
}
