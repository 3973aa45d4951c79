/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef DISTVIEW_DAP_H
#define DISTVIEW_DAP_H

#include <stdint.h>

/*
 * The Distributed Array Protocol for C: one library passes one process's section of a distributed
 * array to another library in the same process, without a copy.
 *
 * The protocol's texts define an exchange of Python dictionaries and leave other languages open.
 * This header defines the exchange for C: the same content as plain structs, similar to DLPack and
 * Arrow's C data interface. It does not need DistView: you may copy the file into your project.
 *
 *     struct distview_dap_section section;
 *     produce(&section);                        // the producer fills it in
 *     double* a = section.data;                 // use it
 *     section.release(&section);                // exactly once, when done
 *
 * The producer fills in every member and keeps all memory that the struct points to valid and unmoved
 * until `release` is called. `release` frees the resources of the exchange (not necessarily the array)
 * and sets `release` to NULL; any thread may call it. A struct whose `release` is NULL is
 * released and must not be used. To move a section, copy the struct bit by bit and set `release`
 * of the old struct to NULL. Neither side throws or prints.
 *
 * Indices, sizes and bounds are those of the protocol: 0-based, half-open, 64-bit. Strides and
 * sizes of memory are in bytes.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* Version of these structs. A consumer refuses another major version after it has called `release`, whose
 * position never changes. A newer minor version has more data in `reserved`, more keys and more flags. */
#define DISTVIEW_DAP_ABI_MAJOR 1
#define DISTVIEW_DAP_ABI_MINOR 0

/* distview_dap_element.kind; the numbers of DLPack's type codes. */
enum {
    DISTVIEW_DAP_INT = 0,
    DISTVIEW_DAP_UINT = 1,
    DISTVIEW_DAP_FLOAT = 2,
    DISTVIEW_DAP_OPAQUE = 3, /* bytes; both sides must know their meaning */
    DISTVIEW_DAP_BFLOAT = 4,
    DISTVIEW_DAP_COMPLEX = 5,
    DISTVIEW_DAP_BOOL = 6
};

/* distview_dap_section.device_type; the numbers of DLPack. */
enum {
    DISTVIEW_DAP_CPU = 1,
    DISTVIEW_DAP_CUDA = 2,
    DISTVIEW_DAP_CUDA_HOST = 3,
    DISTVIEW_DAP_ROCM = 10,
    DISTVIEW_DAP_ROCM_HOST = 11,
    DISTVIEW_DAP_CUDA_MANAGED = 13,
    DISTVIEW_DAP_ONE_API = 14
};

/* distview_dap_section.flags */
enum { DISTVIEW_DAP_READ_ONLY = 1 };

/* distview_dap_dim.keys: the members that are present. An absent key has its default value; a
 * dimension without keys is the protocol's empty dictionary: not distributed (version 0.10). */
enum {
    DISTVIEW_DAP_DIST_TYPE = 1 << 0,
    DISTVIEW_DAP_SIZE = 1 << 1,
    DISTVIEW_DAP_PROC_GRID_SIZE = 1 << 2,
    DISTVIEW_DAP_PROC_GRID_RANK = 1 << 3,
    DISTVIEW_DAP_START = 1 << 4,
    DISTVIEW_DAP_STOP = 1 << 5,
    DISTVIEW_DAP_PADDING = 1 << 6,
    DISTVIEW_DAP_PERIODIC = 1 << 7,
    DISTVIEW_DAP_BLOCK_SIZE = 1 << 8,
    DISTVIEW_DAP_INDICES = 1 << 9,
    DISTVIEW_DAP_ONE_TO_ONE = 1 << 10,
    DISTVIEW_DAP_OTHER_KEYS = 1 << 11 /* keys unknown to the protocol: ignored, but not "no keys" */
};

/* Kind and size of an element, native byte order. The size of a complex number includes both parts. */
struct distview_dap_element {
    int32_t kind;
    int32_t bytes;
};

/* One dimension dictionary. */
struct distview_dap_dim {
    uint32_t keys;
    char dist_type;     /* 'b' block, 'c' cyclic, 'u' unstructured; in 0.9 also 'n' */
    uint8_t periodic;   /* 0 or 1 */
    uint8_t one_to_one; /* 0 or 1 */
    uint8_t reserved;   /* 0 */
    int64_t size;
    int64_t proc_grid_size;
    int64_t proc_grid_rank;
    int64_t start;
    int64_t stop;
    int64_t padding[2]; /* low, high */
    int64_t block_size;
    const int64_t* indices; /* may be NULL if indices_count is 0 */
    int64_t indices_count;
};

/* One process's section. */
struct distview_dap_section {
    uint32_t abi_major; /* at this position in every version */
    uint32_t abi_minor;
    /* at this position in every version; never NULL while the struct is in use */
    void (*release)(struct distview_dap_section* section);
    void* private_data; /* for the producer */

    int32_t version[3]; /* of the protocol: 0, 10, 0 or 0, 9, 0 */
    int32_t ndim;
    const struct distview_dap_dim* dims; /* ndim dictionaries */

    /* Address of element 0 along every axis; may be NULL for a section without elements. Every element's address is a
     * multiple of its size (if complex, of one part's size; at most of 16). Opaque elements may lie anywhere. */
    void* data;
    const int64_t* extents; /* ndim, padding included */
    const int64_t* strides; /* ndim, bytes, may be negative; NULL: C order without gaps */
    struct distview_dap_element element;
    uint32_t flags;
    int32_t device_type;
    int32_t device_id;
    /* Process of this section, and number of processes; -1 if the producer does not know. */
    int32_t process;
    int32_t process_count;
    int32_t reserved0; /* 0 */
    /* Stream whose work may still write the data: 0 none, 1 the legacy default stream, 2 the per-thread
     * default stream, else a cudaStream_t or hipStream_t. */
    uint64_t stream;
    uint64_t reserved[4]; /* 0 */
};

#ifdef __cplusplus
}
#endif

#endif
