// SPDX-License-Identifier: GPL-2.0-or-later
/* nettxlat-dev: time that each device has packets, from driver to done.
 *
 * script: nettxlat
 * common: owner hosts interval
 * -i DEVICE   device = ""   only this device
 * row: DEVICE %s USECS=us %@d
 */
inline int bydev = 1;
