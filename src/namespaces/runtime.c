/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runtime: see runtime.h.
 * Input: files of the container runtimes and of the kubelet. Output: names.
 * Invariants: nothing is written and no program is asked. The folders are the administrator's and may be links; a
 * container's own folder and file may not, must be plain, and are read up to a limit. */
#include "namespaces/runtime.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_BYTES (16u << 20) /* containers.json has all containers: some hundred bytes each */
#define ID_MIN 12
#define NAMESPACES_MAX 64 /* of containerd */

/* ---- files ------------------------------------------------------------------------------------------------------- */
static int open_folder(const char *root, const char *path)
{
	char full[PATH_MAX];

	if (snprintf(full, sizeof(full), "%s%s", root, path) >= (int)sizeof(full))
		return -1;
	return open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The whole of a plain file, which never blocks. NULL: it is another file, too large, or not there. */
static char *read_plain(int dir, const char *name, size_t *len)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char *text = NULL;
	ssize_t n = 0;
	struct stat s;

	*len = 0;
	if (fd >= 0 && !fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_size > 0 && s.st_size <= FILE_MAX_BYTES)
		text = malloc((size_t)s.st_size);
	while (text && *len < (size_t)s.st_size && (n = read(fd, text + *len, (size_t)s.st_size - *len)) > 0)
		*len += (size_t)n;
	if (fd >= 0)
		close(fd);
	return text;
}

static json_t *read_json(int dir, const char *name)
{
	size_t len;
	char *text = read_plain(dir, name, &len);
	json_t *j = text ? json_loadb(text, len, 0, NULL) : NULL;

	free(text);
	return j;
}

/* The first entry of a folder that begins with the id. */
static bool find_entry(int dir, const char *id, char name[NAME_MAX + 1])
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *e;
	bool found = false;

	if (!d && copy >= 0)
		close(copy);
	while (d && !found && (e = readdir(d)))
		if (!strncmp(e->d_name, id, strlen(id))) {
			snprintf(name, NAME_MAX + 1, "%s", e->d_name);
			found = true;
		}
	if (d)
		closedir(d);
	return found;
}

/* Opens the container's own folder below dir. -1: there is none. */
static int open_own(int dir, const char *id)
{
	char name[NAME_MAX + 1];

	return find_entry(dir, id, name) ? openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
}

/* ---- what JSON has ----------------------------------------------------------------------------------------------- */
static void take_text(char out[RUNTIME_NAME], const json_t *j)
{
	const char *s = json_string_value(j);

	if (s && !*out && strlen(s) < RUNTIME_NAME)
		strcpy(out, s);
}

/* Labels and annotations: an object of texts. Of cri-dockerd, CRI-O, containerd, nerdctl. */
static void take_labels(struct runtime_names *out, const json_t *labels)
{
	take_text(out->container, json_object_get(labels, "io.kubernetes.cri.container-name"));
	take_text(out->container, json_object_get(labels, "io.kubernetes.container.name"));
	take_text(out->container, json_object_get(labels, "nerdctl/name"));
	take_text(out->pod, json_object_get(labels, "io.kubernetes.cri.sandbox-name"));
	take_text(out->pod, json_object_get(labels, "io.kubernetes.pod.name"));
	take_text(out->pod_namespace, json_object_get(labels, "io.kubernetes.cri.sandbox-namespace"));
	take_text(out->pod_namespace, json_object_get(labels, "io.kubernetes.pod.namespace"));
}

static bool is_known(const struct runtime_names *n)
{
	return *n->container || *n->pod;
}

/* ---- Docker ------------------------------------------------------------------------------------------------------ */
/* {"Name":"/web","Config":{"Labels":{...}},...} Kubernetes' own names come before k8s_..., which Docker has of it. */
static void from_docker(const char *root, const char *id, struct runtime_names *out)
{
	int dir = open_folder(root, "/var/lib/docker/containers"), own = dir < 0 ? -1 : open_own(dir, id);
	json_t *j = own < 0 ? NULL : read_json(own, "config.v2.json");
	const char *name = json_string_value(json_object_get(j, "Name"));

	take_labels(out, json_object_get(json_object_get(j, "Config"), "Labels"));
	if (name && !*out->container)
		snprintf(out->container, RUNTIME_NAME, "%s", name + (*name == '/'));
	json_decref(j);
	if (own >= 0)
		close(own);
	if (dir >= 0)
		close(dir);
}

/* ---- podman, CRI-O ----------------------------------------------------------------------------------------------- */
/* A bundle: config.json of the OCI's runtime specification. sub: where in the container's folder; or NULL. */
static void from_bundle(int dir, const char *id, const char *sub, struct runtime_names *out)
{
	int own = open_own(dir, id), at = own;
	json_t *j;

	if (own >= 0 && sub)
		at = openat(own, sub, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	j = at < 0 ? NULL : read_json(at, "config.json");
	take_labels(out, json_object_get(j, "annotations"));
	json_decref(j);
	if (at >= 0 && at != own)
		close(at);
	if (own >= 0)
		close(own);
}

/* [{"id":"...","names":["web"],...},...] */
static void from_list(int dir, const char *file, const char *id, struct runtime_names *out)
{
	json_t *all = read_json(dir, file), *j;
	size_t i;

	json_array_foreach(all, i, j)
	{
		const char *one = json_string_value(json_object_get(j, "id"));

		if (one && !strncmp(one, id, strlen(id)))
			take_text(out->container, json_array_get(json_object_get(j, "names"), 0));
	}
	json_decref(all);
}

static void from_storage(const char *root, const char *id, struct runtime_names *out)
{
	int dir = open_folder(root, "/run/containers/storage/overlay-containers");

	if (dir >= 0) {
		from_bundle(dir, id, "userdata", out);
		if (!is_known(out))
			from_list(dir, "volatile-containers.json", id, out);
		close(dir);
	}
	dir = is_known(out) ? -1 : open_folder(root, "/var/lib/containers/storage/overlay-containers");
	if (dir >= 0) {
		from_list(dir, "containers.json", id, out);
		close(dir);
	}
}

/* ---- containerd -------------------------------------------------------------------------------------------------- */
/* A folder for each of its namespaces ("k8s.io", "moby", "default"), and in it a bundle for each container. */
static void from_tasks(const char *root, const char *tasks, const char *id, struct runtime_names *out)
{
	int fd = open_folder(root, tasks), n = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!d && fd >= 0)
		close(fd);
	while (d && !is_known(out) && n < NAMESPACES_MAX && (e = readdir(d))) {
		int dir = *e->d_name == '.'
			? -1
			: openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (dir < 0)
			continue;
		n++;
		from_bundle(dir, id, NULL, out);
		close(dir);
	}
	if (d)
		closedir(d);
}

static void from_containerd(const char *root, const char *id, struct runtime_names *out)
{
	static const char *const tasks[] = { "/run/containerd/io.containerd.runtime.v2.task",
		"/run/k3s/containerd/io.containerd.runtime.v2.task",
		"/var/snap/microk8s/common/run/containerd/io.containerd.runtime.v2.task" };

	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]) && !is_known(out); i++)
		from_tasks(root, tasks[i], id, out);
}

/* ---- the kubelet ------------------------------------------------------------------------------------------------- */
static void take_part(char out[RUNTIME_NAME], const char *s, size_t len)
{
	if (len && len < RUNTIME_NAME && !*out)
		snprintf(out, RUNTIME_NAME, "%.*s", (int)len, s);
}

/* POD_NAMESPACE_CONTAINER-ID.log. Kubernetes' names have no "_". Only the link's own name is read. */
static bool take_log(const char *file, const char *id, struct runtime_names *out)
{
	const char *dash = strrchr(file, '-'), *ns = strchr(file, '_'), *box = ns ? strchr(ns + 1, '_') : NULL;

	if (!dash || !box || dash < box || strncmp(dash + 1, id, strlen(id)) != 0)
		return false;
	take_part(out->pod, file, (size_t)(ns - file));
	take_part(out->pod_namespace, ns + 1, (size_t)(box - ns - 1));
	take_part(out->container, box + 1, (size_t)(dash - box - 1));
	return true;
}

static void from_kubelet(const char *root, const char *id, struct runtime_names *out)
{
	int fd = open_folder(root, "/var/log/containers");
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	bool found = false;

	if (!d && fd >= 0)
		close(fd);
	while (d && !found && (e = readdir(d)))
		found = take_log(e->d_name, id, out);
	if (d)
		closedir(d);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */
/* The kubelet's link is there a moment after the container's start; the others are there before it. */
bool runtime_find(const char *root, const char *id, struct runtime_names *out)
{
	memset(out, 0, sizeof(*out));
	if (strlen(id) < ID_MIN || id[strspn(id, "0123456789abcdef")])
		return false;
	from_containerd(root, id, out);
	if (!is_known(out))
		from_docker(root, id, out);
	if (!is_known(out))
		from_storage(root, id, out);
	if (!*out->pod)
		from_kubelet(root, id, out);
	return is_known(out);
}

/* ---- cgroups ----------------------------------------------------------------------------------------------------- */
static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

const char *runtime_cgroup(const char *parent, const char *name, char key[RUNTIME_ID + 1])
{
	static const char *const own[] = { "docker-", "libpod-", "crio-", "cri-containerd-", "lxc.payload." };
	const char *at = NULL;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]) && !at; i++)
		if (starts(name, own[i]))
			at = name + strlen(own[i]);
	if (!at &&
		(!strcmp(parent, "docker") || starts(parent, "pod") || starts(parent, "machine.") ||
			!strcmp(parent, "lxc")))
		at = name;
	if (at)
		snprintf(key, RUNTIME_ID + 1, "%.*s", RUNTIME_ID, at);
	return at && *at ? at : NULL;
}

/* systemd writes "-" in a unit's name as \x2d. */
static void unescape(const char *s, size_t len, char out[RUNTIME_NAME])
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < RUNTIME_NAME; i++) {
		bool hex = s[i] == '\\' && i + 3 < len && s[i + 1] == 'x' && isxdigit((unsigned char)s[i + 2]) &&
			isxdigit((unsigned char)s[i + 3]);

		if (hex) {
			char digits[3] = { s[i + 2], s[i + 3], '\0' };

			out[n++] = (char)strtoul(digits, NULL, 16);
			i += 3;
		} else {
			out[n++] = s[i];
		}
	}
	out[n] = '\0';
}

bool runtime_own_name(const char *full, char *out)
{
	static const char *const nspawn[][2] = { { "machine-", ".scope" }, { "systemd-nspawn@", ".service" } };
	size_t len = strlen(full);

	if (len >= RUNTIME_ID && strspn(full, "0123456789abcdef") >= RUNTIME_ID)
		return false;
	for (size_t i = 0; i < 2; i++) {
		size_t head = strlen(nspawn[i][0]), tail = strlen(nspawn[i][1]);

		if (len > head + tail && starts(full, nspawn[i][0]) && !strcmp(full + len - tail, nspawn[i][1])) {
			unescape(full + head, len - head - tail, out);
			return true;
		}
	}
	snprintf(out, RUNTIME_NAME, "%s", full);
	return true;
}
