/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vfs: sites and arguments of the fsinfo provider: system calls on files. A call names its file by a descriptor or by
 * a path; a path is shown as the process gives it. Output: struct dw_fs, and of it fileinfo_t. */
struct dw_fs {
	struct file *file;	/* NULL: none */
	uint64_t path;		/* address of the path in the process; 0: none */
	int64_t nr;		/* -1: of a 32-bit program */
	int64_t ret;
	int64_t flags;		/* of open(2), mmap(2); unlinkat(2) */
};

translator struct dw_fs < struct dw_fs *P > {
	file = (struct file *)0;
	path = 0;
	flags = 0;
};

inline int64_t dw_native[int64_t nr] = __sysforeign[nr] ? -1 : nr;

/* sys_enter: a descriptor that is about to be closed */
struct dw_fsclose {
	struct pt_regs *regs;
	int64_t nr;
};
translator struct dw_fs < struct dw_fsclose *C > {
	file = __file[(int)__sysarg0[C->regs]];
	nr = dw_native[C->nr];
	ret = 0;
};

/* sys_exit: the descriptor is the first argument, the fifth (mmap), the result (open) */
struct dw_fsfd {
	struct pt_regs *regs;
	int64_t ret;
};
translator struct dw_fs < struct dw_fsfd *C > {
	file = __file[(int)__sysarg0[C->regs]];
	nr = __nr_of[__sysnr[C->regs]];
};

struct dw_fsmap { struct dw_fsfd; };
translator struct dw_fs < struct dw_fsmap *C > {
	file = __file[(int)__sysarg4[C->regs]];
	nr = dw_native[__sysnr[C->regs]];
	flags = __sysarg3[C->regs];
};

struct dw_fsopen { struct dw_fsfd; };
translator struct dw_fs < struct dw_fsopen *C > {
	file = __file[(int)C->ret];
	nr = dw_native[__sysnr[C->regs]];
	flags = __sysnr[C->regs] == __nr_open ? __sysarg1[C->regs] : __sysnr[C->regs] == __nr_openat ? __sysarg2[C->regs] :
	    __sysnr[C->regs] == __nr_openat2 ? __user(__sysarg2[C->regs], 8) : DW_O_CREAT;	/* creat */
};

/* sys_exit: the path is the first argument, or (dw_fspathat) the second */
struct dw_fspath { struct dw_fsfd; };
translator struct dw_fs < struct dw_fspath *C > {
	path = __sysarg0[C->regs];
	nr = dw_native[__sysnr[C->regs]];
};

struct dw_fspathat { struct dw_fsfd; };
translator struct dw_fs < struct dw_fspathat *C > {
	path = __sysarg1[C->regs];
	nr = dw_native[__sysnr[C->regs]];
	flags = __sysarg2[C->regs];
};

/* newfstatat, statx: an empty path means the descriptor, the first argument. */
struct dw_fsstat { struct dw_fsfd; };
translator struct dw_fs < struct dw_fsstat *C > {
	file = __file[(int)__sysarg0[C->regs]];
	path = ((__sysnr[C->regs] == __nr_statx ? __sysarg2[C->regs] : __sysarg3[C->regs]) & DW_AT_EMPTY_PATH) != 0 ? 0 :
	    __sysarg1[C->regs];
	nr = dw_native[__sysnr[C->regs]];
};

inline int64_t DW_AT_EMPTY_PATH = 0x1000;
inline int64_t DW_AT_REMOVEDIR = 0x200;
inline int64_t DW_MAP_ANONYMOUS = 0x20;
inline int DW_O_CREAT = 0x40;

translator fileinfo_t < struct dw_fs *P > {
	fi_name = P->path != 0 ? basename(copyinstr(P->path)) : xlate <fileinfo_t> (P->file).fi_name;
	fi_dirname = P->path != 0 ? dirname(copyinstr(P->path)) : xlate <fileinfo_t> (P->file).fi_dirname;
	fi_pathname = P->path != 0 ? copyinstr(P->path) : xlate <fileinfo_t> (P->file).fi_pathname;
	fi_offset = P->path != 0 ? 0 : xlate <fileinfo_t> (P->file).fi_offset;
	fi_fs = P->path != 0 ? "<unknown>" : xlate <fileinfo_t> (P->file).fi_fs;
	fi_mount = P->path != 0 ? "<unknown>" : xlate <fileinfo_t> (P->file).fi_mount;
	fi_oflags = P->path != 0 ? 0 : xlate <fileinfo_t> (P->file).fi_oflags;
};
