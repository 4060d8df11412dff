/* SPDX-License-Identifier: MIT */
/* base/err.h - an errno with a site, a message and the numbers that belong to it */
#ifndef BD_BASE_ERR_H
#define BD_BASE_ERR_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include "btrfsdio/error.h"

/*
 * Every failure is reported once, where it is found, by BD_FAIL(): it fills the calling
 * thread's error record and evaluates to the negative errno, so that the usual form is
 *
 *	return BD_FAIL(-EUCLEAN, NODE_LEVEL, "corrupt node: logical %llu, level %u", ...);
 *
 * SITE is a bare identifier, used in one place of the source only: a log line with the site
 * names one line of code. Callers pass the errno up unchanged and may add what they know
 * with the bd_err_at_*() functions. The record belongs to one thread; it is copied, never
 * shared, when a failure travels with an asynchronous request.
 *
 * Messages: "corrupt <what>: <identifier>, <reason>[, <bad value>]", lower case, decimal
 * offsets, hex checksums and flags, no full stop, no newline.
 */
#define BD_FAIL(err, site, ...)                                                           \
	({                                                                                \
		const int bd_fail_err = (err); /* visible to the compiler: it is not 0 */ \
		bd_fail(bd_fail_err, #site, __FILE__, __LINE__, __VA_ARGS__);             \
		bd_fail_err;                                                              \
	})

int bd_fail(int err, const char *site, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 5, 6), cold));

/* The calling thread's record. Never NULL; .code is 0 when nothing failed yet. */
struct bdio_error *bd_err_self(void);

void bd_err_clear(void);

/* Add numbers to the record of the failure that is being passed up. */
void bd_err_at_logical(uint64_t logical, uint64_t length);
void bd_err_at_device(uint64_t devid, uint64_t physical);
void bd_err_at_inode(uint64_t subvol, uint64_t inode);
void bd_err_at_file(uint64_t file_offset, uint64_t length);
void bd_err_csums(const uint8_t *expected, const uint8_t *found, unsigned int size);

#endif
