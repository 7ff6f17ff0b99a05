// SPDX-License-Identifier: GPL-2.0-or-later
/* skblife: how long packets' buffers (sk_buff) live.
 *
 * common: interval
 * -D    byproto = 0   a distribution for each protocol
 * row: WHAT %s PROTO %s NSECS=ns %@d
 */
dtrace:::BEGIN
{
	say("Tracing sk_buff lifespans. Hit Ctrl-C to end.\n");
}

skb:::free
/ args[4]->skb_age != 0 /
{
	@life["skb_residency_nsecs", byproto ? args[4]->skb_protostr : ""] = quantize(args[4]->skb_age);
}

tool:::interval
{
	rows(@life);
	trunc(@life);
}
