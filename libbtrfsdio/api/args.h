/* SPDX-License-Identifier: MIT */
/* api/args.h - checks that every public call needs */
#ifndef BD_API_ARGS_H
#define BD_API_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * Copy a caller's option struct of its own size into ours, zeroing what it does not have. A
 * caller compiled against a later header may pass more, as long as that is zero.
 * Return: 0; -EINVAL (reported).
 */
int bd_opts_copy(void *ours, size_t our_size, const void *theirs, size_t their_size);

bool bd_is_zero(const void *mem, size_t size);

#define BD_EINVAL(site, what) BD_FAIL(-EINVAL, site, "invalid argument: %s", what)

#endif
