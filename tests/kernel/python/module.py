# SPDX-License-Identifier: GPL-2.0-or-later
"""The Python module against programs whose results are known. module.sh runs it, as root."""
import asyncio
import io
import json
import os
import signal
import subprocess
import threading
import time
import unittest
import warnings

import dwire

HERE = os.path.dirname(os.path.abspath(__file__))


class Values(unittest.TestCase):
    def test_record(self):
        with dwire.Trace('BEGIN { printf("%d %s %x %d", $1 + 1, $$2, 0xffffffffffffffff, -7); exit(3); }', 41, "a b") as t:
            rows = list(t)
        self.assertEqual([r.values for r in rows], [(42, "a b", (1 << 64) - 1, -7)])
        self.assertEqual((rows[0].action, rows[0].probe, t.status, t.drops), ("printf", "dtrace:::BEGIN", 3, []))
        self.assertLess(abs(rows[0].time - time.monotonic_ns()), 60e9)

    def test_names(self):
        with dwire.Trace("BEGIN { printf(\"%d %s\", pid, probename); trace(1); exit(0); }") as t:
            first, second = list(t)
        self.assertEqual((first["pid"], first["probename"], len(first)), (os.getpid(), "BEGIN", 2))
        self.assertEqual(second.dict(), {"0": 1})
        with self.assertRaisesRegex(KeyError, "execname; this row has pid, probename"):
            first["execname"]

    def test_bytes_and_stack(self):
        with dwire.Trace("BEGIN { tracemem(curthread->comm, 3); stack(2); exit(0); }") as t:
            rows = list(t)
        self.assertEqual(rows[0].values, (b"pyt",))
        frames, = rows[1].values
        self.assertEqual(len(frames), 2)
        self.assertTrue(all(f.startswith("vmlinux`") for f in frames), frames)

    def test_aggregations(self):
        with dwire.Trace("""BEGIN { @n["a", 1] = count(); @n["a", 1] = count(); @n["b", -2] = count();
                @s[7] = sum(-3); @ = max(9); @q = quantize(5); @q = quantize(6); @q = quantize(-1); exit(0); }""") as t:
            t.wait()
        a = t.aggregations
        self.assertEqual(a["n"], {("a", 1): 2, ("b", -2): 1})
        self.assertEqual((a["s"], a[""]), ({7: -3}, {(): 9}))
        self.assertEqual((a["n"].function, a["n"].name), ("count", "n"))
        q = a["q"][()]
        self.assertEqual(q, [(-1, -1, 1), (4, 7, 2)])
        self.assertEqual((q.total, q.quantile(0.1), q.quantile(0.5)), (3, -1, 7))

    def test_tables_in_order(self):
        program = 'BEGIN { @ = count(); printa(@); trace("x"); @ = count(); printa(@); clear(@); exit(0); }'
        with dwire.Trace(program) as t:
            seen = [e[()] if isinstance(e, dict) else e[0] for e in t.events()]
        self.assertEqual(seen, [1, "x", 2] if len(seen) == 3 and seen[0] == 1 else [2, "x", 2])

    def test_frame(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        with dwire.Trace('BEGIN { @c["a", pid] = count(); @q["b"] = quantize(5); trace(probename); exit(0); }') as t:
            records = list(t)
        c, q = t.aggregations["c"].frame(), t.aggregations["q"].frame()
        self.assertEqual((list(c.columns), c.values.tolist()), (["key1", "pid", "count"], [["a", os.getpid(), 1]]))
        self.assertEqual((list(q.columns), q.values.tolist()), (["key1", "low", "high", "n"], [["b", 4, 7, 1]]))
        self.assertEqual(dwire.frame(records)["probename"].tolist(), ["BEGIN"])


class Life(unittest.TestCase):
    def test_traffic(self):
        """The bytes of a program that says itself how many it sent."""
        out = os.path.join(os.getcwd(), "trigger.out")
        with open("run.sh", "w") as f:
            f.write(f"#!/bin/sh\nexec udp_echo -4 -n 5 >{out}\n")
        os.chmod("run.sh", 0o755)
        program = "udp:::send { @[args[1]->cs_pid] = sum(args[2]->ip_plength); }"
        with dwire.Trace(program, command=os.path.abspath("run.sh")) as t:
            t.wait()
        with open(out) as f:
            said = dict(line.strip().split("=", 1) for line in f if "=" in line)
        for end in ("client", "server"):
            want = int(said[end + "_bytes_out"]) + 8 * int(said[end + "_datagrams_out"])
            self.assertEqual(t.aggregations[""][int(said[end + "_pid"])], want, end)

    def test_seconds(self):
        began = time.monotonic()
        with dwire.Trace("tick-100ms { trace(1); } END { trace(2); }", seconds=0.5) as t:
            rows = [r[0] for r in t]
        self.assertGreaterEqual(time.monotonic() - began, 0.5)
        self.assertEqual(rows[-1], 2)
        self.assertIn(1, rows)

    def test_break_and_exception(self):
        for how in (StopIteration, ZeroDivisionError):
            with self.subTest(how):
                t = dwire.Trace("tick-1ms { trace(1); @ = count(); }")
                try:
                    with t:
                        for _ in t:
                            if how is StopIteration:
                                break
                            1 / 0
                except ZeroDivisionError:
                    pass
                self.assertGreater(t.aggregations[""][()], 0)
                self.assertIsNone(t.d)

    def test_stop_from_thread(self):
        with dwire.Trace("tick-1s { trace(1); }") as t:
            threading.Timer(0.3, t.stop).start()
            t.wait()
        self.assertEqual(t.status, 0)

    def test_ctrl_c(self):
        """KeyboardInterrupt at once; the aggregation is complete, and nothing stays."""
        code = """if 1:
            import dwire
            t = dwire.Trace("BEGIN { trace(1); } END { @ = count(); }")
            try:
                with t:
                    for row in t:
                        print("ready", flush=True)
            except KeyboardInterrupt:
                print("interrupted", t.aggregations[""][()], t.status)"""
        p = subprocess.Popen(["/usr/bin/python3", "-c", code], stdout=subprocess.PIPE, text=True,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        self.assertEqual(p.stdout.readline(), "ready\n")
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.communicate(timeout=10)[0], "interrupted 1 0\n")

    def test_output(self):
        out = io.StringIO()
        with dwire.Trace('BEGIN { printf("%03d\\n", 7); exit(0); }', options={"quiet": True}, output=out) as t:
            t.wait()
        self.assertEqual(out.getvalue().strip(), "007")

    def test_handles_side_by_side(self):
        with dwire.Trace("BEGIN { trace(1); exit(0); }") as a, dwire.Trace("BEGIN { trace(2); exit(0); }") as b:
            self.assertEqual([[r[0] for r in a], [r[0] for r in b]], [[1], [2]])

    def test_asyncio(self):
        async def main():
            beats = []

            async def beat():
                while True:
                    beats.append(1)
                    await asyncio.sleep(0.02)

            task = asyncio.create_task(beat())
            async with dwire.Trace("tick-100ms { trace(1); } tick-450ms { exit(4); } END { trace(2); }") as t:
                rows = [r[0] async for r in t]
            task.cancel()
            return rows, t.status, len(beats)

        rows, status, beats = asyncio.run(main())
        self.assertEqual((rows[-1], set(rows[:-1]), status), (2, {1}, 4))
        self.assertGreater(beats, 5)

    def test_asyncio_seconds(self):
        async def main():
            async with dwire.Trace("BEGIN { trace(1); }", seconds=0.3) as t:
                return [r[0] async for r in t]

        self.assertEqual(asyncio.run(main()), [1])


class Faults(unittest.TestCase):
    def test_error(self):
        with self.assertRaises(dwire.Error) as e:
            dwire.Trace("BEGIN { }\ntcp:::sendd { }").start()
        e = e.exception
        self.assertEqual((e.tag, e.hint, e.file, e.line, e.column),
                         ("D_PDESC_ZERO", "did you mean tcp:::send?", "program", 2, 1))
        self.assertIn("    tcp:::sendd { }\n    ^~~~~~~~~~~", str(e))

    def test_error_of_an_option(self):
        with self.assertRaises(dwire.Error) as e:
            dwire.Trace("BEGIN { }", options={"bufsise": "8m"})
        self.assertIn("bufsise", str(e.exception))

    def test_script_and_its_name(self):
        with open("x.d", "w") as f:
            f.write("BEGIN { trace(nosuch); }")
        with self.assertRaises(dwire.Error) as e:
            with dwire.Trace(__import__("pathlib").Path("x.d")):
                pass
        self.assertEqual((e.exception.file, e.exception.line), ("x.d", 1))

    def test_drops_are_seen(self):
        """More than the buffer holds, with a reader that sleeps."""
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            with dwire.Trace("""tick-4999hz { tracemem(curthread, 1024);
                    tracemem(curthread, 1024); @ = count(); }""", options={"bufsize": "16k"}, seconds=1) as t:
                time.sleep(0.7)
                rows = sum(1 for _ in t)
        self.assertGreater(sum(d.n for d in t.drops if d.cause == "RING"), 0)
        self.assertGreaterEqual(len([w for w in seen if w.category is dwire.DropWarning]), 1)
        self.assertEqual(rows, 2 * t.aggregations[""][()])  # a clause that finds no room does nothing

    def test_a_callback_that_fails(self):
        """An exception inside the library comes out of the iteration."""
        class Bad(io.StringIO):
            def write(self, _):
                raise RuntimeError("full")

        with self.assertRaisesRegex(RuntimeError, "full"):
            with dwire.Trace('BEGIN { printf("x"); } tick-10ms { printf("y"); }', output=Bad(), seconds=5) as t:
                t.wait()

    def test_a_clause_that_fails(self):
        with self.assertLogs("dwire", "INFO") as logs:
            with dwire.Trace("BEGIN { trace(*(int *)0); } BEGIN { exit(0); }") as t:
                t.wait()
        self.assertIn("invalid address", logs.output[0])
        self.assertIn("invalid address", t.messages[0].text)


class Lists(unittest.TestCase):
    def test_probes(self):
        send, = dwire.probes("tcp:::send")
        self.assertEqual((send.provider, send.name, send.args[0]), ("tcp", "send", "pktinfo_t *"))
        with self.assertRaises(dwire.Error):
            dwire.probes("nosuch:::")
        with self.assertRaisesRegex(dwire.Error, "tcp:::nosuch"):
            dwire.probes("tcp:::send, tcp:::nosuch")

    def test_version(self):
        with open(os.environ["BUILD"] + "/meson-info/intro-projectinfo.json") as f:
            self.assertEqual(dwire.version(), json.load(f)["version"])


if __name__ == "__main__":
    unittest.main()
