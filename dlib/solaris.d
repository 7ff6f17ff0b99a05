/* SPDX-License-Identifier: GPL-2.0-or-later */
/* solaris: variables of the Solaris kernel that scripts read as `name; __sym_NAME defines `NAME. */

inline int __sym_hp_avenrun[int i] = (int)__machine(i);	/* load averages, times 65536 */
inline unsigned long __sym_avenrun[int i] = __machine(i) >> 5;	/* Linux's own: times 2048 */
inline int __sym_nthread = (int)__machine(3);
inline int __sym_ncpus = (int)__machine(4);
inline int __sym_ncpus_online = (int)__machine(4);
inline pgcnt_t __sym_physmem = (pgcnt_t)__machine(5);
inline pgcnt_t __sym_freemem = (pgcnt_t)__machine(6);
inline int __sym__pagesize = (int)__pagesize();
inline clock_t __sym_lbolt = (clock_t)(timestamp / 10000000);	/* ticks of 10 ms */
