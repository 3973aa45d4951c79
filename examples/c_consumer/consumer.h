/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef C_CONSUMER_CONSUMER_H
#define C_CONSUMER_CONSUMER_H

#include <distview/dap.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Prints the position of the section in the whole array, adds up the elements that the process owns, and
 * releases the section. Returns 0, or 1 if it is not an array of doubles that this function understands. */
int consume(struct distview_dap_section* section, double* sum);

#ifdef __cplusplus
}
#endif

#endif
