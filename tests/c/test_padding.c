// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding of borrowed arrays of 1 to 7 axes, in any order and with any strides, against what the layout says of every
// position; memory between the elements stays as it was.

#include "check.h"

#include <math.h>

enum { row, column, gaps, backwards, turned, forms };

// One rank's section of a borrowed array.
typedef struct {
    distview_layout* layout;
    distview_memory memory;
    double* buffer; // of `doubles`
    int64_t doubles;
    int64_t cells;
} section;

static const double untouched = -12345.5;
static const double unfilled = -1.0;

static section make_section(distview_layout* layout, int form) {
    section s = {.layout = layout, .memory = {.element = DISTVIEW_FLOAT64}};
    OK(distview_layout_rank(layout, &s.memory.rank));
    OK(distview_layout_local_extents(layout, check_rank, s.memory.extents));
    const int rank = s.memory.rank;
    // Axes from the fastest to the slowest; each with some elements more than it has if there are gaps.
    int64_t pitch = form == gaps || form == backwards ? 2 : 1;
    s.cells = 1;
    for (int k = 0; k < rank; ++k) {
        const int d = form == column ? k : form == turned ? (k + rank / 2) % rank : rank - 1 - k;
        s.memory.strides[d] = pitch * (int64_t)sizeof(double);
        pitch *= s.memory.extents[d] + (form == gaps || form == backwards ? 1 : 0);
        s.cells *= s.memory.extents[d];
    }
    s.doubles = pitch + 3;
    s.buffer = malloc((size_t)s.doubles * sizeof(double));
    for (int64_t i = 0; i < s.doubles; ++i) s.buffer[i] = untouched;
    s.memory.data = s.buffer + 1;
    if (form == backwards) { // the first axis from its end
        s.memory.data = (char*)s.memory.data + (s.memory.extents[0] - 1) * s.memory.strides[0];
        s.memory.strides[0] = -s.memory.strides[0];
    }
    s.memory.order = form == row      ? DISTVIEW_ROW_MAJOR
                     : form == column ? DISTVIEW_COLUMN_MAJOR
                                      : DISTVIEW_STRIDED;
    return s;
}

// Calls visit for every position: its address, the value that belongs there, and whether this rank has to set it.
typedef void (*visitor)(double* element, double value, int is_set, void* user);
static void for_each_position(const section* s, const distview_axis* axes, visitor visit,
                              void* user) {
    const int rank = s->memory.rank;
    int64_t begin[DISTVIEW_MAX_RANK], end[DISTVIEW_MAX_RANK];
    int64_t inner_begin[DISTVIEW_MAX_RANK], inner_end[DISTVIEW_MAX_RANK];
    OK(distview_layout_owned(s->layout, check_rank, begin, end));
    OK(distview_layout_interior(s->layout, check_rank, inner_begin, inner_end));
    for (int64_t cell = 0; cell < s->cells; ++cell) {
        char* element = s->memory.data;
        double value = 1.0;
        int is_set = 1;
        int64_t rest = cell;
        for (int d = rank - 1; d >= 0; --d) {
            const int64_t at = rest % s->memory.extents[d];
            rest /= s->memory.extents[d];
            element += at * s->memory.strides[d];
            int64_t global;
            OK(distview_layout_to_global(s->layout, check_rank, d, at, &global));
            is_set &= axes[d].periodic ? at >= inner_begin[d] && at < inner_end[d]
                                       : at >= begin[d] && at < end[d];
            if (axes[d].periodic) global = (global + axes[d].extent) % axes[d].extent;
            value = value * 17.0 + (double)(global + 2);
        }
        visit((double*)(void*)element, value, is_set, user);
    }
}
static void set(double* element, double value, int is_set, void* user) {
    *element = (is_set ? value : unfilled) + *(double*)user;
}
static void compare(double* element, double value, int is_set, void* user) {
    (void)is_set;
    CHECK(*element == value + *(double*)user);
    *element = untouched; // so that what is left is what lies between
}
static void check_all(const section* s, const distview_axis* axes, double more) {
    for_each_position(s, axes, compare, &more);
    for (int64_t i = 0; i < s->doubles; ++i) CHECK(s->buffer[i] == untouched);
}

// Strides that say what the order does: descriptors of executions by memory.
static void fill_strides(section* s) {
    distview_communicator* comm;
    distview_array* array;
    OK(distview_communicator_create(MPI_COMM_WORLD, &comm));
    OK(distview_array_borrow_local(comm, s->layout, check_rank, &s->memory, &array));
    distview_memory told;
    OK(distview_array_memory(array, &told));
    CHECK(told.data == s->memory.data && told.rank == s->memory.rank &&
          told.element == s->memory.element);
    memcpy(s->memory.strides, told.strides, sizeof told.strides);
    distview_array_release(array);
    distview_communicator_release(comm);
}

static void test_rank(distview_communicator* comm, int rank) {
    distview_axis axes[DISTVIEW_MAX_RANK] = {{0}};
    for (int d = 0; d < rank; ++d) {
        axes[d].extent = rank == 1 ? 19 : rank < 4 ? 9 - d : 4;
        axes[d].padding_low = 1;
        axes[d].padding_high = rank < 4 ? 1 + d % 2 : d % 2;
        axes[d].periodic = d % 2;
        if (check_size > 4 && rank < 4) axes[d].padding_high = 1;
    }
    distview_layout* const layout = make_layout(rank, axes);
    distview_padding_plan* plan;
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    for (int form = 0; form < forms; ++form) {
        section s = make_section(layout, form);
        fill_strides(&s);
        distview_array* array;
        OK(distview_array_borrow(comm, layout, &s.memory, &array));
        double more = 0.0;
        for_each_position(&s, axes, set, &more);
        OK(distview_padding_plan_execute(plan, 1, &array));
        check_all(&s, axes, more);

        // The same memory by its address, twice; the second time the plan knows it.
        for (int again = 0; again < 2; ++again) {
            more = 0.25 * (again + 1);
            for_each_position(&s, axes, set, &more);
            // What must not be written is not: `set` has written elements only.
            OK(distview_padding_plan_exchange(plan, 1, &s.memory));
            check_all(&s, axes, more);
        }
        OK(distview_padding_plan_forget(plan));
        distview_array_release(array);
        free(s.buffer);
    }
    distview_padding_plan_release(plan);
    distview_layout_release(layout);
}

// Three fields of one exchange: two orders, and float beside double; started and finished.
static void test_several(distview_communicator* comm) {
    const distview_axis axes[2] = {
        {.extent = 14, .padding_low = 1, .padding_high = 2},
        {.extent = 12, .padding_low = 1, .padding_high = 1, .periodic = 1}};
    distview_layout* const layout = make_layout(2, axes);
    section a = make_section(layout, row);
    section b = make_section(layout, backwards);
    fill_strides(&a);
    fill_strides(&b);
    distview_array* arrays[3];
    OK(distview_array_borrow(comm, layout, &a.memory, &arrays[0]));
    OK(distview_array_borrow(comm, layout, &b.memory, &arrays[1]));
    OK(distview_array_create(comm, layout, DISTVIEW_FLOAT32, DISTVIEW_COLUMN_MAJOR, &arrays[2]));
    distview_memory floats;
    OK(distview_array_memory(arrays[2], &floats));
    distview_padding_plan* plan;
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    for (int turn = 0; turn < 3; ++turn) {
        double more = turn;
        for_each_position(&a, axes, set, &more);
        for_each_position(&b, axes, set, &more);
        for (int64_t j = 0; j < floats.extents[1]; ++j)
            for (int64_t i = 0; i < floats.extents[0]; ++i) {
                int process;
                int64_t g[2];
                OK(distview_layout_to_global(layout, check_rank, 0, i, &g[0]));
                OK(distview_layout_to_global(layout, check_rank, 1, j, &g[1]));
                float* const at = (float*)(void*)((char*)floats.data + i * floats.strides[0] +
                                                  j * floats.strides[1]);
                const int is_inside = g[1] >= 0 && g[1] < 12;
                if (is_inside) OK(distview_layout_owner(layout, g, &process));
                *at = is_inside && process == check_rank ? (float)(g[0] * 100 + g[1]) : -1.0f;
            }
        distview_exchange* exchange;
        OK(distview_padding_plan_start(plan, 3, arrays, &exchange));
        int can_finish = -1;
        OK(distview_exchange_can_finish(exchange, &can_finish));
        CHECK(can_finish == 0 || can_finish == 1);
        OK(distview_exchange_finish(exchange));
        FAILS(DISTVIEW_USAGE_ERROR, "called twice", distview_exchange_finish(exchange));
        distview_exchange_release(exchange);
        check_all(&a, axes, more);
        check_all(&b, axes, more);
        for (int64_t j = 0; j < floats.extents[1]; ++j)
            for (int64_t i = 0; i < floats.extents[0]; ++i) {
                int64_t g[2];
                OK(distview_layout_to_global(layout, check_rank, 0, i, &g[0]));
                OK(distview_layout_to_global(layout, check_rank, 1, j, &g[1]));
                const float* const at =
                    (const float*)(const void*)((char*)floats.data + i * floats.strides[0] +
                                                j * floats.strides[1]);
                CHECK(*at == (float)(g[0] * 100 + (g[1] + 12) % 12));
            }
    }
    int64_t length = 0;
    OK(distview_padding_plan_describe(plan, NULL, 0, &length));
    CHECK(length > 40);
    for (int i = 0; i < 3; ++i) distview_array_release(arrays[i]);
    distview_padding_plan_release(plan);
    distview_layout_release(layout);
    free(a.buffer);
    free(b.buffer);
}

static int refuse(void* here, const void* incoming, int32_t element, void* user) {
    (void)here, (void)incoming, (void)element, (void)user;
    return distview_set_error(DISTVIEW_LAYOUT_ERROR, NULL, "refuse: never");
}

static int add_twice(void* here, const void* incoming, int32_t element, void* user) {
    if (element != DISTVIEW_INT32) return DISTVIEW_SHAPE_ERROR;
    *(int32_t*)here += 2 * *(const int32_t*)incoming;
    ++*(int*)user;
    return 0;
}

// Every element of the interior is 1, and so is every copy: combined, an element counts itself and its copies.
static void test_combine(distview_communicator* comm) {
    const distview_axis axis = {.extent = 20, .padding_low = 1, .padding_high = 1, .periodic = 1};
    distview_layout* const layout = make_layout(1, &axis);
    distview_memory memory = {.element = DISTVIEW_INT32, .rank = 1};
    OK(distview_layout_local_extents(layout, check_rank, memory.extents));
    const int64_t n = memory.extents[0];
    int32_t* const data = malloc((size_t)n * sizeof(int32_t));
    memory.data = data;
    distview_array* array;
    OK(distview_array_borrow(comm, layout, &memory, &array));
    distview_padding_plan* plan;
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    int calls = 0, twice = 0;
    OK(distview_operation_create(add_twice, &calls, &twice));
    const int operations[] = {DISTVIEW_SUM, DISTVIEW_MAXIMUM, DISTVIEW_MINIMUM, twice};
    const int32_t at_ends[] = {1 + 3, 3, 1, 1 + 6};
    for (int k = 0; k < 4; ++k) {
        for (int64_t i = 0; i < n; ++i) data[i] = i == 0 || i == n - 1 ? 3 : 1;
        OK(distview_padding_plan_combine(plan, operations[k], 1, &array));
        const int64_t cells = n - 2;
        for (int64_t i = 1; i <= cells; ++i) {
            const int copies = (i == 1) + (i == cells);
            const int32_t expected = copies == 0   ? 1
                                     : copies == 1 ? at_ends[k]
                                                   : 2 * at_ends[k] - 1;
            CHECK(copies < 2 ? data[i] == expected : cells > 1 || data[i] >= 1);
        }
        CHECK(data[0] == 3 && data[n - 1] == 3);
    }
    CHECK(calls == 2);
    // One rank's operation fails: all get its error, and the plan goes on.
    int refused = 0;
    OK(distview_operation_create(check_rank == 0 ? refuse : add_twice, &calls, &refused));
    FAILS(DISTVIEW_LAYOUT_ERROR, "refuse: never",
          distview_padding_plan_combine(plan, refused, 1, &array));
    distview_operation_free(refused);
    FAILS(DISTVIEW_USAGE_ERROR, "expected an operation",
          distview_padding_plan_combine(plan, 77, 1, &array));
    distview_operation_free(twice);
    FAILS(DISTVIEW_USAGE_ERROR, "expected an operation",
          distview_padding_plan_combine(plan, twice, 1, &array));
    distview_array_release(array);
    distview_padding_plan_release(plan);
    distview_layout_release(layout);
    free(data);
}

// A single row, on one rank: the memory of the others, which have no cells, needs no address.
static void test_no_cells(distview_communicator* comm) {
    const distview_axis axes[2] = {{.extent = 1}, {.extent = 4}};
    distview_layout* layout = NULL;
    OK(distview_layout_create(2, (int[]){check_size, 1}, axes, &layout));
    double data[2][4] = {{0}};
    distview_memory fields[2];
    for (int k = 0; k < 2; ++k) {
        fields[k] = (distview_memory){.element = DISTVIEW_FLOAT64, .rank = 2};
        OK(distview_layout_local_extents(layout, check_rank, fields[k].extents));
        fields[k].data = check_rank == 0 ? data[k] : NULL;
    }
    distview_padding_plan* plan;
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    for (int turn = 0; turn < 2; ++turn) OK(distview_padding_plan_exchange(plan, 1, fields));
    // Another one has no other address there: it is new once all have forgotten the first.
    OK(distview_padding_plan_forget(plan));
    for (int turn = 0; turn < 2; ++turn) OK(distview_padding_plan_exchange(plan, 1, fields + 1));
    OK(distview_padding_plan_forget(plan));
    for (int turn = 0; turn < 2; ++turn) OK(distview_padding_plan_exchange(plan, 2, fields));
    distview_padding_plan_release(plan);
    distview_layout_release(layout);
}

typedef struct {
    const double* from;
    double* to;
    int64_t pitch;
    int64_t cells;
    int fails;
} smoothing;

static int smooth(int rank, const int64_t* begin, const int64_t* end, void* user) {
    smoothing* const s = user;
    if (rank != 2) return DISTVIEW_OTHER_ERROR;
    if (s->fails) return distview_set_error(DISTVIEW_SHAPE_ERROR, "TooRough", "smooth: too rough");
    for (int64_t i = begin[0]; i < end[0]; ++i)
        for (int64_t j = begin[1]; j < end[1]; ++j, ++s->cells) {
            const double* const at = s->from + i * s->pitch + j;
            s->to[i * s->pitch + j] = at[-1] + at[1] + at[-s->pitch] + at[s->pitch] - 4 * *at;
        }
    return 0;
}

// Of x * x + 3 y the sum of second differences is 2 everywhere; every cell is computed once.
static void test_apply(distview_communicator* comm) {
    const distview_axis axes[2] = {{.extent = 24, .padding_low = 1, .padding_high = 1},
                                   {.extent = 18, .padding_low = 1, .padding_high = 1}};
    distview_layout* const layout = make_layout(2, axes);
    section a = make_section(layout, row);
    distview_array* array;
    OK(distview_array_borrow(comm, layout, &a.memory, &array));
    double* const to = calloc((size_t)a.cells, sizeof(double));
    distview_padding_plan* plan;
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    int64_t begin[2], end[2];
    OK(distview_layout_owned(layout, check_rank, begin, end));
    for (int64_t i = begin[0]; i < end[0]; ++i)
        for (int64_t j = begin[1]; j < end[1]; ++j) {
            int64_t x, y;
            OK(distview_layout_to_global(layout, check_rank, 0, i, &x));
            OK(distview_layout_to_global(layout, check_rank, 1, j, &y));
            ((double*)a.memory.data)[i * a.memory.extents[1] + j] = (double)(x * x + 3 * y);
        }
    smoothing s = {a.memory.data, to, a.memory.extents[1], 0, 0};
    OK(distview_padding_plan_apply(plan, 1, &array, smooth, &s));
    OK(distview_layout_interior(layout, check_rank, begin, end));
    CHECK(s.cells == (end[0] - begin[0]) * (end[1] - begin[1]));
    for (int64_t i = begin[0]; i < end[0]; ++i)
        for (int64_t j = begin[1]; j < end[1]; ++j) CHECK(to[i * s.pitch + j] == 2.0);
    // One rank's kernel fails: all get its error, and the plan can be used again.
    s.fails = check_rank == check_size - 1;
    FAILS(DISTVIEW_SHAPE_ERROR, "smooth: too rough",
          distview_padding_plan_apply(plan, 1, &array, smooth, &s));
    CHECK(strcmp(distview_last_error()->code, "TooRough") == 0);
    s.fails = 0;
    OK(distview_padding_plan_apply(plan, 1, &array, smooth, &s));
    distview_array_release(array);
    distview_padding_plan_release(plan);
    distview_layout_release(layout);
    free(a.buffer);
    free(to);
}

static void expect_depth(const distview_array* array, int64_t depth, int has_corners) {
    int64_t depths[4] = {-1, -1, -1, -1};
    int corners = -1;
    OK(distview_array_valid_padding(array, depths, &corners));
    for (int k = 0; k < 4; ++k) CHECK(depths[k] == depth);
    CHECK(corners == has_corners);
}

static int touch(const distview_plain_array* a, void* user) {
    (void)a, (void)user;
    return 0;
}

// What is known of padding, what makes it old, and that old padding alone is exchanged.
static void test_require(distview_communicator* comm) {
    const distview_axis axes[2] = {
        {.extent = 24, .padding_low = 2, .padding_high = 2, .periodic = 1},
        {.extent = 20, .padding_low = 2, .padding_high = 2, .periodic = 1}};
    distview_layout* const layout = make_layout(2, axes);
    section s = make_section(layout, row);
    fill_strides(&s);
    distview_array* arrays[2];
    OK(distview_array_borrow(comm, layout, &s.memory, &arrays[0]));
    OK(distview_array_create(comm, layout, DISTVIEW_INT16, DISTVIEW_ROW_MAJOR, &arrays[1]));
    distview_padding_plan* plan;
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    int exchanged = -1;
    double more = 0.0;
    expect_depth(arrays[0], 0, 0);
    for_each_position(&s, axes, set, &more);
    OK(distview_padding_plan_require(plan, 1, 1, 2, arrays, &exchanged));
    CHECK(exchanged == 1);
    expect_depth(arrays[0], 2, 1); // as deep as the plan fills it
    expect_depth(arrays[1], 2, 1);
    check_all(&s, axes, more);
    for (int64_t depth = 0; depth <= 2; ++depth) { // nothing was written since
        OK(distview_padding_plan_require(plan, depth, 2, 2, arrays, &exchanged));
        CHECK(exchanged == 0);
    }
    for_each_position(&s, axes, set, &more);
    OK(distview_padding_plan_require(plan, 1, 1, 1, arrays, NULL));
    CHECK(*s.buffer == untouched && ((double*)s.memory.data)[0] == unfilled); // it was not told
    OK(distview_array_mark_written(arrays[0]));
    expect_depth(arrays[0], 0, 0);
    expect_depth(arrays[1], 2, 1);
    OK(distview_padding_plan_require(plan, 1, 1, 1, arrays, &exchanged));
    CHECK(exchanged == 1);
    check_all(&s, axes, more);

    // The program has filled some itself.
    const int64_t shallow[4] = {1, 1, 1, 1};
    const int64_t none[4] = {1, 1, 1, -1};
    OK(distview_array_mark_padding_valid(arrays[0], shallow, 1));
    expect_depth(arrays[0], 1, 1);
    OK(distview_padding_plan_require(plan, 1, 1, 1, arrays, &exchanged));
    CHECK(exchanged == 0);
    OK(distview_padding_plan_require(plan, 1, 2, 1, arrays, &exchanged));
    CHECK(exchanged == 1);
    FAILS(DISTVIEW_USAGE_ERROR, "at least 0 along axis 1, got (1, -1)",
          distview_array_mark_padding_valid(arrays[0], none, 1));
    expect_depth(arrays[0], 2, 1);

    // Writes that the library sees.
    distview_layout* const same = make_layout(2, (distview_axis[]){{.extent = 24}, {.extent = 20}});
    distview_array *from, *const written = arrays[1];
    distview_redistribution_plan* move;
    distview_index_list* list;
    OK(distview_array_create(comm, same, DISTVIEW_INT16, DISTVIEW_ROW_MAJOR, &from));
    OK(distview_redistribution_plan_create(comm, same, layout, NULL, &move));
    OK(distview_index_list_create(2, &list));
    const int64_t corner[2] = {0, 0}, beside[2] = {1, 1};
    const int16_t one = 1;
    int16_t* const whole = calloc(24 * 20, sizeof *whole);
    for (int kind = 0; kind < 9; ++kind) {
        OK(distview_padding_plan_execute(plan, 1, &arrays[1]));
        expect_depth(written, 2, 1);
        const int reads = kind == 7;
        distview_local_copy_options options = {.intent = reads ? DISTVIEW_IN : DISTVIEW_INOUT};
        switch (kind) {
        case 0: OK(distview_redistribution_plan_execute(move, from, written)); break;
        case 1: OK(distview_scatter(written, 0, DISTVIEW_ROW_MAJOR, 24 * 20, whole)); break;
        case 2: OK(distview_put_box(written, corner, beside, 1, &one)); break;
        case 3: OK(distview_accumulate_box(written, DISTVIEW_SUM, corner, beside, 1, &one)); break;
        case 4: OK(distview_put_elements(written, list, 0, NULL)); break;
        case 5: OK(distview_padding_plan_combine(plan, DISTVIEW_SUM, 1, &arrays[1])); break;
        case 6:
        case 7: OK(distview_with_local_copy(written, &options, touch, NULL, NULL)); break;
        default: OK(distview_with_local_copy_of_whole(written, 0, &options, touch, NULL, NULL));
        }
        expect_depth(written, reads ? 2 : 0, reads);
    }
    free(whole);

    FAILS(DISTVIEW_USAGE_ERROR, "expected depths in [0, 2] and [0, 2]",
          distview_padding_plan_require(plan, 3, 1, 1, arrays, &exchanged));
    FAILS(DISTVIEW_USAGE_ERROR, "got (-1, 1)",
          distview_padding_plan_require(plan, -1, 1, 1, arrays, &exchanged));
    FAILS(DISTVIEW_USAGE_ERROR, "a plan, got a null pointer",
          distview_padding_plan_require(NULL, 1, 1, 1, arrays, &exchanged));
    FAILS(DISTVIEW_USAGE_ERROR, "an array, got a null pointer", distview_array_mark_written(NULL));
    FAILS(DISTVIEW_USAGE_ERROR, "a place for the depths, got a null pointer",
          distview_array_valid_padding(arrays[0], NULL, NULL));
    distview_padding_plan* other;
    OK(distview_padding_plan_create(comm, layout, NULL, &other));
    OK(distview_padding_plan_execute(other, 1, arrays));
    FAILS(DISTVIEW_SHAPE_ERROR, "the plan is for a",
          distview_padding_plan_require(other, 1, 1, 1, &from, &exchanged));

    // One rank alone was told of a write: it finds that its neighbours do not exchange.
    if (check_size == 2) {
        if (check_rank == 1) OK(distview_array_mark_written(arrays[0]));
        const int status = distview_padding_plan_require(other, 1, 1, 1, arrays, &exchanged);
        if (check_rank == 1)
            CHECK(status == DISTVIEW_USAGE_ERROR &&
                  strstr(distview_last_error()->message, "require, nothing to fill on rank 0"));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    distview_padding_plan_release(other);
    distview_index_list_release(list);
    distview_redistribution_plan_release(move);
    distview_array_release(from);
    distview_layout_release(same);
    distview_array_release(arrays[0]);
    distview_array_release(arrays[1]);
    distview_padding_plan_release(plan);
    distview_layout_release(layout);
    free(s.buffer);
}

// What was computed of padding that is not valid is found where it is taken, while the mode is on.
static void test_checking(distview_communicator* comm) {
    CHECK(distview_current_check() == DISTVIEW_CHECK_NOTHING);
    FAILS(DISTVIEW_USAGE_ERROR, "distview_set_check: expected a distview_check in [0, 2), got 2",
          distview_set_check(2));
    const distview_axis axis = {.extent = 24, .padding_low = 1, .padding_high = 1, .periodic = 1};
    distview_layout* const layout = make_layout(1, &axis);
    int64_t n;
    OK(distview_layout_local_extents(layout, check_rank, &n));
    distview_padding_plan* plan;
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    for (int on = 1; on >= 0; --on) {
        OK(distview_set_check(on ? DISTVIEW_CHECK_PADDING : DISTVIEW_CHECK_NOTHING));
        CHECK(distview_current_check() == on);
        distview_array* arrays[2];
        double* cells[2];
        for (int k = 0; k < 2; ++k) {
            OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR,
                                     &arrays[k]));
            OK(distview_array_data(arrays[k], (void**)&cells[k]));
        }
        OK(distview_array_set_label(arrays[1], "height"));
        FAILS(DISTVIEW_USAGE_ERROR, "a label", distview_array_set_label(arrays[1], NULL));
        OK(distview_padding_plan_execute(plan, 1, arrays));
        for (int exchanged = 0; exchanged < 2; ++exchanged) {
            distview_value sum;
            for (int64_t i = 1; i < n - 1; ++i) cells[0][i] = 1.0;
            OK(distview_array_mark_written(arrays[0]));
            if (exchanged) OK(distview_padding_plan_require(plan, 1, 1, 1, arrays, NULL));
            for (int64_t i = 1; i < n - 1; ++i) cells[1][i] = cells[0][i - 1] + cells[0][i + 1];
            OK(distview_array_mark_written(arrays[1]));
            if (on && !exchanged) {
                FAILS(DISTVIEW_USAGE_ERROR, "not computed from invalid padding",
                      distview_sum(arrays[1], NULL, &sum));
                FAILS(DISTVIEW_USAGE_ERROR, " of 'height'", distview_sum(arrays[1], NULL, &sum));
                OK(distview_array_set_label(arrays[1], "depth"));
                FAILS(DISTVIEW_USAGE_ERROR, " of 'depth'", distview_sum(arrays[1], NULL, &sum));
                continue;
            }
            OK(distview_sum(arrays[1], NULL, &sum));
            CHECK(exchanged == (sum.real == 48.0));
        }
        distview_array_release(arrays[0]);
        distview_array_release(arrays[1]);
    }
    distview_padding_plan_release(plan);
    distview_layout_release(layout);
}

// The same of whole numbers, which reductions convert, and of what is gathered.
static void test_checking_copies(distview_communicator* comm) {
    const distview_axis axis = {.extent = 24, .padding_low = 1, .padding_high = 1, .periodic = 1};
    distview_layout* const layout = make_layout(1, &axis);
    const int types[] = {DISTVIEW_FLOAT64, DISTVIEW_FLOAT32, DISTVIEW_INT32, DISTVIEW_UINT32,
                         DISTVIEW_INT64};
    const char* const part = "not computed from invalid padding";
    int64_t n;
    OK(distview_layout_local_extents(layout, check_rank, &n));
    OK(distview_set_check(DISTVIEW_CHECK_PADDING));
    for (int t = 0; t < 5; ++t) {
        const int64_t bytes = types[t] % (1 << 24);
        distview_array *array, *computed;
        char *cells, *results;
        double whole[24], norm;
        distview_value value;
        OK(distview_array_create(comm, layout, types[t], DISTVIEW_ROW_MAJOR, &array));
        OK(distview_array_create(comm, layout, types[t], DISTVIEW_ROW_MAJOR, &computed));
        OK(distview_array_data(array, (void**)&cells));
        OK(distview_array_data(computed, (void**)&results));
        distview_padding_plan* plan;
        OK(distview_padding_plan_create(comm, layout, NULL, &plan));
        OK(distview_padding_plan_execute(plan, 1, &array));
        memset(cells + bytes, 1, (size_t)(bytes * (n - 2)));
        OK(distview_array_mark_written(array));
        OK(distview_array_mark_written(computed));
        OK(distview_sum(computed, NULL, &value));
        OK(distview_gather(computed, 0, DISTVIEW_ROW_MAJOR, 24, whole));
        // Of one rank, of padding that became invalid.
        if (check_rank == check_size - 1) memcpy(results + bytes, cells, (size_t)bytes);
        OK(distview_array_mark_written(computed));
        FAILS(DISTVIEW_USAGE_ERROR, part, distview_sum(computed, NULL, &value));
        FAILS(DISTVIEW_USAGE_ERROR, part, distview_min(computed, NULL, &value, NULL));
        FAILS(DISTVIEW_USAGE_ERROR, part, distview_dot(array, computed, NULL, &value));
        FAILS(DISTVIEW_USAGE_ERROR, part, distview_norm(computed, 2, NULL, &norm));
        FAILS(DISTVIEW_USAGE_ERROR, part,
              distview_gather(computed, 0, DISTVIEW_ROW_MAJOR, 24, whole));
        OK(distview_scatter(computed, 0, DISTVIEW_ROW_MAJOR, 24, whole));
        OK(distview_sum(computed, NULL, &value));
        distview_padding_plan_release(plan);
        distview_array_release(array);
        distview_array_release(computed);
    }
    OK(distview_set_check(DISTVIEW_CHECK_NOTHING));
    distview_layout_release(layout);
}

// Grids for nodes that are made up, and for those that there are.
static void test_placement(distview_communicator* comm) {
    const distview_axis square[2] = {{.extent = 64, .padding_low = 1, .padding_high = 1},
                                     {.extent = 64, .padding_low = 1, .padding_high = 1}};
    // Ranks are dealt out to 2 nodes of 8 each: those of a node become neighbours.
    int nodes[16], ranks[16];
    for (int r = 0; r < 16; ++r) nodes[r] = r % 2;
    distview_grid_placement placed;
    OK(distview_place_on_nodes(16, nodes, 2, square, DISTVIEW_BOX, &placed, ranks));
    CHECK(placed.grid[0] * placed.grid[1] == 16 && placed.grid[2] == 0);
    CHECK(placed.between_nodes > 0 && placed.between_nodes < placed.between_nodes_of_balanced);
    int seen = 0;
    for (int p = 0; p < 16; ++p) seen |= 1 << ranks[p];
    CHECK(seen == 0xffff);
    FAILS(DISTVIEW_LAYOUT_ERROR, "at least 1 rank, got 0",
          distview_place_on_nodes(0, nodes, 2, square, DISTVIEW_BOX, &placed, ranks));
    FAILS(DISTVIEW_LAYOUT_ERROR, "from 1 to 8 axes, got 9",
          distview_place_on_nodes(16, nodes, 9, square, DISTVIEW_BOX, &placed, ranks));
    FAILS(DISTVIEW_LAYOUT_ERROR, "got the kind 4",
          distview_place_on_nodes(16, nodes, 1, &(distview_axis){.kind = DISTVIEW_UNSTRUCTURED},
                                  DISTVIEW_BOX, &placed, ranks));
    FAILS(DISTVIEW_USAGE_ERROR, "stencil",
          distview_place_on_nodes(16, nodes, 2, square, 7, &placed, ranks));

    // On one node nothing changes; an order of the program's turns the ranks round.
    OK(distview_communicator_nodes(comm, nodes));
    for (int r = 0; r < check_size; ++r) CHECK(nodes[r] == 0);
    OK(distview_place_on_nodes(check_size, nodes, 2, square, DISTVIEW_FACES, &placed, ranks));
    int balanced[2];
    OK(distview_balanced_grid(check_size, 2, balanced));
    CHECK(placed.grid[0] == balanced[0] && placed.grid[1] == balanced[1]);
    CHECK(placed.between_nodes == 0);
    for (int r = 0; r < check_size; ++r) CHECK(ranks[r] == r);
    for (int r = 0; r < check_size; ++r) ranks[r] = check_size - 1 - r;
    MPI_Comm ordered = MPI_COMM_NULL;
    int handle = 0, rank = -1;
    OK(distview_communicator_order_ranks(comm, ranks, &ordered));
    MPI_Comm_rank(ordered, &rank);
    CHECK(rank == check_size - 1 - check_rank);
    MPI_Comm_free(&ordered);
    OK(distview_communicator_order_ranks_f(comm, ranks, &handle));
    ordered = MPI_Comm_f2c(handle);
    MPI_Comm_rank(ordered, &rank);
    CHECK(rank == check_size - 1 - check_rank);
    MPI_Comm_free(&ordered);
    ranks[0] = check_size;
    FAILS(DISTVIEW_USAGE_ERROR, "rank", distview_communicator_order_ranks(comm, ranks, &ordered));
    FAILS(DISTVIEW_USAGE_ERROR, "ranks, got a null pointer",
          distview_communicator_order_ranks(comm, check_rank == 0 ? NULL : ranks, &ordered));
    FAILS(DISTVIEW_USAGE_ERROR, "a place for the nodes, got a null pointer",
          distview_communicator_nodes(comm, NULL));
}

// What a plan of a communicator with a report did is in a file once the communicator is closed.
static void test_report(void) {
    const distview_axis axis = {.extent = 40, .padding_low = 1, .padding_high = 1, .periodic = 1};
    char name[64] = "";
    if (check_rank == 0)
        snprintf(name, sizeof name, "c_report_%d_%p.json", check_size, (void*)name);
    MPI_Comm mpi;
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi);
    distview_communicator* comm;
    distview_array* array;
    distview_padding_plan* plan;
    OK(distview_communicator_create(mpi, &comm));
    OK(distview_communicator_set_report(comm, check_rank == 0 ? name : "of rank 0 alone"));
    distview_layout* const layout = make_layout(1, &axis);
    OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &array));
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    for (int turn = 0; turn < 7; ++turn) OK(distview_padding_plan_execute(plan, 1, &array));
    distview_padding_plan_release(plan);
    distview_array_release(array);
    distview_layout_release(layout);
    OK(distview_communicator_close(comm));
    FAILS(DISTVIEW_USAGE_ERROR, "after close()", distview_communicator_set_report(comm, "late"));
    distview_communicator_release(comm);
    MPI_Comm_free(&mpi);
    if (check_rank != 0) return;
    char line[4096];
    int has_plan = 0;
    FILE* const file = fopen(name, "r");
    CHECK(file != NULL);
    while (file && fgets(line, sizeof line, file))
        has_plan |= strstr(line, "PaddingExchangePlan") && strstr(line, "\"executions\": 7");
    CHECK(has_plan);
    if (file) fclose(file);
    remove(name);
}

int main(int argc, char** argv) {
    distview_communicator* comm;
    check_begin(&argc, &argv, &comm);
    for (int rank = 1; rank <= 7; ++rank) test_rank(comm, rank);
    test_several(comm);
    test_combine(comm);
    test_no_cells(comm);
    test_apply(comm);
    test_require(comm);
    test_checking(comm);
    test_checking_copies(comm);
    test_placement(comm);
    test_report();
    return check_end(comm);
}
