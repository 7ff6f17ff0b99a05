#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# container.sh ROOT: the images as ./package container builds them. What is in them runs as the DaemonSet runs it, with a
# pipe between two roots, but without a container engine: one with three capabilities, one without any. The lines for
# kubectl run with a kubectl that enters that root. Needs root, some ten minutes and the network.
set -eu -o pipefail
root=$1
[ "$(id -u)" -eq 0 ] || { echo "skip: needs root"; exit 77; }
. "$root/.ci/lib.sh"
need_packages "to test the images" python3 python3-yaml curl clustershell
if [ -z "${IMAGES_ARE_BUILT-}" ]; then # the rest has a network and mounts that end with it
	"$root/package" container >/dev/null
	exec env IMAGES_ARE_BUILT=1 unshare --net --mount "$0" "$root"
fi
ip link set lo up
tmp=$(mktemp -d /tmp/dwt.XXXXXX)
finish() {
	local m
	kill $(jobs -p) 2>/dev/null || :
	for m in "$tmp"/*/{sys,proc,run/dwire}; do
		umount -l "$m" 2>/dev/null || :
	done
	rm -rf --one-file-system "$tmp"
}
trap finish EXIT
fail() {
	echo "FAILED: $*"
	exit 1
}

# The layers of an image, the last over the first.
unpack() { # IMAGE
	mkdir -p "$tmp/oci.$1" "$tmp/$1"
	tar -C "$tmp/oci.$1" -xf "$root/build-packages/$1.tar"
	python3 - "$tmp/oci.$1" <<-'END' | while read -r layer; do tar -C "$tmp/$1" -xf "$layer"; done
		import json, sys
		def blob(digest):
		    return sys.argv[1] + "/blobs/" + digest.replace(":", "/")
		index = json.load(open(sys.argv[1] + "/index.json"))
		for layer in json.load(open(blob(index["manifests"][0]["digest"])))["layers"]:
		    print(blob(layer["digest"]))
	END
	mkdir -p "$tmp/$1"/{proc,sys,run/dwire}
	mount -t proc proc "$tmp/$1/proc" && mount --rbind /sys "$tmp/$1/sys" && mount --make-rslave "$tmp/$1/sys"
}
unpack dwire
unpack dwire-export
[ "$(find "$tmp/dwire" -xdev -type f | wc -l)" -eq 2 ] || fail "files of dwire: $(find "$tmp/dwire" -xdev -type f)"
[ "$(stat -c %s "$tmp/dwire/usr/sbin/dwire")" -le $((4 << 20)) ] || fail "the program is larger than 4 MB"

# enter ROOT USER GROUP CAPABILITY,... COMMAND...: as a container engine does, with a bounding set and no new privileges.
cat >"$tmp/enter" <<'END'
#!/usr/bin/python3
import ctypes, os, sys
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38  # linux/prctl.h
root, user, group, caps, command = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5:]
os.chroot(root)
os.chdir("/")
prctl = ctypes.CDLL(None).prctl
keep = {"NET_ADMIN": 12, "PERFMON": 38, "BPF": 39}  # linux/capability.h
for cap in range(64):
    if cap not in [keep[c] for c in caps.split(",") if c]:
        prctl(PR_CAPBSET_DROP, cap, 0, 0, 0)
prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
os.setgroups([])
os.setgid(group)
os.setuid(user)
os.execvpe(command[0], command, {"PATH": "/usr/sbin:/usr/bin:/bin"})
END
# What the DaemonSet says of a container, a word a line.
of() { # CONTAINER FIELD: command, add, user, group
	python3 - "$root/packaging/kubernetes/dwire.yaml" "$@" <<-'END'
		import sys, yaml
		path, name, field = sys.argv[1:]
		pod = [d for d in yaml.safe_load_all(open(path)) if d["kind"] == "DaemonSet"][0]["spec"]["template"]["spec"]
		c, = [c for c in pod["initContainers"] + pod["containers"] if c["name"] == name]
		rights = c["securityContext"]
		assert rights["capabilities"]["drop"] == ["ALL"] and not rights.get("privileged"), name
		print(*{"command": c["command"], "user": [rights["runAsUser"]], "group": [rights["runAsGroup"]],
		        "add": [",".join(rights["capabilities"].get("add", []))]}[field], sep="\n")
	END
}
run() { # CONTAINER IMAGE
	local command
	mapfile -t command < <(of "$1" command)
	exec python3 "$tmp/enter" "$tmp/$2" "$(of "$1" user)" "$(of "$1" group)" "$(of "$1" add)" "${command[@]}"
}
[ "$(of trace add)/$(of export add)" = BPF,PERFMON,NET_ADMIN/ ] || fail "rights: $(of trace add), $(of export add)"

mkdir -m 777 "$tmp/pipe"
mount --bind "$tmp/pipe" "$tmp/dwire/run/dwire"
mount --bind "$tmp/pipe" "$tmp/dwire-export/run/dwire"
(run pipe dwire-export)
[ -p "$tmp/pipe/stream" ] || fail "no pipe"
(run trace dwire) 2>"$tmp/trace.err" &
(run export dwire-export) 2>"$tmp/export.err" &
for _ in {1..150}; do
	curl -s http://127.0.0.1:9435/metrics >"$tmp/metrics" && grep -q '^dwire_trace_up{.*} 1' "$tmp/metrics" && break
	sleep 0.2
done
grep -q '^dwire_trace_up{.*} 1' "$tmp/metrics" || fail "no metrics: $(cat "$tmp"/*.err)"
grep -q '^CapBnd:.0*$' "/proc/$!/status" || fail "dwire-export has capabilities"
! kill %1 %2 || wait

# The lines of packaging/kubernetes/README.md, where each pod is this machine.
printf '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec python3 %q %q 0 0 BPF,PERFMON,NET_ADMIN "$@"\n' \
	"$tmp/enter" "$tmp/dwire" >"$tmp/kubectl"
chmod +x "$tmp/kubectl"
export PATH=$tmp:$PATH
kubectl -n dwire exec -i pod/dwire-1 -c trace -- dwire -qn 'BEGIN { printf("%d\n", 6 * 7); exit(0); }' >"$tmp/one"
grep -qx 42 "$tmp/one" || fail "one node: $(<"$tmp/one")"
"$root/build/dwire" on --through 'kubectl -n dwire exec -i %h -c trace --' dwire-1,dwire-2 \
	-qn 'BEGIN { @ = count(); exit(0); }' >"$tmp/all" 2>&1 || fail "all nodes: $(<"$tmp/all")"
grep -qE '^ +2$' "$tmp/all" || fail "all nodes: $(<"$tmp/all")"
