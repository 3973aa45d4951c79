// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_TESTS_LANGUAGES_CALLEES_H
#define DISTVIEW_TESTS_LANGUAGES_CALLEES_H

// The functions that C, C++ and Fortran each implement, for callers in all languages and for the library.

#include <distview/distview.h>

#include <stdbool.h>

struct particle {
    double position[3];
    int32_t kind;
    bool alive;
    char tag[3];
    float charge;
    void* owner;
};
enum { PARTICLE_MEMBERS = 6 };

struct fibonacci {
    int64_t n, max_depth, max_value, result;
};

// The functions of a language:
// particle_offsets  the offset of each member, then the size
// particle_mass     a structure by value: x + 2 y + 4 z + 8 kind + 16 alive + charge + tag[2], and 1000 for an owner
// particle_move     a structure by address: moves it by (1, 2, 3), negates kind, alive and charge, reverses tag, clears owner
// raw               Fortran 77 style, a(m, n): multiplies a(i, j) by i + 10 j, from 1; refuses other orders, and gaps
// sum_float64_2     the sum of an array of two axes of float64, from its handle; refuses other arrays
// hold, let_go      adds and drops one reference
// fibonacci         by recursion; user: struct fibonacci. Errors: NegativeValue; TooDeep and TooBig, both Exceeded
// distribution      an axis in reverse order on one process; user: its extent
// kernel            to[i] = from[i - 1] + from[i + 1]; user: the addresses from, to
// combine           2 * here + incoming
#define DECLARE_CALLEES(L)                                                                         \
    void L##_particle_offsets(int64_t* offsets);                                                   \
    double L##_particle_mass(struct particle p);                                                   \
    void L##_particle_move(struct particle* p);                                                    \
    int L##_raw(const distview_plain_array* a, void* user);                                        \
    int L##_sum_float64_2(const distview_array* array, double* sum);                               \
    distview_array* L##_hold(distview_array* array);                                               \
    void L##_let_go(distview_array* array);                                                        \
    int L##_fibonacci(const distview_plain_array* a, void* user);                                  \
    int L##_distribution(int64_t index, int* process, int64_t* position, void* user);              \
    int L##_kernel(int rank, const int64_t* begin, const int64_t* end, void* user);                \
    int L##_combine(void* here, const void* incoming, int32_t element, void* user);

DISTVIEW_BEGIN_C
DECLARE_CALLEES(c)
DECLARE_CALLEES(cpp)
DECLARE_CALLEES(fortran)
// A Fortran function that calls a C++ one, whose exceptions become a status.
int fortran_fibonacci_by_cpp(const distview_plain_array* a, void* user);
int cpp_fibonacci_of(struct fibonacci* asked);

// For all callers: starts and ends MPI and the library; makes an array and returns its elements' address; makes a plan for
// a periodic array of 8 elements with padding 1.
int begin_calls(void);
int end_calls(void);
int make_array(int rank, const int64_t* extents, int element, int order, distview_array** array,
               void** data);
int make_padded(distview_array** array, double** data, distview_padding_plan** plan);
int make_backwards(distview_distribution distribution, int64_t* extent, distview_layout** layout);
// Makes an array that is counted when it is destroyed; the number of destroyed ones.
int make_counted(distview_array** array);
int ended_arrays(void);
DISTVIEW_END_C

#endif
