/* SPDX-License-Identifier: GPL-2.0-or-later */
/* solaris: variables of other systems' kernels that scripts read as `name. The inline __sym_NAME defines `NAME, and
 * __sym_NAME_MEMBER defines `NAME.MEMBER. */

inline int __sym_hp_avenrun[int i] = (int)__machine(i);	/* load averages, times 65536 */
inline unsigned long __sym_avenrun[int i] = __machine(i) >> 5;	/* Linux's own: times 2048 */
inline int __sym_nthread = (int)__machine(3);
inline int __sym_ncpus = (int)__machine(4);
inline int __sym_ncpus_online = (int)__machine(4);
inline pgcnt_t __sym_physmem = (pgcnt_t)__machine(5);
inline pgcnt_t __sym_freemem = (pgcnt_t)__machine(6);
inline int __sym__pagesize = (int)__pagesize();
inline clock_t __sym_lbolt = (clock_t)(timestamp / 10000000);	/* ticks of 10 ms */
inline int __sym_mpid = (int)curthread->thread_pid->numbers[0].ns->idr.idr_next - 1;	/* the last process id */

/* FreeBSD's load averages. */
inline uint32_t __sym_averunnable_ldavg[int i] = (uint32_t)__machine(i) >> 5;
inline long __sym_averunnable_fscale = 2048;

/* The names that the current process sees; a container may have its own. */
inline struct new_utsname __sym_utsname = curthread->nsproxy->uts_ns->name;
inline string __sym_utsname_sysname = curthread->nsproxy->uts_ns->name.sysname;
inline string __sym_utsname_nodename = curthread->nsproxy->uts_ns->name.nodename;
inline string __sym_utsname_release = curthread->nsproxy->uts_ns->name.release;
inline string __sym_utsname_version = curthread->nsproxy->uts_ns->name.version;
inline string __sym_utsname_machine = curthread->nsproxy->uts_ns->name.machine;

/* The protocol of pcap()'s packet on Solaris: here all packets begin at the IP header. */
inline int PCAP_IP = 0;
