/* SPDX-License-Identifier: MIT */
/* tools/print.c - names, sizes, times and modes as text */
#include "print.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Bytes of the character that begins with @first; 0: none does. */
static size_t utf8_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >> 5 == 6)
		return 2;
	if (first >> 4 == 14)
		return 3;
	return first >> 3 == 30 ? 4 : 0;
}

size_t utf8_char(const char *text, size_t len, uint32_t *out)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *bytes = (const unsigned char *)text;
	size_t need = len > 0 ? utf8_length(bytes[0]) : 0;

	if (need == 0 || need > len)
		return 0;
	uint32_t value = need == 1 ? bytes[0] : bytes[0] & (0x7fu >> need);
	for (size_t i = 1; i < need; i++) {
		if (bytes[i] >> 6 != 2)
			return 0;
		value = value << 6 | (bytes[i] & 0x3f);
	}
	if (value < smallest[need] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	if (out)
		*out = value;
	return need;
}

/* Controls, and the marks that reorder or break a line. */
static bool is_harmless(uint32_t c)
{
	return c >= 0x20 && c != 0x7f && !(c >= 0x80 && c < 0xa0) &&
	       !(c >= 0x200b && c <= 0x200f) && !(c >= 0x2028 && c <= 0x202e) &&
	       !(c >= 0x2060 && c <= 0x206f) && c != 0xfeff;
}

void print_escaped(FILE *out, const char *text, size_t len)
{
	while (len > 0) {
		uint32_t c;
		size_t used = utf8_char(text, len, &c);
		if (used && c == '\\') {
			fputs("\\\\", out);
		} else if (used && is_harmless(c)) {
			fwrite(text, 1, used, out);
		} else {
			used = used ? used : 1;
			for (size_t i = 0; i < used; i++)
				fprintf(out, "\\x%02x", (unsigned char)text[i]);
		}
		text += used;
		len -= used;
	}
}

char *uuid_text(const uint8_t uuid[16], char buf[UUID_TEXT_MAX])
{
	char *at = buf;

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*at++ = '-';
		at += sprintf(at, "%02x", uuid[i]);
	}
	return buf;
}

static char type_letter(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return '-';
	case S_IFDIR:
		return 'd';
	case S_IFLNK:
		return 'l';
	case S_IFCHR:
		return 'c';
	case S_IFBLK:
		return 'b';
	case S_IFIFO:
		return 'p';
	case S_IFSOCK:
		return 's';
	default:
		return '?';
	}
}

char *mode_text(uint32_t mode, char buf[MODE_TEXT_MAX])
{
	static const char letters[] = "rwxrwxrwx";

	buf[0] = type_letter(mode);
	for (int i = 0; i < 9; i++)
		buf[1 + i] = mode & (0400u >> i) ? letters[i] : '-';
	if (mode & S_ISUID)
		buf[3] = mode & 0100 ? 's' : 'S';
	if (mode & S_ISGID)
		buf[6] = mode & 0010 ? 's' : 'S';
	if (mode & S_ISVTX)
		buf[9] = mode & 0001 ? 't' : 'T';
	buf[10] = '\0';
	return buf;
}

char *size_text(uint64_t bytes, char buf[SIZE_TEXT_MAX])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned int unit = 0;
	double value = (double)bytes;

	/* Two decimals are shown: what would round up to 1024.00 already gets the next unit. */
	for (; value >= 1023.995; unit++)
		value /= 1024;
	snprintf(buf, SIZE_TEXT_MAX, unit ? "%.2f %s" : "%.0f %s", value, units[unit]);
	return buf;
}

char *time_text(const struct bdio_timespec *time, char buf[TIME_TEXT_MAX])
{
	time_t sec = (time_t)time->sec;
	struct tm tm;

	if (!localtime_r(&sec, &tm)) {
		snprintf(buf, TIME_TEXT_MAX, "@%" PRId64 ".%09" PRIu32, time->sec, time->nsec);
		return buf;
	}
	size_t len = strftime(buf, TIME_TEXT_MAX, "%Y-%m-%d %H:%M:%S", &tm);
	len += (size_t)snprintf(buf + len, TIME_TEXT_MAX - len, ".%09" PRIu32, time->nsec);
	strftime(buf + len, TIME_TEXT_MAX - len, " %z", &tm);
	return buf;
}

char *short_time_text(const struct bdio_timespec *time, char buf[TIME_TEXT_MAX])
{
	time_t sec = (time_t)time->sec;
	struct tm tm;

	if (localtime_r(&sec, &tm))
		strftime(buf, TIME_TEXT_MAX, "%Y-%m-%d %H:%M:%S", &tm);
	else
		snprintf(buf, TIME_TEXT_MAX, "@%" PRId64, time->sec);
	return buf;
}

const char *mode_type_name(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "regular file";
	case S_IFDIR:
		return "directory";
	case S_IFLNK:
		return "symbolic link";
	case S_IFCHR:
		return "character device";
	case S_IFBLK:
		return "block device";
	case S_IFIFO:
		return "fifo";
	case S_IFSOCK:
		return "socket";
	default:
		return "unknown";
	}
}

const char *ftype_name(unsigned int type)
{
	static const char *const names[] = {
		[BDIO_FT_UNKNOWN] = "unknown", [BDIO_FT_FILE] = "file",
		[BDIO_FT_DIR] = "dir",	       [BDIO_FT_CHRDEV] = "chrdev",
		[BDIO_FT_BLKDEV] = "blkdev",   [BDIO_FT_FIFO] = "fifo",
		[BDIO_FT_SOCK] = "socket",     [BDIO_FT_SYMLINK] = "symlink",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : names[BDIO_FT_UNKNOWN];
}

const char *bg_profile_name(uint64_t flags)
{
	static const struct {
		uint64_t flag;
		const char *name;
	} profiles[] = {
		{BDIO_BG_RAID0, "raid0"},     {BDIO_BG_RAID1, "raid1"},
		{BDIO_BG_DUP, "dup"},	      {BDIO_BG_RAID10, "raid10"},
		{BDIO_BG_RAID5, "raid5"},     {BDIO_BG_RAID6, "raid6"},
		{BDIO_BG_RAID1C3, "raid1c3"}, {BDIO_BG_RAID1C4, "raid1c4"},
	};

	for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++) {
		if (flags & profiles[i].flag)
			return profiles[i].name;
	}
	return "single";
}

char *bg_type_text(uint64_t flags, char buf[BG_TEXT_MAX])
{
	snprintf(buf, BG_TEXT_MAX, "%s%s%s%s", flags & BDIO_BG_DATA ? "data|" : "",
		 flags & BDIO_BG_SYSTEM ? "system|" : "",
		 flags & BDIO_BG_METADATA ? "metadata|" : "", bg_profile_name(flags));
	return buf;
}

void print_hex(FILE *out, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		fprintf(out, "%02x", ((const unsigned char *)bytes)[i]);
}
