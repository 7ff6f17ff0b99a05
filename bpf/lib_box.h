/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib_box: the container of a cgroup; part of lib.bpf.c. Input: a node of the tree of cgroups. Output: which runtime's
 * container it is in, and where the container's id or name begins. Invariant: names are compared by arithmetic, so that
 * the verifier walks one path. */
#define BOX_LEVELS 4 /* the cgroup itself and three above */
#define BOX_KIND 56  /* the kind is above the address's lower bits, which tell all of a kernel address */

/* 1 when the lower bytes of a name's first eight are the text, whose other bytes are 0. */
INLINE u64 begins(u64 head, u64 mask, u64 text)
{
	u64 d = (head & mask) ^ text;
	d |= 0 - d;
	OPAQUE(d);
	return 1 - (d >> 63);
}

#define FIRST(n) (~0ull >> (64 - 8 * (n)))

/* The parent and the name of b->node; of no node, none. */
INLINE void box_read(struct dw_box *b)
{
	b->above = b->name = b->head = 0;
	if (!b->node)
		return;
	if (b->name_at == b->above_at + 8) {
		READ(&b->above, 16, b->node + b->above_at);
	} else {
		READ(&b->above, 8, b->node + b->above_at);
		READ(&b->name, 8, b->node + b->name_at);
	}
	READ(&b->head, 8, b->name);
}

/* The container whose cgroup is b->node or one up to three levels above. Podman makes a cgroup inside its own; systemd
 * and Docker make theirs inside a container (lxc.payload.web/system.slice/nginx.service). Returns the address of its id
 * or name, with the kind (DW_BOX_) in place of the highest byte; 0: it is in no container. */
u64 box_find(struct dw_box *b)
{
	if (!b)
		return 0;
	box_read(b);
#pragma clang loop unroll(disable)
	for (int i = 0; i < BOX_LEVELS; i++) {
		u64 name = b->name, head = b->head;
		if (!b->node)
			return 0;
		b->node = b->above;
		box_read(b);
		/* the beginning of the container's own name, before the id; of 8 characters and more, the first 8 */
		u64 docker = begins(head, FIRST(7), 0x2d72656b636f64);    /* "docker-" */
		u64 podman = begins(head, FIRST(7), 0x2d646f7062696c);    /* "libpod-" */
		u64 crio = begins(head, FIRST(5), 0x2d6f697263);          /* "crio-" */
		u64 cri = begins(head, FIRST(8), 0x746e6f632d697263);     /* "cri-containerd-" */
		u64 payload = begins(head, FIRST(8), 0x6c7961702e63786c); /* "lxc.payload." */
		u64 skip = (docker | podman) * 7 + crio * 5 + cri * 15 + payload * 12;
		u64 kind = docker * DW_BOX_DOCKER + podman * DW_BOX_PODMAN + crio * DW_BOX_CRIO +
			cri * DW_BOX_CONTAINERD + payload * DW_BOX_LXC;
		/* or of its parent's, below which it is named by the id alone */
		u64 below = begins(b->head, FIRST(7), 0x72656b636f64) * DW_BOX_DOCKER + /* "docker" */
			begins(b->head, FIRST(3), 0x646f70) * DW_BOX_KUBERNETES +       /* "pod..." */
			begins(b->head, FIRST(4), 0x63786c) * DW_BOX_LXC +              /* "lxc" and the NUL */
			begins(b->head, FIRST(8), 0x2e656e696863616d) *
				DW_BOX_MACHINE; /* "machine.slice", of systemd-nspawn */
		kind += below * (1 - nonzero(kind));
		OPAQUE(kind);
		if (kind)
			return ((name + skip) & FIRST(7)) | kind << BOX_KIND;
	}
	return 0;
}
