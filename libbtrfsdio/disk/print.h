/* SPDX-License-Identifier: MIT */
/* disk/print.h - on-disk structures as text, for people who debug */
#ifndef BD_DISK_PRINT_H
#define BD_DISK_PRINT_H

#include <stddef.h>
#include "disk/key.h"
#include "disk/super.h"

/* Receives text in pieces, not terminated; a negative return stops the printer, which returns it.
 */
struct bd_printer {
	int (*write)(void *priv, const char *text, size_t len);
	void *priv;
};

#define BD_KEY_TEXT_MAX 80
/* "(256 INODE_ITEM 0)", with names for well-known objectids and types; returns @buf. */
char *bd_key_text(const struct bd_key *key, char buf[BD_KEY_TEXT_MAX]);
/* "INODE_ITEM"; NULL when unknown. */
const char *bd_key_type_name(uint8_t type);
/* "ROOT_TREE", ...; NULL when it is an ordinary number. */
const char *bd_objectid_name(uint64_t objectid);
/* "DATA|RAID1"; "DATA|single" when there is no profile bit. @size > 0 */
void bd_bg_flags_text(uint64_t flags, char *buf, size_t size);
void bd_uuid_text(const uint8_t uuid[BD_UUID_SIZE], char buf[37]);

int bd_print_super(const struct bd_printer *out, const struct bd_super *super);
/* A block that bd_node_check_body() accepted: header, then every item or pointer. */
int bd_print_node(const struct bd_printer *out, const struct bd_super *super, const void *block);

#endif
