/* SPDX-License-Identifier: MIT */
/* tools/cmd_stat.c - attributes of files */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "commands.h"
#include "json.h"
#include "print.h"
#include "report.h"
#include "session.h"

struct stat_command {
	bool dereference;
	const struct session *session;
	struct json *json; /* NULL: text */
};

/* What is known about one file; every pointer is allocated and may be NULL. */
struct facts {
	struct bdio_stat stat;
	char *target;
	size_t target_len;
	char *xattrs; /* names, each terminated */
	size_t xattrs_len;
};

static const struct {
	uint64_t flag;
	const char *name;
} inode_flags[] = {
	{BDIO_INODE_NODATASUM, "nodatasum"},
	{BDIO_INODE_NODATACOW, "nodatacow"},
	{BDIO_INODE_NOCOMPRESS, "nocompress"},
	{BDIO_INODE_PREALLOC, "prealloc"},
	{BDIO_INODE_SYNC, "sync"},
	{BDIO_INODE_IMMUTABLE, "immutable"},
	{BDIO_INODE_APPEND, "append"},
	{BDIO_INODE_NODUMP, "nodump"},
	{BDIO_INODE_NOATIME, "noatime"},
	{BDIO_INODE_DIRSYNC, "dirsync"},
	{BDIO_INODE_COMPRESS, "compress"},
	{BDIO_INODE_VERITY, "verity"},
};

#define NUM_INODE_FLAGS (sizeof(inode_flags) / sizeof(inode_flags[0]))

static const struct argp_option stat_options[] = {
	{"dereference", 'L', 0, 0, "Follow symlinks", 0},
	{0},
};

static error_t parse_stat(int key, char *arg, struct argp_state *state)
{
	struct stat_command *command = state->input;

	(void)arg;
	if (key != 'L')
		return ARGP_ERR_UNKNOWN;
	command->dereference = true;
	return 0;
}

static int read_xattr_names(struct bdio_fs *fs, struct facts *facts)
{
	ssize_t size = bdio_xattr_list(fs, facts->stat.ino, NULL, 0);

	if (size <= 0)
		return (int)size;
	facts->xattrs = malloc((size_t)size);
	if (!facts->xattrs)
		return -ENOMEM;
	size = bdio_xattr_list(fs, facts->stat.ino, facts->xattrs, (size_t)size);
	if (size < 0)
		return (int)size;
	facts->xattrs_len = (size_t)size;
	return 0;
}

/* Failures are reported. */
static int read_facts(const struct session *session, struct bdio_ino ino, const char *path,
		      struct facts *facts)
{
	int err = bdio_stat(session->fs, ino, &facts->stat);

	if (!err)
		err = read_xattr_names(session->fs, facts);
	if (err) {
		report_error(path, err);
		return err;
	}
	if (S_ISLNK(facts->stat.mode)) {
		facts->target = session_readlink(session, ino, path, &facts->target_len);
		err = facts->target ? 0 : -EIO;
	}
	return err;
}

/* A value, allocated; NULL after reporting. */
static char *read_xattr(struct bdio_fs *fs, struct bdio_ino ino, const char *name, size_t *len)
{
	ssize_t size = bdio_xattr_get(fs, ino, name, NULL, 0);
	char *value = size < 0 ? NULL : malloc((size_t)size + 1);

	if (value)
		size = bdio_xattr_get(fs, ino, name, value, (size_t)size + 1);
	if (!value || size < 0) {
		report_error(name, size < 0 ? (int)size : -ENOMEM);
		free(value);
		return NULL;
	}
	*len = (size_t)size;
	return value;
}

/* --- text --- */

static void put_flags(uint64_t flags)
{
	for (size_t i = 0; i < NUM_INODE_FLAGS; i++) {
		if (flags & inode_flags[i].flag)
			printf(" %s", inode_flags[i].name);
	}
}

static int put_xattrs(const struct stat_command *command, const struct facts *facts)
{
	int err = 0;

	for (size_t at = 0; at < facts->xattrs_len; at += strlen(facts->xattrs + at) + 1) {
		const char *name = facts->xattrs + at;
		size_t len;
		char *value = read_xattr(command->session->fs, facts->stat.ino, name, &len);
		if (!value) {
			err = -EIO;
			continue;
		}
		fputs("xattr:      ", stdout);
		print_escaped(stdout, name, strlen(name));
		putchar('=');
		print_escaped(stdout, value, len);
		putchar('\n');
		free(value);
	}
	return err;
}

static void put_time(const char *what, const struct bdio_timespec *time)
{
	char text[TIME_TEXT_MAX];

	printf("%-11s %s\n", what, time_text(time, text));
}

static int put_text(const struct stat_command *command, const char *path, const struct facts *facts)
{
	const struct bdio_stat *stat = &facts->stat;
	char mode[MODE_TEXT_MAX];

	fputs("path:       ", stdout);
	print_escaped(stdout, path, strlen(path));
	if (facts->target) {
		fputs(" -> ", stdout);
		print_escaped(stdout, facts->target, facts->target_len);
	}
	printf("\ntype:       %s\n", mode_type_name(stat->mode));
	printf("inode:      %" PRIu64 " of subvolume %" PRIu64 "\n", stat->ino.inode,
	       stat->ino.subvol);
	printf("size:       %" PRIu64 ", %" PRIu64 " bytes of extents\n", stat->size, stat->nbytes);
	if (S_ISCHR(stat->mode) || S_ISBLK(stat->mode))
		printf("device:     %u, %u\n", major(stat->rdev), minor(stat->rdev));
	printf("mode:       %04o %s\n", stat->mode & 07777, mode_text(stat->mode, mode));
	printf("owner:      %" PRIu32 ":%" PRIu32 "\n", stat->uid, stat->gid);
	printf("links:      %" PRIu32 "\n", stat->nlink);
	printf("flags:      0x%" PRIx64, stat->flags);
	put_flags(stat->flags);
	printf("\ngeneration: created in %" PRIu64 ", changed in %" PRIu64 "\n", stat->generation,
	       stat->transid);
	put_time("accessed:", &stat->atime);
	put_time("modified:", &stat->mtime);
	put_time("changed:", &stat->ctime);
	put_time("created:", &stat->otime);
	return put_xattrs(command, facts);
}

/* --- JSON --- */

static int json_xattrs(const struct stat_command *command, const struct facts *facts)
{
	int err = 0;

	json_array(command->json, "xattrs");
	for (size_t at = 0; at < facts->xattrs_len; at += strlen(facts->xattrs + at) + 1) {
		const char *name = facts->xattrs + at;
		size_t len;
		char *value = read_xattr(command->session->fs, facts->stat.ino, name, &len);
		if (!value) {
			err = -EIO;
			continue;
		}
		json_object(command->json, NULL);
		json_bytes(command->json, "name", name, strlen(name));
		json_bytes(command->json, "value", value, len);
		json_end(command->json);
		free(value);
	}
	json_end(command->json);
	return err;
}

static void json_flags(struct json *json, uint64_t flags)
{
	json_u64(json, "flags", flags);
	json_array(json, "flag_names");
	for (size_t i = 0; i < NUM_INODE_FLAGS; i++) {
		if (flags & inode_flags[i].flag)
			json_text(json, NULL, inode_flags[i].name);
	}
	json_end(json);
}

static int put_json(const struct stat_command *command, const char *path, const struct facts *facts)
{
	const struct bdio_stat *stat = &facts->stat;
	struct json *json = command->json;

	json_object(json, NULL);
	json_bytes(json, "path", path, strlen(path));
	if (facts->target)
		json_bytes(json, "target", facts->target, facts->target_len);
	json_text(json, "type", mode_type_name(stat->mode));
	json_u64(json, "subvol", stat->ino.subvol);
	json_u64(json, "inode", stat->ino.inode);
	json_u64(json, "mode", stat->mode);
	json_u64(json, "uid", stat->uid);
	json_u64(json, "gid", stat->gid);
	json_u64(json, "nlink", stat->nlink);
	json_u64(json, "size", stat->size);
	json_u64(json, "nbytes", stat->nbytes);
	json_u64(json, "major", major(stat->rdev));
	json_u64(json, "minor", minor(stat->rdev));
	json_u64(json, "generation", stat->generation);
	json_u64(json, "transid", stat->transid);
	json_flags(json, stat->flags);
	json_time(json, "atime", stat->atime.sec, stat->atime.nsec);
	json_time(json, "mtime", stat->mtime.sec, stat->mtime.nsec);
	json_time(json, "ctime", stat->ctime.sec, stat->ctime.nsec);
	json_time(json, "otime", stat->otime.sec, stat->otime.nsec);
	int err = json_xattrs(command, facts);
	json_end(json);
	return err;
}

/* --- the command --- */

static int stat_path(const struct stat_command *command, const char *path)
{
	struct facts facts = {0};
	struct bdio_ino ino;

	int err = session_lookup(command->session, path,
				 command->dereference ? BDIO_LOOKUP_FOLLOW : 0, &ino);
	if (err)
		return err;
	err = read_facts(command->session, ino, path, &facts);
	if (!err && command->json)
		err = put_json(command, path, &facts);
	else if (!err)
		err = put_text(command, path, &facts);
	free(facts.target);
	free(facts.xattrs);
	return err;
}

static int stat_paths(const struct session *session, const struct options *options, void *input)
{
	struct stat_command *command = input;
	struct json json;
	int status = EXIT_DONE;

	command->session = session;
	if (options->json) {
		command->json = &json;
		json_start(&json, stdout);
		json_array(&json, "files");
	}
	for (size_t i = 0; i < options->num_args; i++) {
		if (i > 0 && !command->json)
			putchar('\n');
		if (stat_path(command, options->args[i]))
			status = EXIT_PROBLEM;
	}
	if (command->json)
		json_finish(command->json);
	return status;
}

int cmd_stat(int argc, char **argv)
{
	struct stat_command command = {0};
	const struct syntax syntax = {
		.args = "IMAGE PATH...",
		.doc = "Prints the attributes of files, extended ones too.",
		.min_args = 1,
		.max_args = UINT_MAX,
		.json = true,
		.options = stat_options,
		.parse = parse_stat,
		.input = &command,
	};

	return session_run(&syntax, argc, argv, stat_paths);
}
