/* SPDX-License-Identifier: MIT */
/* chunk/pin.h - logical ranges that device I/Os in flight stand on */
#ifndef BD_CHUNK_PIN_H
#define BD_CHUNK_PIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Every device I/O of a read, a heal or a parity update pins its logical range. Freed space is
 * given out or discarded again only when nothing pins it: a read in flight would return another
 * file's data otherwise.
 *
 * Pinning is on the path of every 4 KiB read, so it takes no lock and no memory: a fixed table of
 * counters, one for all 1 MiB ranges that hash to it. A collision only delays the reuse of free
 * space.
 */
#define BD_PIN_SLOTS 4096u
#define BD_PIN_SHIFT 20

struct bd_pins {
	_Atomic uint32_t slots[BD_PIN_SLOTS];
};

static inline uint32_t bd_pin_slot(uint64_t index)
{
	return (uint32_t)((index * 0x9E3779B97F4A7C15ULL) >> 52); /* top 12 bits */
}

/* @length > 0 and small: I/Os are at most some MiB. */
static inline void bd_pin(struct bd_pins *pins, uint64_t logical, uint64_t length)
{
	for (uint64_t i = logical >> BD_PIN_SHIFT; i <= (logical + length - 1) >> BD_PIN_SHIFT; i++)
		atomic_fetch_add_explicit(&pins->slots[bd_pin_slot(i)], 1, memory_order_acquire);
}

static inline void bd_unpin(struct bd_pins *pins, uint64_t logical, uint64_t length)
{
	for (uint64_t i = logical >> BD_PIN_SHIFT; i <= (logical + length - 1) >> BD_PIN_SHIFT; i++)
		atomic_fetch_sub_explicit(&pins->slots[bd_pin_slot(i)], 1, memory_order_release);
}

/* May say true for a range that is not pinned, never false for one that is. */
bool bd_is_pinned(const struct bd_pins *pins, uint64_t logical, uint64_t length);

#endif
