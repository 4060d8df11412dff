/* SPDX-License-Identifier: MIT */
/* tools/info_json.h - `btrfsdio info --json` */
#ifndef BTRFSDIO_TOOLS_INFO_JSON_H
#define BTRFSDIO_TOOLS_INFO_JSON_H

#include <stdio.h>
#include "session.h"

/* Return: 0; -errno when a part could not be read, after reporting; the rest is there. */
int info_json(const struct session *session, FILE *out);

#endif
