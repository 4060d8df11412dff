/* SPDX-License-Identifier: MIT */
/* chunk/raid.h - the RAID profiles as one table, and parity arithmetic */
#ifndef BD_CHUNK_RAID_H
#define BD_CHUNK_RAID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bd_raid_attr {
	uint64_t flag;	   /* BD_BG_* profile bit; 0: single */
	const char *name;  /* as users write it */
	bool striped;	   /* 64 KiB stripes go round the devices */
	uint8_t copies;	   /* places of each byte, parity not counted */
	uint8_t parity;	   /* parity stripes in each full stripe */
	uint8_t tolerated; /* devices that may be missing */
};

/* The row for a chunk's flags; decoded chunks have at most one profile bit. */
const struct bd_raid_attr *bd_raid_attr(uint64_t flags);

/* RAID6's second parity is a sum over powers of 2 in GF(256): no more distinct ones than this. */
#define BD_RAID6_MAX_DATA 255u

/*
 * What to multiply each surviving stripe by to get a lost data stripe back.
 * @ndata: data stripes of the full stripe; @lost: the one wanted, 0..ndata-1
 * @also_lost: another data stripe that cannot be used, or -1
 * @use_p, @use_q: which parity may be used; one is chosen when one suffices (P before Q)
 * @coef: ndata + 2 factors, of the data stripes, P and Q; 0: that stripe is not needed
 * Return: false when it cannot be solved with what is left.
 */
bool bd_raid_solve(unsigned int ndata, unsigned int lost, int also_lost, bool use_p, bool use_q,
		   uint8_t *coef);

/*
 * dst = sum of coef[i] * src[i] over the @n sources. @len: a multiple of 32.
 * Returns 0, or -ENOMEM.
 */
int bd_raid_combine(unsigned int n, const uint8_t *coef, const uint8_t *const *src, size_t len,
		    void *dst);

#endif
