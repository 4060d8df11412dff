/* SPDX-License-Identifier: MIT */
/* fuzz/fuzz_image.c - whole images: a base with changes is opened, walked and read */
#include <stdlib.h>
#include "mutate.h"
#include "walk.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	bases_load((*argv)[0]);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return mutate_program(data, size, max, seed);
}

static uint64_t open_flags(const struct head *head)
{
	return (head->flags & HEAD_DEGRADED || head->missing ? BDIO_OPEN_DEGRADED : 0) |
	       (head->flags & HEAD_SALVAGE ? BDIO_OPEN_SALVAGE : 0) |
	       (head->flags & HEAD_NO_VERIFY ? BDIO_OPEN_NO_VERIFY : 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct head head;
	const struct base *base = mutate(data, size, &head);
	unsigned int all = (1u << base->num_devices) - 1, missing = head.missing & all;
	struct bdio_fs *fs;

	if (missing == all)
		missing = 0;
	if (overlay_open(open_flags(&head), missing, &fs) == 0) {
		walk_everything(fs);
		bdio_close(fs);
	}
	/* opened or not: each device is let go exactly once */
	if (overlay_closes() != base->num_devices - (unsigned int)__builtin_popcount(missing))
		abort();
	return 0;
}
