// SPDX-License-Identifier: GPL-2.0-or-later
/* ieee80211scan: scans for wireless networks: who, which channels, how long.
 *
 * module: cfg80211
 * -i DEVICE   device = ""    only this interface
 * -p PID,...  asker = any    only scans that these processes requested
 * row: EVENT %s DEVICE %s PID %d COMM %s BAND %s FREQ %d BEACON=beacon_found %d CHANNELS %d MS %d ABORTED %d
 */
dtrace:::BEGIN
{
	say("Tracing ieee80211 SSID scans. Hit Ctrl-C to end.\n");
}

wifi:::scan-start
/ tool_text && (device == "" || args[0]->wi_ifname == device) && asker[args[1]->cs_pid] /
{
	printf("%#T scan started (on-CPU PID %d, %s)\n", walltimestamp, args[1]->cs_pid, args[1]->cs_execname);
}

/* Where no device's channels are the kernel's to choose, mac80211 is not loaded: a pattern may mean nothing. */
wifi:::scan-channel*
/ tool_text && (device == "" || args[0]->wi_ifname == device) && asker[args[1]->cs_pid] /
{
	printf("%#T scanning channel %s freq %d: beacon_found %d\n", walltimestamp, args[0]->wi_band, args[0]->wi_freq, args[0]->wi_beacon);
}

wifi:::scan-done
/ tool_text && (device == "" || args[0]->wi_ifname == device) && asker[args[1]->cs_pid] /
{
	printf("%#T scan %s: %d ms\n", walltimestamp,
	    args[0]->wi_aborted ? "aborted" : "completed", args[0]->wi_time / 1000000);
}

wifi:::scan-start
/ !tool_text && (device == "" || args[0]->wi_ifname == device) && asker[args[1]->cs_pid] /
{
	row("start", args[0]->wi_ifname,
	    args[1]->cs_pid, args[1]->cs_execname, "", 0, 0, args[0]->wi_channels, 0, 0);
}

wifi:::scan-channel*
/ !tool_text && (device == "" || args[0]->wi_ifname == device) && asker[args[1]->cs_pid] /
{
	row("channel", args[0]->wi_ifname,
	    args[1]->cs_pid, args[1]->cs_execname, args[0]->wi_band, args[0]->wi_freq, args[0]->wi_beacon,
	    args[0]->wi_channels, args[0]->wi_time / 1000000, 0);
}

wifi:::scan-done
/ !tool_text && (device == "" || args[0]->wi_ifname == device) && asker[args[1]->cs_pid] /
{
	row("done", args[0]->wi_ifname,
	    args[1]->cs_pid, args[1]->cs_execname, "", 0, 0, args[0]->wi_channels, args[0]->wi_time / 1000000,
	    args[0]->wi_aborted);
}
