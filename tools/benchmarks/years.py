"""Rows of `aged_log.py` about a log of years: 31,250 sealed segments of 64 MiB with 50,000 sessions, 2 TB.

They are sparse files whose headers and indices are true (`sparse_log.py`, 2 GB on disk), behind one
session that was sent.
"""
import json, os, random, signal, statistics, tempfile, time, urllib.request, uuid

from long_sessions import Daemon, Rewinder, push
import sparse_log


def welcomes(daemon, token, sessions):
    """Milliseconds from a hello to its welcome."""
    times = []
    for session in sessions:
        link = daemon.connect("device")
        stream = link.makefile("rb")
        began = time.perf_counter()
        hello = {"type": "hello", "token": token, "session": str(session), "recorded": True}
        link.sendall(json.dumps(hello).encode() + b"\n")
        assert json.loads(stream.readline())["type"] == "welcome"
        times.append((time.perf_counter() - began) * 1000)
        link.close()
    return sorted(times)


def histories(daemon, share, count):
    """Milliseconds of ten items."""
    times = []
    for _ in range(count):
        began = time.perf_counter()
        url = f"http://{daemon.addresses['http']}/v1/shares/{share}/history?limit=10"
        with urllib.request.urlopen(url, timeout=60) as answer:
            assert json.load(answer)
        times.append((time.perf_counter() - began) * 1000)
    return sorted(times)


def first_latests(daemon, share, count):
    """Milliseconds of the first request for a share's last values after a start."""
    times = []
    for _ in range(count):
        daemon.start()
        began = time.perf_counter()
        url = f"http://{daemon.addresses['http']}/v1/shares/{share}/latest"
        with urllib.request.urlopen(url, timeout=60) as answer:
            assert json.load(answer)["startedAt"]
        times.append((time.perf_counter() - began) * 1000)
        daemon.end(signal.SIGKILL)
    return times


def first_bytes(daemon, token, session, rounds):
    """Median milliseconds until the first byte of each format's export."""
    medians = {}
    for name in ("gpx", "tcx", "fit", "csv", "csv-motion", "ndjson", "mcap"):
        times = []
        for _ in range(rounds):
            request = urllib.request.Request(
                f"http://{daemon.addresses['http']}/v1/me/sessions/{session}/export?format={name}",
                headers={"Authorization": "Bearer " + token})
            began = time.perf_counter()
            with urllib.request.urlopen(request, timeout=60) as answer:
                assert answer.read(1)
                times.append((time.perf_counter() - began) * 1000)
                answer.read()
        medians[name] = statistics.median(times)
    return medians


def resident(daemon):
    """MiB of memory."""
    with open(f"/proc/{daemon.process.pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


def listing(daemon):
    """Milliseconds of the command that lists the newest sessions."""
    began = time.perf_counter()
    daemon.run("session", "list", "--json", "--state", daemon.state)
    return (time.perf_counter() - began) * 1000


def begun(daemon, token):
    """Starts the daemon: seconds until it is ready, MiB, and milliseconds of the first handshake
    and list."""
    daemon.start()
    [welcome] = welcomes(daemon, token, [uuid.uuid4()])
    return daemon.ready, resident(daemon), welcome, listing(daemon)


def forget(folder):
    """The system keeps nothing of the files in memory."""
    os.sync()
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def years(options):
    """Rows about a log of years. Its oldest session is real, and a share shows it."""
    with tempfile.TemporaryDirectory(prefix="years") as folder:
        daemon = Daemon(options.daemon, folder)
        tokens = {name: open(daemon.token_file(name)).read() for name in ("first", "watch")}
        share = daemon.ask("share", "create", "--device", "first")["id"]
        start = 1_400_000_000_000_000
        push(daemon, tokens["watch"], str(uuid.uuid4()), 60, start - 86_400_000_000)
        oldest = str(uuid.uuid4())
        push(daemon, tokens["first"], oldest, 1800, start)
        daemon.end()
        log = os.path.join(daemon.state, "log")
        names = sorted(name for name in os.listdir(log) if name.endswith(".segment"))
        device = sparse_log.read_end(os.path.join(log, names[0]))[2]
        last = sparse_log.append(
            log, options.segments, options.segments * 8 // 5, device, start + 86_400_000_000)
        catalog = os.path.join(log, "catalog")
        os.sync()
        begin = lambda: begun(daemon, tokens["watch"])
        without, unread, ready = [], [], []
        for starts, is_forgotten in [(without, False)] * 3 + [(unread, True)] * 3:
            if os.path.exists(catalog):
                os.remove(catalog)
            if is_forgotten:
                forget(log)
            starts.append(begin())
            daemon.end(signal.SIGKILL)
        begin()
        # Writes the catalog.
        daemon.end()
        for _ in range(3):
            ready.append(begin())
            daemon.end(signal.SIGKILL)
        seconds, memory, first, lists = zip(*ready)
        blind, _, blind_first, blind_lists = zip(*without)
        cold = [start[0] for start in unread]
        latest = first_latests(daemon, share, 5)
        daemon.start()
        exports = first_bytes(daemon, tokens["first"], oldest, 3)
        lists_later = sorted(listing(daemon) for _ in range(10))
        fresh = welcomes(daemon, tokens["watch"], [uuid.uuid4() for _ in range(50)])
        known = welcomes(daemon, tokens["watch"], [last])
        history = histories(daemon, share, 20)
        viewer = Rewinder(daemon, share)
        viewer.message()
        viewer.send({"pause": True})
        draw = random.Random(2)
        seek = sorted(viewer.seek(start / 1e6 + 60 + draw.random() * 1600) * 1000
                      for _ in range(50))
        after = resident(daemon)
        size = os.path.getsize(catalog) / 2**20
        daemon.end(signal.SIGKILL)
    return [
        ("log of years", f"{options.segments:,} segments, {options.segments * 8 // 5:,} sessions, "
         f"catalog {size:.1f} MiB", "", True),
        ("ready with the catalog, worst of 3, after an orderly end and kill -9",
         f"{max(seconds):.2f} s", "≤ 1 s", max(seconds) <= 1),
        ("ready without the catalog, worst of 3; with no file in memory",
         f"{max(blind):.2f} s; {max(cold):.2f} s", "≤ 2 s", max(*blind, *cold) <= 2),
        ("first handshake after a start, worst of 3 with the catalog and 3 without",
         f"{max(first + blind_first):.1f} ms", "≤ 5 ms", max(first + blind_first) <= 5),
        ("`session list` as a command, the first after those starts, worst; later, p50 of 10",
         f"{max(lists + blind_lists):.0f} ms; {lists_later[5]:.0f} ms", "≤ 100 ms",
         max(lists + blind_lists) <= 100),
        ("memory after the start; after hellos, history and seeks",
         f"{max(memory):.0f} MiB; {after:.0f} MiB", "≤ 150 MiB", max(*memory, after) <= 150),
        ("hello of a new session, p50 / worst of 50; of one of years ago",
         f"{fresh[25]:.1f} / {fresh[-1]:.1f} ms; {known[0]:.1f} ms", "p50 ≤ 5 ms", fresh[25] <= 5),
        ("history of ten items of the oldest session, p50 / worst of 20",
         f"{history[10]:.1f} / {history[-1]:.1f} ms", "≤ 50 ms", history[-1] <= 50),
        ("first `/latest` of the oldest session after a start, worst of 5", f"{max(latest):.1f} ms",
         "≤ 10 ms", max(latest) <= 10),
        ("first byte of the oldest session's export: " + ", ".join(exports),
         ", ".join(f"{found:.0f}" for found in exports.values()) + " ms", "≤ 50 ms",
         max(exports.values()) <= 50),
        ("seek in the oldest session, p50 / worst of 50", f"{seek[25]:.1f} / {seek[-1]:.1f} ms",
         "≤ 50 ms", seek[-1] <= 50),
    ]
