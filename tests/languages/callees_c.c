// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "callees.h"

#include <distview/dap.h>

#include <complex.h>
#include <stddef.h>
#include <stdio.h>

static distview_communicator* comm;

int begin_calls(void) {
    const int status = distview_initialize(NULL);
    return status ? status : distview_communicator_create(MPI_COMM_WORLD, &comm);
}
int end_calls(void) {
    distview_communicator_release(comm);
    return distview_finalize();
}

int make_array(int rank, const int64_t* extents, int element, int order, distview_array** array,
               void** data) {
    int grid[DISTVIEW_MAX_RANK];
    distview_axis axes[DISTVIEW_MAX_RANK] = {{0}};
    for (int d = 0; d < rank; ++d) {
        grid[d] = 1;
        axes[d].extent = extents[d];
    }
    distview_layout* layout = NULL;
    int status = distview_layout_create(rank, grid, axes, &layout);
    if (!status) status = distview_array_create(comm, layout, element, order, array);
    distview_layout_release(layout);
    return status ? status : distview_array_data(*array, data);
}

int make_padded(distview_array** array, double** data, distview_padding_plan** plan) {
    const distview_axis axis = {.extent = 8, .padding_low = 1, .padding_high = 1, .periodic = 1};
    const int grid = 1;
    distview_layout* layout = NULL;
    void* address = NULL;
    int status = distview_layout_create(1, &grid, &axis, &layout);
    if (!status)
        status = distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, array);
    if (!status) status = distview_array_data(*array, &address);
    if (!status) status = distview_padding_plan_create(comm, layout, NULL, plan);
    distview_layout_release(layout);
    *data = address;
    return status;
}

int make_backwards(distview_distribution distribution, int64_t* extent, distview_layout** layout) {
    const distview_axis axis = {
        .kind = DISTVIEW_USER, .extent = *extent, .distribution = distribution, .user = extent};
    const int grid = 1;
    return distview_layout_create(1, &grid, &axis, layout);
}

static int ended;
static void (*release_section)(struct distview_dap_section*);
static void count_release(struct distview_dap_section* section) {
    ++ended;
    release_section(section);
}
int make_counted(distview_array** array) {
    const int64_t extent = 4;
    distview_array* own = NULL;
    void* data = NULL;
    struct distview_dap_section section;
    int status = make_array(1, &extent, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &own, &data);
    if (!status) status = distview_array_export(own, &section);
    distview_array_release(own);
    if (status) return status;
    release_section = section.release;
    section.release = count_release;
    return distview_array_import(comm, &section, array);
}
int ended_arrays(void) { return ended; }

void c_particle_offsets(int64_t* offsets) {
    const size_t of[PARTICLE_MEMBERS + 1] = {offsetof(struct particle, position),
                                             offsetof(struct particle, kind),
                                             offsetof(struct particle, alive),
                                             offsetof(struct particle, tag),
                                             offsetof(struct particle, charge),
                                             offsetof(struct particle, owner),
                                             sizeof(struct particle)};
    for (int i = 0; i <= PARTICLE_MEMBERS; ++i) offsets[i] = (int64_t)of[i];
}
double c_particle_mass(struct particle p) {
    return p.position[0] + 2 * p.position[1] + 4 * p.position[2] + 8 * p.kind + 16 * p.alive +
           (double)p.charge + p.tag[2] + (p.owner ? 1000 : 0);
}
void c_particle_move(struct particle* p) {
    for (int d = 0; d < 3; ++d) p->position[d] += d + 1;
    p->kind = -p->kind;
    p->alive = !p->alive;
    const char first = p->tag[0];
    p->tag[0] = p->tag[2];
    p->tag[2] = first;
    p->charge = -p->charge;
    p->owner = NULL;
}

#define RAW(element, T)                                                                            \
    case element:                                                                                  \
        for (int64_t j = 0; j < a->extents[1]; ++j)                                                \
            for (int64_t i = 0; i < a->extents[0]; ++i)                                            \
                ((T*)a->data)[i + a->extents[0] * j] *= (T)(i + 1 + 10 * (j + 1));                 \
        return DISTVIEW_SUCCESS
int c_raw(const distview_plain_array* a, void* user) {
    (void)user;
    if (a->rank != 2 || a->order != DISTVIEW_COLUMN_MAJOR ||
        a->leading_dimension != a->extents[0] || !a->data)
        return distview_set_error(DISTVIEW_SHAPE_ERROR, NULL, "raw: expected a(m, n) without gaps");
    switch (a->element) {
        RAW(DISTVIEW_INT32, int32_t);
        RAW(DISTVIEW_INT64, int64_t);
        RAW(DISTVIEW_FLOAT32, float);
        RAW(DISTVIEW_FLOAT64, double);
        RAW(DISTVIEW_COMPLEX64, float _Complex);
        RAW(DISTVIEW_COMPLEX128, double _Complex);
    default: return distview_set_error(DISTVIEW_SHAPE_ERROR, NULL, "raw: expected numbers");
    }
}

int c_sum_float64_2(const distview_array* array, double* sum) {
    distview_memory memory;
    const int status = distview_array_memory(array, &memory);
    if (status) return status;
    if (memory.rank != 2 || memory.element != DISTVIEW_FLOAT64) {
        char text[100];
        snprintf(text, sizeof text,
                 "sum_float64_2: expected 2 axes of float64, got %d of element %d", memory.rank,
                 memory.element);
        return distview_set_error(DISTVIEW_SHAPE_ERROR, NULL, text);
    }
    *sum = 0;
    for (int64_t i = 0; i < memory.extents[0]; ++i)
        for (int64_t j = 0; j < memory.extents[1]; ++j)
            *sum += *(double*)((char*)memory.data + i * memory.strides[0] + j * memory.strides[1]);
    return DISTVIEW_SUCCESS;
}

distview_array* c_hold(distview_array* array) { return distview_array_retain(array); }
void c_let_go(distview_array* array) { distview_array_release(array); }

static int fibonacci(const struct fibonacci* asked, int64_t n, int64_t depth, int64_t* value) {
    int64_t before = n, last = 0;
    if (n < 0)
        return distview_set_error(DISTVIEW_OTHER_ERROR, "NegativeValue",
                                  "fibonacci: expected n >= 0");
    if (depth > asked->max_depth)
        return distview_set_error(DISTVIEW_OTHER_ERROR, "TooDeep", "fibonacci: too deep");
    int status = n < 2 ? 0 : fibonacci(asked, n - 1, depth + 1, &before);
    if (!status && n >= 2) status = fibonacci(asked, n - 2, depth + 1, &last);
    if (status) return status;
    *value = before + last;
    if (*value > asked->max_value)
        return distview_set_error(DISTVIEW_OTHER_ERROR, "TooBig", "fibonacci: too big");
    return DISTVIEW_SUCCESS;
}
int c_fibonacci(const distview_plain_array* a, void* user) {
    struct fibonacci* const asked = user;
    (void)a;
    return fibonacci(asked, asked->n, 0, &asked->result);
}

int c_distribution(int64_t index, int* process, int64_t* position, void* user) {
    *process = 0;
    *position = *(int64_t*)user - 1 - index;
    return DISTVIEW_SUCCESS;
}
int c_kernel(int rank, const int64_t* begin, const int64_t* end, void* user) {
    double** const arrays = user;
    if (rank != 1) return DISTVIEW_SHAPE_ERROR;
    for (int64_t i = begin[0]; i < end[0]; ++i) arrays[1][i] = arrays[0][i - 1] + arrays[0][i + 1];
    return DISTVIEW_SUCCESS;
}
int c_combine(void* here, const void* incoming, int32_t element, void* user) {
    (void)user;
    if (element != DISTVIEW_FLOAT64) return DISTVIEW_SHAPE_ERROR;
    *(double*)here = 2 * *(double*)here + *(const double*)incoming;
    return DISTVIEW_SUCCESS;
}
