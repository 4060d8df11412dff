/* SPDX-License-Identifier: MIT */
/* tools/cmd_image.c - copy the used ranges of every device into a sparse file each */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "commands.h"
#include "image_copy.h"
#include "json.h"
#include "print.h"
#include "report.h"

enum { OPT_FORCE = OPT_OWN };

struct image_command {
	bool force;
	struct image image;
	struct json json;
	bool is_json;
	uint64_t num_bad;
};

static const char *const kind_names[IMAGE_KINDS] = {
	[IMAGE_SUPER] = "super",
	[IMAGE_METADATA] = "metadata",
	[IMAGE_DATA] = "data",
	[IMAGE_PARITY] = "parity",
};

static const struct argp_option image_options[] = {
	{"force", OPT_FORCE, 0, 0, "Overwrite files that are there", 0},
	{0},
};

static error_t parse_image(int key, char *arg, struct argp_state *state)
{
	struct image_command *command = state->input;

	(void)arg;
	if (key != OPT_FORCE)
		return ARGP_ERR_UNKNOWN;
	command->force = true;
	return 0;
}

/* --- devices --- */

/* The library cuts long paths: then the one of the command line that begins so. */
static const char *whole_path(const struct options *options, const struct bdio_device_info *info)
{
	for (size_t i = 0; i < options->num_images; i++) {
		const char *path = options->images[i];
		if (strncmp(path, info->path, sizeof(info->path) - 1) == 0)
			return path;
	}
	return info->path;
}

static int open_source(struct image_device *device)
{
	device->source = open(device->source_path, O_RDONLY | O_CLOEXEC);
	if (device->source >= 0)
		return 0;
	int err = -errno;
	report_errno(device->source_path, -err);
	return err;
}

/* Whether @st is of one of the files that are open here already. */
static bool is_in_use(const struct image *image, const struct stat *st)
{
	for (size_t i = 0; i < image->num_devices; i++) {
		const int fds[] = {image->devices[i].source, image->devices[i].dest};
		for (int j = 0; j < 2; j++) {
			struct stat other;
			if (fds[j] >= 0 && fstat(fds[j], &other) == 0 &&
			    other.st_dev == st->st_dev && other.st_ino == st->st_ino)
				return true;
		}
	}
	return false;
}

/* Both return 0 or a positive errno. */
static int check_dest(const struct image *image, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return errno;
	if (!S_ISREG(st.st_mode))
		return EINVAL;
	return is_in_use(image, &st) ? EBUSY : 0;
}

static int prepare_dest(const struct image *image, struct image_device *device, bool force)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (force ? 0 : O_EXCL);
	int fd = open(device->dest_path, flags, 0666);

	if (fd < 0)
		return errno;
	int errnum = check_dest(image, fd);
	if (!errnum && (ftruncate(fd, 0) || ftruncate(fd, (off_t)device->size)))
		errnum = errno;
	if (errnum)
		close(fd);
	else
		device->dest = fd;
	return errnum;
}

static int open_dest(const struct image *image, struct image_device *device, bool force)
{
	int errnum = prepare_dest(image, device, force);

	if (errnum)
		report_errno(device->dest_path, errnum);
	return -errnum;
}

static void close_devices(struct image *image)
{
	for (size_t i = 0; i < image->num_devices; i++) {
		if (image->devices[i].source >= 0)
			close(image->devices[i].source);
		if (image->devices[i].dest >= 0)
			close(image->devices[i].dest);
		free((char *)image->devices[i].source_path);
	}
	free(image->devices);
}

static int add_device(struct image *image, const struct options *options,
		      const struct bdio_device_info *info)
{
	struct image_device *device = &image->devices[image->num_devices];

	*device = (struct image_device){.devid = info->devid,
					.size = info->total_bytes,
					.source_path = strdup(whole_path(options, info)),
					.source = -1,
					.dest = -1};
	if (!device->source_path)
		return -ENOMEM;
	if (image->num_devices < options->num_args)
		device->dest_path = options->args[image->num_devices];
	image->num_devices++;
	return 0;
}

/* Those that are there, in order of devid. */
static int list_devices(struct image *image, const struct options *options)
{
	struct bdio_fs *fs = image->session->fs;
	size_t count = bdio_device_count(fs);
	struct bdio_device_info info;

	image->devices = calloc(count ? count : 1, sizeof(*image->devices));
	int err = image->devices ? 0 : -ENOMEM;
	for (size_t i = 0; !err && i < count; i++) {
		err = bdio_device_get_info(fs, i, &info);
		if (!err && !info.missing)
			err = add_device(image, options, &info);
	}
	if (err)
		report_error(options->images[0], err);
	return err;
}

/* --- output --- */

static void found_bad(void *priv, const struct image_device *device, uint64_t physical,
		      uint64_t length, const char *problem)
{
	struct image_command *command = priv;

	command->num_bad++;
	report(device->source_path, "device %" PRIu64 ", %" PRIu64 " bytes at %" PRIu64 ": %s",
	       device->devid, length, physical, problem);
	if (!command->is_json)
		return;
	json_object(&command->json, NULL);
	json_u64(&command->json, "devid", device->devid);
	json_u64(&command->json, "physical", physical);
	json_u64(&command->json, "length", length);
	json_text(&command->json, "problem", problem);
	json_end(&command->json);
}

static void put_text(const struct image *image)
{
	char size[SIZE_TEXT_MAX], copied[SIZE_TEXT_MAX];

	for (size_t i = 0; i < image->num_devices; i++) {
		const struct image_device *device = &image->devices[i];
		printf("device %" PRIu64 ": ", device->devid);
		print_escaped(stdout, device->source_path, strlen(device->source_path));
		fputs(" -> ", stdout);
		print_escaped(stdout, device->dest_path, strlen(device->dest_path));
		printf(", %s of %s\n", size_text(device->copied, copied),
		       size_text(device->size, size));
	}
	for (int i = 0; i < IMAGE_KINDS; i++)
		printf("%s: %" PRIu64 " bytes\n", kind_names[i], image->copied[i]);
	printf("verified: %" PRIu64 " bytes\n", image->check.verified);
}

static void put_json(struct json *json, const struct image *image, bool complete)
{
	json_end(json); /* the list of what is bad */
	json_array(json, "devices");
	for (size_t i = 0; i < image->num_devices; i++) {
		const struct image_device *device = &image->devices[i];
		json_object(json, NULL);
		json_u64(json, "devid", device->devid);
		json_bytes(json, "source", device->source_path, strlen(device->source_path));
		json_bytes(json, "dest", device->dest_path, strlen(device->dest_path));
		json_u64(json, "size", device->size);
		json_u64(json, "copied", device->copied);
		json_end(json);
	}
	json_end(json);
	json_object(json, "copied");
	for (int i = 0; i < IMAGE_KINDS; i++)
		json_u64(json, kind_names[i], image->copied[i]);
	json_end(json);
	json_u64(json, "verified", image->check.verified);
	json_u64(json, "unverified", image->check.unverified);
	json_u64(json, "unreadable", image->unreadable);
	json_bool(json, "complete", complete);
	json_finish(json);
}

/* --- the command --- */

static int copy_devices(struct image_command *command)
{
	struct image *image = &command->image;
	int err = 0;

	for (size_t i = 0; !err && i < image->num_devices; i++)
		err = open_source(&image->devices[i]);
	for (size_t i = 0; !err && i < image->num_devices; i++)
		err = open_dest(image, &image->devices[i], command->force);
	if (err)
		return err;
	if (command->is_json) {
		json_start(&command->json, stdout);
		json_array(&command->json, "bad");
	}
	err = image_copy(image);
	if (command->is_json)
		put_json(&command->json, image, err == 0);
	else if (!err)
		put_text(image);
	return err;
}

static int run_image(const struct session *session, const struct options *options, void *input)
{
	struct image_command *command = input;
	struct image *image = &command->image;

	*image = (struct image){.session = session,
				.offset = options->open.offset,
				.verify = !(options->open.flags & BDIO_OPEN_NO_VERIFY),
				.bad = found_bad,
				.priv = command};
	command->is_json = options->json;
	int status = EXIT_PROBLEM;
	if (list_devices(image, options) == 0) {
		if (image->num_devices != options->num_args) {
			report(options->images[0], "%zu devices need as many destinations, not %zu",
			       image->num_devices, options->num_args);
			status = EXIT_USAGE;
		} else if (copy_devices(command) == 0 && command->num_bad == 0) {
			status = EXIT_DONE;
		}
	}
	close_devices(image);
	return status;
}

int cmd_image(int argc, char **argv)
{
	struct image_command command = {0};
	const struct syntax syntax = {
		.args = "IMAGE DEST...",
		.doc = "Copies the ranges that are in use, of every device into a sparse file of "
		       "its own: the copy opens, checks and mounts. A DEST for each device that is "
		       "there, in order of their devids. Everything that has a checksum is "
		       "verified; what is bad is copied as it is and listed on standard error.",
		.min_args = 1,
		.max_args = UINT_MAX,
		.json = true,
		.options = image_options,
		.parse = parse_image,
		.input = &command,
	};

	return session_run(&syntax, argc, argv, run_image);
}
