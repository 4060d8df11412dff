/* SPDX-License-Identifier: MIT */
/* tools/session.c - the filesystem that a command works on, opened as its options say */
#include "session.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

static void warn_about_supers(uint32_t remarks)
{
	static const struct {
		uint32_t remark;
		const char *text;
	} texts[] = {
		{BDIO_SUPER_PRIMARY_BAD, "a primary superblock is unusable: a copy was used"},
		{BDIO_SUPER_MIRROR_NEWER,
		 "a superblock copy is newer than the primary, which was used"},
		{BDIO_SUPER_MIRROR_OLDER, "a superblock copy is older than the primary"},
		{BDIO_SUPER_MIRROR_FOREIGN,
		 "a superblock copy belongs to another filesystem or device"},
		{BDIO_SUPER_MIRROR_BAD, "a superblock copy is damaged or missing"},
		{BDIO_SUPER_DEVICE_STALE, "a device has an older state than the others"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (remarks & texts[i].remark)
			report_warning("%s", texts[i].text);
	}
}

static void warn(const struct bdio_fs_info *info)
{
	if (info->log_present)
		report_warning("the log tree was not applied: the last fsyncs before a crash are "
			       "not shown");
	if (info->missing_devices)
		report_warning("%u of %llu devices missing", info->missing_devices,
			       (unsigned long long)info->num_devices);
	warn_about_supers(info->super_remarks);
}

static int session_open(struct session *session, const struct options *options)
{
	struct session opened = {.root.inode = BDIO_INODE_ROOT};

	int err = bdio_open(options->images, options->num_images, &options->open, &opened.fs);
	if (err) {
		report_error(options->images[0], err);
		return err;
	}
	bdio_fs_get_info(opened.fs, &opened.info);
	warn(&opened.info);
	opened.root.subvol = opened.info.default_subvol;
	if (options->subvol) {
		err = bdio_subvol_find(opened.fs, options->subvol, &opened.root.subvol);
		if (err) {
			report_error(options->subvol, err);
			bdio_close(opened.fs);
			return err;
		}
	}
	*session = opened;
	return 0;
}

int session_work(const struct options *options, session_fn run, void *input)
{
	struct session session;

	if (session_open(&session, options))
		return EXIT_PROBLEM;
	int status = run(&session, options, input);
	bdio_close(session.fs);
	return status;
}

int session_run(const struct syntax *syntax, int argc, char **argv, session_fn run)
{
	struct options options;

	options_parse(syntax, argc, argv, &options);
	int status = session_work(&options, run, syntax->input);
	options_free(&options);
	return status;
}

int session_lookup(const struct session *session, const char *path, unsigned int flags,
		   struct bdio_ino *out)
{
	size_t len = strlen(path);

	if (len > 0 && path[len - 1] == '/')
		flags |= BDIO_LOOKUP_FOLLOW;
	int err = bdio_lookup(session->fs, session->root, path, len, flags, out);
	if (err)
		report_error(path, err);
	return err;
}

char *session_readlink(const struct session *session, struct bdio_ino ino, const char *path,
		       size_t *len)
{
	char *target = malloc(PATH_MAX);
	ssize_t got = target ? bdio_readlink(session->fs, ino, target, PATH_MAX) : -ENOMEM;

	if (got < 0) {
		report_error(path, (int)got);
		free(target);
		return NULL;
	}
	*len = got < PATH_MAX ? (size_t)got : PATH_MAX;
	return target;
}
