/* SPDX-License-Identifier: MIT */
/* chunk/raid.c - the RAID profiles as one table, and parity arithmetic */
#include "chunk/raid.h"

#include <errno.h>
#include <isa-l.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "disk/format.h"

static const struct bd_raid_attr raid_table[] = {
	{0, "single", false, 1, 0, 0},
	{BD_BG_DUP, "dup", false, 2, 0, 0},
	{BD_BG_RAID0, "raid0", true, 1, 0, 0},
	{BD_BG_RAID1, "raid1", false, 2, 0, 1},
	{BD_BG_RAID1C3, "raid1c3", false, 3, 0, 2},
	{BD_BG_RAID1C4, "raid1c4", false, 4, 0, 3},
	{BD_BG_RAID10, "raid10", true, 2, 0, 1},
	{BD_BG_RAID5, "raid5", true, 1, 1, 1},
	{BD_BG_RAID6, "raid6", true, 1, 2, 2},
};

const struct bd_raid_attr *bd_raid_attr(uint64_t flags)
{
	for (size_t i = 1; i < sizeof(raid_table) / sizeof(raid_table[0]); i++) {
		if (flags & raid_table[i].flag)
			return &raid_table[i];
	}
	return &raid_table[0];
}

/* 2 to the power of @n in the field of polynomial 0x11d, the one that ISA-L and RAID6 use. */
static uint8_t gf_pow2(unsigned int n)
{
	uint8_t v = 1;

	while (n--)
		v = gf_mul(v, 2);
	return v;
}

/*
 * With P = sum Di and Q = sum g^i Di, and x another lost stripe:
 *	Ds = A (P + sum Di) + B (Q + sum g^i Di),  B = 1 / (g^s + g^x),  A = g^x B
 * over the stripes i that are left. With only one lost stripe either equation alone suffices.
 */
bool bd_raid_solve(unsigned int ndata, unsigned int lost, int also_lost, bool use_p, bool use_q,
		   uint8_t *coef)
{
	uint8_t a = 0, b = 0;

	if (also_lost >= 0) {
		if (!use_p || !use_q || ndata > BD_RAID6_MAX_DATA)
			return false;
		b = gf_inv(gf_pow2(lost) ^ gf_pow2((unsigned int)also_lost));
		a = gf_mul(gf_pow2((unsigned int)also_lost), b);
	} else if (use_p) {
		a = 1;
	} else if (use_q && ndata <= BD_RAID6_MAX_DATA) {
		b = gf_inv(gf_pow2(lost));
	} else {
		return false;
	}
	for (unsigned int i = 0; i < ndata; i++) {
		bool gone = i == lost || (int)i == also_lost;

		coef[i] = gone ? 0 : a ^ (b ? gf_mul(b, gf_pow2(i)) : 0);
	}
	coef[ndata] = a;
	coef[ndata + 1] = b;
	return true;
}

int bd_raid_combine(unsigned int n, const uint8_t *coef, const uint8_t *const *src, size_t len,
		    void *dst)
{
	uint8_t *out = dst;
	uint8_t *tables;

	if (n == 1 && coef[0] == 1) {
		memcpy(dst, src[0], len);
		return 0;
	}
	tables = bd_calloc(n, 32);
	if (!tables)
		return BD_FAIL(-ENOMEM, RAID_TABLES, "no memory to rebuild from parity");
	/* ISA-L takes both arrays as non-const, and writes to neither. */
	ec_init_tables((int)n, 1, (unsigned char *)coef, tables);
	ec_encode_data((int)len, (int)n, 1, tables, (unsigned char **)src, &out);
	free(tables);
	return 0;
}
