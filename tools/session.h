/* SPDX-License-Identifier: MIT */
/* tools/session.h - the filesystem that a command works on, opened as its options say */
#ifndef BTRFSDIO_TOOLS_SESSION_H
#define BTRFSDIO_TOOLS_SESSION_H

#include "btrfsdio/btrfsdio.h"
#include "options.h"

struct session {
	struct bdio_fs *fs;
	struct bdio_fs_info info;
	struct bdio_ino root; /* where paths start */
};

/* The work of a command. Reports its failures. Return: the exit status. */
typedef int (*session_fn)(const struct session *session, const struct options *options,
			  void *input);

/*
 * Open the filesystem, run, close. Says on stderr what a user has to know about the state that is
 * read: a log that was not applied, missing devices, damaged superblocks.
 * Return: the exit status.
 */
int session_work(const struct options *options, session_fn run, void *input);

/* What every command does: parse its line, session_work() with syntax->input, free. */
int session_run(const struct syntax *syntax, int argc, char **argv, session_fn run);

/*
 * Look a path of the command line up; a slash at its end follows a symlink. Failures are
 * reported. Return: 0 or a negative errno.
 */
int session_lookup(const struct session *session, const char *path, unsigned int flags,
		   struct bdio_ino *out);

/* A symlink's target, allocated, not terminated. NULL after reporting at @path. */
char *session_readlink(const struct session *session, struct bdio_ino ino, const char *path,
		       size_t *len);

#endif
