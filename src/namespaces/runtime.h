/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runtime: what the files of container runtimes and of the kubelet say about a container.
 * Sources: Docker's config.v2.json; containers.json of containers/storage (podman, CRI-O); the bundles of containerd
 * and CRI-O, with the annotations of the CRI and of nerdctl; the kubelet's links in /var/log/containers. */
#ifndef DWIRE_NAMESPACES_RUNTIME_H
#define DWIRE_NAMESPACES_RUNTIME_H
#include <stdbool.h>

#define RUNTIME_NAME 256 /* Kubernetes' names have at most 253 characters, file names 255 */
/* Digits of an id that the kernel's programs record. Two containers with the same ones do not occur by chance. */
#define RUNTIME_ID 15

/* "": not known. Bytes as the files have them, so escape them before a terminal sees them. */
struct runtime_names {
	char container[RUNTIME_NAME];
	char pod[RUNTIME_NAME];
	char pod_namespace[RUNTIME_NAME];
};

/* id: the first digits of a container's id, at least 12. root: the folder that is taken for /; "" for / itself. False:
 * no file that we may read names the container; *out is all "". */
bool runtime_find(const char *root, const char *id, struct runtime_names *out);
/* The id or name of the container that a cgroup is, by the cgroup's name and that of the one above it, as the D library
 * decides it: the rest of name. key: its first RUNTIME_ID characters. NULL: it is no container. */
const char *runtime_cgroup(const char *parent, const char *name, char key[RUNTIME_ID + 1]);
/* The name that a cgroup gives away itself: of LXC, of systemd-nspawn. full: what runtime_cgroup() returned; out has
 * RUNTIME_NAME bytes. False: it is an id. */
bool runtime_own_name(const char *full, char *out);
#endif
