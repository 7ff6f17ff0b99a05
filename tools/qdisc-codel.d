// SPDX-License-Identifier: GPL-2.0-or-later
/* qdisc-codel: time that packets spend in codel queues.
 *
 * script: qdisclat
 * common: owner hosts interval
 * -i DEVICE   device = ""    only this device
 * -D          bydev = 0      a distribution for each device
 * row: QDISC %s DEVICE %s USECS=us %@d
 */
inline string kind = "codel";
