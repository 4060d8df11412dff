/* SPDX-License-Identifier: MIT */
/* api/args.c - checks that every public call needs */
#include "api/args.h"

#include <stdint.h>
#include <string.h>

bool bd_is_zero(const void *mem, size_t size)
{
	const uint8_t *bytes = mem;

	for (size_t i = 0; i < size; i++) {
		if (bytes[i])
			return false;
	}
	return true;
}

int bd_opts_copy(void *ours, size_t our_size, const void *theirs, size_t their_size)
{
	const uint8_t *bytes = theirs;

	memset(ours, 0, our_size);
	if (!theirs)
		return 0;
	/* the size field itself is the least that there can be */
	if (their_size < sizeof(size_t) || their_size > 4096)
		return BD_EINVAL(OPTS_SIZE, "size of an option struct");
	if (their_size > our_size && !bd_is_zero(bytes + our_size, their_size - our_size))
		return BD_EINVAL(OPTS_UNKNOWN, "an option that this version does not know");
	memcpy(ours, theirs, their_size < our_size ? their_size : our_size);
	return 0;
}
