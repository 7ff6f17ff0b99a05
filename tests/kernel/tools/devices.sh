# SPDX-License-Identifier: GPL-2.0-or-later
# nettxlat, nettxlat-dev and netsize on a slow device: the time of each packet is in the bucket that the trigger
# measured, and so is its size.
need jq
netns_new devices
run() { # TOOL FAMILY MS OPTION...: OUT is its objects, one a line
	local tool=$1 family=$2 ms=$3
	shift 3
	command_file ip netns exec "$NETNS" tun_hold "$family" -n 4 -k 1000 -d "$ms"
	"$dwire" "$tool" --json "$@" --everyone --command "$tmp/cmd" >"$tmp/out" 2>"$tmp/err" || fail "$tool: $(<"$tmp/err")"
	OUT=$(grep '^{' "$tmp/out")
	expect_eq "$(value_of taken)" 4 "$tool: packets that the device took"
}
bucket() { # NUMBER
	local b=1
	while [ $((b * 2)) -le "$1" ]; do b=$((b * 2)); done
	echo $b
}
in_bucket() { # FILTER MEMBER BUCKET: the count there
	jq -s "[.[] | select($1) | .$2[]? | select(.value == $3) | .count] | add // 0" <<<"$OUT"
}

# A machine that is slow itself makes them longer, as the trigger knows. The host: IPv6 asks for routers meanwhile.
check_time() { # TOOL FILTER FAMILY HOST MS
	run "$1" "$3" "$5" --netns "$NETNS" --host "$4"
	least=$(bucket "$(value_of least_us)") most=$(bucket "$(value_of most_us)")
	got=$(in_bucket "$2" us "$least")
	[ "$least" = "$most" ] || got=$((got + $(in_bucket "$2" us "$most")))
	expect_eq "$got" 4 "$1 $3: packets of $(value_of least_us) to $(value_of most_us) us: $OUT"
	expect_eq "$(jq -s 'map(.us[].count) | add' <<<"$OUT")" 4 "$1 $3: all: $OUT"
}
check_time nettxlat true -4 10.214.0.2 40
check_time nettxlat-dev '.device=="dwtun"' -4 10.214.0.2 150
check_time nettxlat true -6 fd00:d:2::2 150
check_time nettxlat-dev '.device=="dwtun"' -6 fd00:d:2::2 40
run nettxlat -4 0 --netns "$NETNS" -p 4194304
expect_eq "$OUT" "" "nettxlat of another process"

run netsize -4 0 --netns "$NETNS" -4 -D
expect_eq "$(value_of bytes)" 4112 "bytes of the packets"
for place in nic_send_bytes send_bytes; do
	expect_eq "$(in_bucket ".device==\"dwtun\" and .place==\"$place\"" bytes 1024)" 4 "netsize: $place: $OUT"
done
expect_eq "$(jq -s 'length' <<<"$OUT")" 2 "netsize: nothing else: $OUT"
