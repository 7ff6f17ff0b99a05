// SPDX-License-Identifier: GPL-2.0-or-later
/* qdisc-cbq: time that packets spend in cbq queues.
 *
 * script: qdisclat
 * common: owner hosts interval
 * -i DEVICE   device = ""    only this device
 * -D          bydev = 0      a distribution for each device
 * row: QDISC %s DEVICE %s USECS=us %@d
 */
inline string kind = "cbq";
