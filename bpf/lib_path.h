/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib_path: builds text that the kernel stores in pieces (paths, command lines); part of lib.bpf.c. Input: a dentry
 * and its mount. Output: the text at the end of a buffer. Invariant: the loop is bounded by PATH_LEVELS. */
static long (*read_kernel)(void *to, u32 size, const void *from) = (void *)113;

#define READ(to, size, from) read_kernel((to), (size), (const void *)(from))
#define PATH_LEVELS 40 /* entries and mounts */

/* Writes one entry's name before w->pos, or goes from a mount to where it is mounted. Returns 0 at the end: w->top says
 * whether that is the root. */
PART u64 path_step(struct dw_path *w, char *buf)
{
	if (!w || !buf)
		return 0;
	READ(&w->tmp[0], 8, w->mnt + w->mnt_root);
	if (w->tmp[0] == w->dentry) {
		u64 mount = w->mnt - w->mount_mnt;
		READ(&w->tmp[0], 8, mount + w->mount_parent);
		w->top = w->tmp[0] == mount || !w->tmp[0];
		if (w->top)
			return 0;
		READ(&w->dentry, 8, mount + w->mount_point);
		w->mnt = w->tmp[0] + w->mount_mnt;
		return 1;
	}
	READ(&w->tmp[0], 8, w->dentry + w->d_parent);
	w->tmp[1] = 0;
	READ(&w->tmp[1], 4, w->dentry + w->d_len);
	READ(&w->tmp[2], 8, w->dentry + w->d_name);
	u64 len = w->tmp[1] & 255, pos = w->pos;
	if (w->tmp[0] == w->dentry || !w->tmp[0] || pos < len + 1)
		return 0;
	pos -= len;
	pos &= 511;
	READ(buf + pos, (u32)len, w->tmp[2]);
	pos -= 1;
	pos &= 511;
	buf[pos] = '/';
	w->pos = pos;
	w->dentry = w->tmp[0];
	return 1;
}

/* Writes backwards from the end of buf. All other state is in *w, whose contents the verifier does not track. */
u64 path_text(struct dw_path *w, char *buf)
{
	if (!w || !buf)
		return 0;
	w->pos = DW_PATH_END;
	w->top = 0;
	buf[DW_PATH_END] = 0;
#pragma clang loop unroll(disable)
	for (int i = 0; i < PATH_LEVELS; i++)
		if (!path_step(w, buf))
			break;
	u64 pos = w->pos;
	if (w->top && pos == DW_PATH_END) {
		pos--;
		buf[pos] = '/';
	} else if (pos == DW_PATH_END) { /* a socket or a pipe, which is in no folder */
		pos -= 9;
		buf[pos] = '<';
		buf[pos + 1] = 'u';
		buf[pos + 2] = 'n';
		buf[pos + 3] = 'k';
		buf[pos + 4] = 'n';
		buf[pos + 5] = 'o';
		buf[pos + 6] = 'w';
		buf[pos + 7] = 'n';
		buf[pos + 8] = '>';
	}
	return pos;
}

u64 args_text(char *s, u64 len, u32 size)
{
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < size; i++) {
		u64 c = (u8)s[i], blank = (1 - nonzero(c)) & greater(len, i + 1);
		s[i] = (char)(c + 32 * blank);
	}
	return len;
}
