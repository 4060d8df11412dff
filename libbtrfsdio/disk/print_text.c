/* SPDX-License-Identifier: MIT */
/* disk/print_text.c - the text sink of the printers */
#include "disk/print_priv.h"

#include <stdarg.h>
#include <stdio.h>

/* Append at @len, never beyond @size > 0; returns the new length, at most @size - 1. */
__attribute__((format(printf, 4, 0))) static size_t append_v(char *buf, size_t size, size_t len,
							     const char *fmt, va_list args)
{
	len += (size_t)vsnprintf(buf + len, size - len, fmt, args);
	return len < size ? len : size - 1;
}

__attribute__((format(printf, 4, 5))) static size_t append(char *buf, size_t size, size_t len,
							   const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	len = append_v(buf, size, len, fmt, args);
	va_end(args);
	return len;
}

size_t bd_bits_text(uint64_t bits, const struct bd_bit_name *names, char *buf, size_t size)
{
	size_t len = 0;

	for (; names->bit; names++) {
		if (bits & names->bit)
			len = append(buf, size, len, "%s%s", len ? "|" : "", names->name);
		bits &= ~names->bit;
	}
	if (bits || !len)
		len = append(buf, size, len, "%s0x%" PRIx64, len ? "|" : "", bits);
	return len;
}

static void write_text(struct bd_text *t, const char *text, size_t len)
{
	if (t->err >= 0 && len)
		t->err = t->out->write(t->out->priv, text, len);
}

void bd_text_put(struct bd_text *t, const char *fmt, ...)
{
	char buf[512]; /* no single call needs more */
	va_list args;

	va_start(args, fmt);
	write_text(t, buf, append_v(buf, sizeof(buf), 0, fmt, args));
	va_end(args);
}

static size_t escape(char *out, uint8_t c)
{
	if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
		out[0] = (char)c;
		return 1;
	}
	return (size_t)snprintf(out, 5, "\\x%02x", c);
}

void bd_text_quoted(struct bd_text *t, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	char buf[128];
	size_t n = 0;

	write_text(t, "\"", 1);
	for (size_t i = 0; i < len; i++) {
		n += escape(buf + n, p[i]);
		if (n > sizeof(buf) - 5 || i + 1 == len) {
			write_text(t, buf, n);
			n = 0;
		}
	}
	write_text(t, "\"", 1);
}

void bd_text_hex(struct bd_text *t, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < len; i++)
		bd_text_put(t, "%02x", p[i]);
}

void bd_text_uuid(struct bd_text *t, const char *name, const uint8_t uuid[BD_UUID_SIZE])
{
	char text[37];

	bd_uuid_text(uuid, text);
	bd_text_put(t, " %s=%s", name, text);
}

void bd_text_key(struct bd_text *t, const char *name, const struct bd_disk_key *key)
{
	struct bd_key k = bd_key_decode(key);
	char text[BD_KEY_TEXT_MAX];

	bd_text_put(t, " %s=%s", name, bd_key_text(&k, text));
}

void bd_text_tree(struct bd_text *t, const char *name, uint64_t objectid)
{
	const char *known = bd_objectid_name(objectid);

	if (known)
		bd_text_put(t, " %s=%s", name, known);
	else
		bd_text_put(t, " %s=%" PRIu64, name, objectid);
}

void bd_text_time(struct bd_text *t, const char *name, const struct bd_disk_timespec *time)
{
	bd_text_put(t, " %s=%" PRId64 ".%09u", name, (int64_t)bd_le64(time->sec),
		    bd_le32(time->nsec));
}

void bd_text_bits(struct bd_text *t, const char *name, uint64_t bits,
		  const struct bd_bit_name *names)
{
	char text[256];

	bd_bits_text(bits, names, text, sizeof(text));
	bd_text_put(t, " %s=%s", name, text);
}

void bd_text_group_type(struct bd_text *t, const char *name, uint64_t flags)
{
	char text[128];

	bd_bg_flags_text(flags, text, sizeof(text));
	bd_text_put(t, " %s=%s", name, text);
}
