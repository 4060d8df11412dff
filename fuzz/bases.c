/* SPDX-License-Identifier: MIT */
/* fuzz/bases.c - find or make the base images, map them, list their tree blocks */
#include "bases.h"

#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "btrfsdio/info.h"
#include "disk/format.h"

#define MAX_BASES  32
#define MAX_BLOCKS 4096u

static struct base bases[MAX_BASES];
static unsigned int num_bases;

__attribute__((noreturn)) static void give_up(const char *what, const char *name)
{
	fprintf(stderr, "fuzz bases: %s %s\n", what, name);
	exit(1);
}

static void make(const char *folder)
{
	char script[PATH_MAX];
	int status;
	pid_t pid;

	/* The script lies beside this source file. */
	snprintf(script, sizeof(script), "%s", __FILE__);
	strcpy(strrchr(script, '/') + 1, "make-bases");
	pid = fork();
	if (pid == 0) {
		execl("/bin/bash", "bash", script, folder, NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		give_up("cannot make them with", script);
}

static bool map_device(struct base *base, const char *path)
{
	struct base_device *dev = &base->device[base->num_devices];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (fstat(fd, &st))
		give_up("cannot stat", path);
	dev->size = (uint64_t)st.st_size;
	dev->bytes = mmap(NULL, dev->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (dev->bytes == MAP_FAILED)
		give_up("cannot map", path);
	close(fd);
	base->num_devices++;
	return true;
}

/* Places of a tree block; false: it lies nowhere. */
static bool place_block(const struct bdio_fs *fs, uint32_t nodesize, struct base_block *block)
{
	struct bdio_place places[2 * BASE_MAX_COPIES];
	ssize_t n = bdio_logical_map(fs, block->logical, nodesize, places, 2 * BASE_MAX_COPIES);

	for (ssize_t i = 0; i < n && i < 2 * BASE_MAX_COPIES; i++) {
		if (places[i].kind != BDIO_PLACE_DATA || places[i].length < nodesize ||
		    block->copies == BASE_MAX_COPIES)
			continue;
		block->copy[block->copies].device = (unsigned int)places[i].devid - 1;
		block->copy[block->copies++].physical = places[i].physical;
	}
	return block->copies > 0;
}

static const void *block_bytes(const struct base *base, const struct base_block *block)
{
	return base->device[block->copy[0].device].bytes + block->copy[0].physical;
}

static bool is_listed(const struct base *base, uint64_t logical)
{
	for (size_t i = 0; i < base->num_blocks; i++) {
		if (base->blocks[i].logical == logical)
			return true;
	}
	return false;
}

static void list_block(struct base *base, const struct bdio_fs *fs, uint64_t logical)
{
	struct base_block block = {.logical = logical};

	if (logical && base->num_blocks < MAX_BLOCKS && !is_listed(base, logical) &&
	    place_block(fs, base->nodesize, &block))
		base->blocks[base->num_blocks++] = block;
}

/* What a listed block points to: children, and trees when it is a leaf of the root tree. */
static void list_children(struct base *base, const struct bdio_fs *fs, const void *block)
{
	const struct bd_disk_header *h = block;
	const struct bd_disk_item *items = (const void *)(h + 1);
	const struct bd_disk_key_ptr *ptrs = (const void *)(h + 1);

	for (uint32_t i = 0; i < bd_le32(h->nritems); i++) {
		const struct bd_disk_root_item *root =
			(const void *)((const uint8_t *)items + bd_le32(items[i].offset));

		if (h->level)
			list_block(base, fs, bd_le64(ptrs[i].blockptr));
		else if (items[i].key.type == BD_KEY_ROOT_ITEM)
			list_block(base, fs, bd_le64(root->bytenr));
	}
}

static void list_blocks(struct base *base)
{
	const struct bd_disk_super *super = (const void *)(base->device[0].bytes + 65536);
	struct bdio_fs *fs;

	base->nodesize = bd_le32(super->nodesize);
	base->csum_type = bd_le16(super->csum_type);
	base->blocks = calloc(MAX_BLOCKS, sizeof(*base->blocks));
	overlay_begin(base);
	if (!base->blocks || overlay_open(0, 0, &fs))
		give_up("the library cannot open", base->name);
	list_block(base, fs, bd_le64(super->root));
	list_block(base, fs, bd_le64(super->chunk_root));
	list_block(base, fs, bd_le64(super->log_root));
	for (size_t i = 0; i < base->num_blocks; i++)
		list_children(base, fs, block_bytes(base, &base->blocks[i]));
	bdio_close(fs);
}

static void load(const char *folder, const char *name)
{
	struct base *base = &bases[num_bases];
	char path[PATH_MAX];

	base->name = strdup(name);
	while (base->num_devices < BASE_MAX_DEVICES) {
		snprintf(path, sizeof(path), "%s/%s/%u", folder, name, base->num_devices);
		if (!map_device(base, path))
			break;
	}
	if (!base->num_devices)
		give_up("no devices in", name);
	list_blocks(base);
	num_bases++;
}

static int no_dots(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

void bases_load(const char *program)
{
	char folder[PATH_MAX], *copy = strdup(program);
	const char *given = getenv("BDIO_FUZZ_BASES");
	struct dirent **names;
	int n;

	snprintf(folder, sizeof(folder), "%s", given ? given : "");
	if (!given)
		snprintf(folder, sizeof(folder), "%s/bases", dirname(copy));
	free(copy);
	if (access(folder, R_OK))
		make(folder);
	n = scandir(folder, &names, no_dots, alphasort);
	for (int i = 0; i < n; i++) {
		if (num_bases < MAX_BASES)
			load(folder, names[i]->d_name);
		free(names[i]);
	}
	if (n <= 0)
		give_up("there are none in", folder);
	free(names);
}

unsigned int bases_count(void)
{
	return num_bases;
}

const struct base *base_get(unsigned int nr)
{
	return &bases[nr % num_bases];
}
