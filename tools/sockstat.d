// SPDX-License-Identifier: GPL-2.0-or-later
/* sockstat: sockets made, connected, accepted, read, written: counts.
 *
 * common: owner interval=1
 * row: EVENT=event sock:::%-16s COUNT %@10d
 */
#pragma D option aggsortkey

dtrace:::BEGIN
{
	say("Tracing sock statistics. Output every %s second%s.\n", interval_text, interval_text == "1" ? "" : "s");
}

sock:::create, sock:::bind, sock:::listen, sock:::connect-start, sock:::connect-done, sock:::accept-done, sock:::send,
sock:::receive, sock:::buffer-full, sock:::close
/ wanted(args[1]) /
{
	@events[probename] = count();
}

tool:::interval
{
	header();
	rows(@events);
	trunc(@events);
}
