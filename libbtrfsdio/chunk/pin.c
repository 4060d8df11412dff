/* SPDX-License-Identifier: MIT */
/* chunk/pin.c - logical ranges that device I/Os in flight stand on */
#include "chunk/pin.h"

bool bd_is_pinned(const struct bd_pins *pins, uint64_t logical, uint64_t length)
{
	uint64_t first = logical >> BD_PIN_SHIFT;
	uint64_t last = (logical + length - 1) >> BD_PIN_SHIFT;

	if (last - first >= BD_PIN_SLOTS) {
		first = 0;
		last = BD_PIN_SLOTS - 1;
	}
	for (uint64_t i = first; i <= last; i++) {
		uint32_t slot =
			last - first == BD_PIN_SLOTS - 1 ? (uint32_t)(i - first) : bd_pin_slot(i);

		if (atomic_load_explicit(&pins->slots[slot], memory_order_acquire))
			return true;
	}
	return false;
}
