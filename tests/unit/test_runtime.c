/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_runtime: names of containers out of the files of runtimes and of the kubelet, good and hostile; cgroups. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "namespaces/cgroups.h"
#include "namespaces/containers.h"
#include "namespaces/runtime.h"
#include "unit.h"

#define ID "89abcdef0123456789abcdef0123456789abcdef0123456789abcdef01234567"
#define KEY "89abcdef0123456"

static char root[] = "/tmp/dwire-runtime-XXXXXX";

/* Makes all folders of a path below the root. */
static void folders(const char *path)
{
	char full[PATH_MAX];

	for (const char *p = path; *p; p++)
		if (*p == '/' && p > path) {
			snprintf(full, sizeof(full), "%s%.*s", root, (int)(p - path), path);
			(void)mkdir(full, 0700);
		}
}

static void put(const char *path, const char *text)
{
	char full[PATH_MAX];
	FILE *f;

	folders(path);
	snprintf(full, sizeof(full), "%s%s", root, path);
	f = fopen(full, "we");
	EXPECT(f != NULL);
	if (!f)
		return;
	fputs(text, f);
	fclose(f);
}

static void take_away(const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", root, path);
	EXPECT(unlink(full) == 0);
}

#define DOCKER "/var/lib/docker/containers/" ID "/config.v2.json"
#define TASKS "/run/containerd/io.containerd.runtime.v2.task/"
#define BUNDLE "/run/containers/storage/overlay-containers/" ID "/userdata/config.json"
#define STORAGE "/var/lib/containers/storage/overlay-containers/containers.json"

/* A file, its content, and what it says: container, pod, namespace. */
static const struct {
	const char *path, *text, *want;
} files[] = {
	{ DOCKER, "{\"ID\":\"" ID "\",\"Name\":\"/web\",\"Config\":{\"Labels\":{}}}", "web||" },
	{ DOCKER,
		"{\"Name\":\"/k8s_nginx_shop-0_prod_uid_0\",\"Config\":{\"Labels\":{\"io.kubernetes.container.name\":"
		"\"nginx\",\"io.kubernetes.pod.name\":\"shop-0\",\"io.kubernetes.pod.namespace\":\"prod\"}}}",
		"nginx|shop-0|prod" },
	{ TASKS "k8s.io/" ID "/config.json",
		"{\"ociVersion\":\"1.0\",\"annotations\":{\"io.kubernetes.cri.container-name\":\"nginx\","
		"\"io.kubernetes.cri.sandbox-name\":\"shop-0\",\"io.kubernetes.cri.sandbox-namespace\":\"prod\"}}",
		"nginx|shop-0|prod" },
	{ TASKS "k8s.io/" ID "/config.json", /* of the pod itself */
		"{\"annotations\":{\"io.kubernetes.cri.container-type\":\"sandbox\",\"io.kubernetes.cri.sandbox-name\":"
		"\"shop-0\",\"io.kubernetes.cri.sandbox-namespace\":\"prod\"}}",
		"|shop-0|prod" },
	{ TASKS "default/" ID "/config.json", "{\"annotations\":{\"nerdctl/name\":\"db\"}}", "db||" },
	{ "/run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json",
		"{\"annotations\":{\"io.kubernetes.cri.container-name\":\"c\","
		"\"io.kubernetes.cri.sandbox-name\":\"p\"}}",
		"c|p|" },
	{ BUNDLE,
		"{\"annotations\":{\"io.kubernetes.container.name\":\"nginx\",\"io.kubernetes.pod.name\":\"shop-0\","
		"\"io.kubernetes.pod.namespace\":\"prod\"}}",
		"nginx|shop-0|prod" },
	{ STORAGE, "[{\"id\":\"ffff\",\"names\":[\"other\"]},{\"id\":\"" ID "\",\"names\":[\"mail\",\"x\"]}]",
		"mail||" },
	{ "/run/containers/storage/overlay-containers/volatile-containers.json",
		"[{\"id\":\"" ID "\",\"names\":[\"tmp\"]}]", "tmp||" },
	{ "/var/log/containers/shop-0_prod_nginx-" ID ".log", "", "nginx|shop-0|prod" },
	{ "/var/log/containers/shop-0_prod_my-nginx-" ID ".log", "", "my-nginx|shop-0|prod" },
	/* what nobody should write */
	{ DOCKER, "", "no" },
	{ DOCKER, "{\"Name\":", "no" },
	{ DOCKER, "[]", "no" },
	{ DOCKER, "{\"Name\":17}", "no" },
	{ DOCKER, "{\"Name\":\"/a\\nb\\u001b[31m\"}", "a\nb\x1b[31m||" }, /* escaped by what prints it */
	{ DOCKER, "{\"Name\":\"/a\\u0000b\"}", "no" },
	{ TASKS "k8s.io/" ID "/config.json", "{\"annotations\":[\"io.kubernetes.cri.sandbox-name\"]}", "no" },
	{ STORAGE, "[null,{\"id\":5},{\"id\":\"" ID "\"},{\"id\":\"" ID "\",\"names\":\"mail\"}]", "no" },
	{ "/var/log/containers/shop-0-" ID ".log", "", "no" },
	{ "/var/log/containers/__-" ID ".log", "", "no" },
};

static const char *found(const char *id)
{
	static char text[3 * RUNTIME_NAME];
	struct runtime_names n;

	if (!runtime_find(root, id, &n))
		return "no";
	snprintf(text, sizeof(text), "%s|%s|%s", n.container, n.pod, n.pod_namespace);
	return text;
}

static void test_files(void)
{
	EXPECT_STR(found(KEY), "no");
	for (size_t i = 0; i < ROWS(files); i++) {
		put(files[i].path, files[i].text);
		CHECK_TEXT(files[i].text, found(KEY), files[i].want);
		take_away(files[i].path);
	}
}

/* The kubelet completes what the runtime does not say; ids of other containers are not taken. */
static void test_together(void)
{
	put(DOCKER, "{\"Name\":\"/web\"}");
	put("/var/log/containers/shop-0_prod_nginx-" ID ".log", "");
	EXPECT_STR(found(KEY), "web|shop-0|prod");
	EXPECT_STR(found(ID), "web|shop-0|prod");
	EXPECT_STR(found("89abcdef0123"), "web|shop-0|prod");
	EXPECT_STR(found("89abcdef0124"), "no");
	EXPECT_STR(found("89abcdef"), "no");
	EXPECT_STR(found("../../../../etc/x"), "no");
	EXPECT_STR(found(""), "no");
	take_away("/var/log/containers/shop-0_prod_nginx-" ID ".log");
	take_away(DOCKER);
}

/* A link, a pipe and a file without an end are not read. */
static void test_no_files(void)
{
	char path[PATH_MAX], other[PATH_MAX];
	static const char name[] = "{\"Name\":\"/web\"}";
	int fd;

	snprintf(path, sizeof(path), "%s%s", root, DOCKER);
	snprintf(other, sizeof(other), "%s/other", root);
	put("/other", name);
	EXPECT(symlink(other, path) == 0);
	EXPECT_STR(found(KEY), "no");
	EXPECT(unlink(path) == 0 && mkfifo(path, 0600) == 0);
	EXPECT_STR(found(KEY), "no");
	EXPECT(unlink(path) == 0 && mkdir(path, 0700) == 0);
	EXPECT_STR(found(KEY), "no");
	EXPECT(rmdir(path) == 0);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	EXPECT(fd >= 0 && write(fd, name, strlen(name)) > 0 && ftruncate(fd, 1ll << 40) == 0);
	close(fd);
	EXPECT_STR(found(KEY), "no");
	EXPECT(unlink(path) == 0);
	take_away("/other");
}

static void test_long(void)
{
	char text[1024], name[400];

	memset(name, 'n', sizeof(name));
	name[RUNTIME_NAME - 1] = '\0';
	snprintf(text, sizeof(text), "{\"Name\":\"/%s\"}", name);
	put(DOCKER, text);
	snprintf(text, sizeof(text), "%s||", name);
	EXPECT_STR(found(KEY), text);
	take_away(DOCKER);
	name[RUNTIME_NAME - 1] = 'n';
	name[RUNTIME_NAME] = '\0';
	snprintf(text, sizeof(text), "[{\"id\":\"" ID "\",\"names\":[\"%s\"]}]", name);
	put(STORAGE, text);
	EXPECT_STR(found(KEY), "no");
	take_away(STORAGE);
}

/* As tests/kernel/owner/containers.sh has it of the kernel's side. */
static void test_cgroup_names(void)
{
	static const struct {
		const char *parent, *name, *rest, *own;
	} rows[] = {
		{ "system.slice", "docker-" ID ".scope", ID ".scope", NULL },
		{ "kubepods-burstable-pod1.slice", "cri-containerd-" ID ".scope", ID ".scope", NULL },
		{ "kubepods-pod1.slice", "crio-" ID ".scope", ID ".scope", NULL },
		{ "machine.slice", "libpod-" ID ".scope", ID ".scope", NULL },
		{ "docker", ID, ID, NULL },
		{ "pod42f1", ID, ID, NULL },
		{ "", "lxc.payload.web-1", "web-1", "web-1" },
		{ "lxc", "web", "web", "web" },
		{ "lxc", "cafe", "cafe", "cafe" },
		{ "machine.slice", "machine-my\\x2dbox.scope", "machine-my\\x2dbox.scope", "my-box" },
		{ "machine.slice", "systemd-nspawn@web.service", "systemd-nspawn@web.service", "web" },
		{ "system.slice", "ssh.service", NULL, NULL },
		{ "dockers", ID, NULL, NULL },
		{ "lxc", "", NULL, NULL },
		{ "lxcfs", "web", NULL, NULL },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		char key[RUNTIME_ID + 1], own[RUNTIME_NAME];
		const char *rest = runtime_cgroup(rows[i].parent, rows[i].name, key);

		CHECK(!rest == !rows[i].rest, "%s/%s", rows[i].parent, rows[i].name);
		if (!rest || !rows[i].rest)
			continue;
		CHECK_TEXT(rows[i].name, rest, rows[i].rest);
		CHECK(!strncmp(rest, key, RUNTIME_ID), "%s", key);
		CHECK(runtime_own_name(rest, own) == (rows[i].own != NULL), "%s", rest);
		if (rows[i].own)
			CHECK_TEXT(rows[i].name, own, rows[i].own);
	}
}

static void note(void *ctx, const char *parent, const char *name)
{
	char *text = ctx;
	size_t n = strlen(text);

	snprintf(text + n, 512 - n, "%s/%s ", parent, name);
}

/* A plain tree of folders serves in place of cgroups. */
static void test_watch(void)
{
	char text[512] = "", path[PATH_MAX];
	struct cgroups_watch *w;
	int err = 0, fd;

	folders("/tree/a/b/");
	snprintf(path, sizeof(path), "%s/tree", root);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cgroups_walk(fd, note, text);
	EXPECT_STR(text, "/a a/b ");
	*text = '\0';
	w = cgroups_watch(fd, note, text, &err);
	EXPECT(w && !err);
	EXPECT_STR(text, "/a a/b ");
	*text = '\0';
	folders("/tree/a/b/c/");
	EXPECT_INT(cgroups_follow(w), 0);
	EXPECT_STR(text, "b/c ");
	*text = '\0';
	folders("/tree/a/b/c/d/e/"); /* both are there before the first is seen */
	EXPECT_INT(cgroups_follow(w), 0);
	EXPECT(strstr(text, "c/d ") && strstr(text, "d/e "));
	snprintf(path, sizeof(path), "%s/tree/a/b/c/d/e", root);
	EXPECT(rmdir(path) == 0);
	*text = '\0';
	folders("/tree/a/b/c/d/f/g/");
	EXPECT_INT(cgroups_follow(w), 0);
	EXPECT(strstr(text, "d/f ") && strstr(text, "f/g "));
	cgroups_free(w);
	close(fd);
}

struct calls {
	unsigned n;
	char last[RUNTIME_NAME + 32];
};

static void seen(void *ctx, const char *key, const struct runtime_names *names)
{
	struct calls *c = ctx;

	c->n++;
	snprintf(c->last, sizeof(c->last), "%s=%s", key, names->container);
}

/* Names are kept when the files are gone; a long name is that of the cgroup. */
static void test_containers(void)
{
	char path[PATH_MAX];
	struct calls c = { 0 };
	struct containers *all;
	int fd;

	folders("/boxes/docker-" ID ".scope/");
	folders("/boxes/lxc.payload.a-name-of-more-than-15/");
	put(DOCKER, "{\"Name\":\"/web\"}");
	snprintf(path, sizeof(path), "%s/boxes", root);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	all = containers_new(root, fd);
	EXPECT(all != NULL);
	containers_walk(all, seen, &c);
	EXPECT_INT(c.n, 2);
	EXPECT_STR(containers_find(all, KEY)->container, "web");
	take_away(DOCKER);
	EXPECT_STR(containers_find(all, KEY)->container, "web");
	EXPECT_STR(containers_find(all, "a-name-of-more-")->container, "a-name-of-more-than-15");
	EXPECT_STR(containers_find(all, "0000000000000000")->container, "");
	EXPECT_INT(containers_watch(all, seen, &c), 0);
	EXPECT_INT(c.n, 4);
	folders("/boxes/lxc.payload.late/");
	EXPECT_INT(containers_follow(all), 0);
	EXPECT_STR(c.last, "late=late");
	for (int i = 0; i < 10000; i++) { /* more than are kept */
		char key[RUNTIME_ID + 1];

		snprintf(key, sizeof(key), "box-%d", i);
		EXPECT_STR(containers_find(all, key)->container, key);
	}
	containers_free(all);
	close(fd);
}

int main(void)
{
	char clean[64];

	EXPECT(mkdtemp(root) != NULL);
	test_files();
	test_together();
	test_no_files();
	test_long();
	test_cgroup_names();
	test_watch();
	test_containers();
	snprintf(clean, sizeof(clean), "rm -rf '%s'", root);
	EXPECT(system(clean) == 0);
	return unit_end();
}
