"""What must hold after faults: each acknowledged frame is recorded once, all nodes are equal."""
import contextlib, hashlib, json, os, shutil, sqlite3, subprocess, tempfile, time

# In log/, each node has its own of these; the prefix is that of a copy that goes on.
OWN_FILES, OWN_PREFIX = {"lock", "reserve"}, "copy-"


def hashes_of_log(state):
    """Size and hash of each file in log/ that all nodes have in common."""
    found, top = {}, os.path.join(state, "log")
    for folder, _, names in os.walk(top):
        for name in set(names) - OWN_FILES:
            if name.startswith(OWN_PREFIX):
                continue
            path = os.path.join(folder, name)
            with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                found[os.path.relpath(path, top)] = file.tell(), digest[:16]
    return found


def tables(state):
    """Rows and hash of each table of the registry, of a copy: the node has it open."""
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copy(os.path.join(state, "registry.sqlite" + suffix), folder)
        with contextlib.closing(
                sqlite3.connect(os.path.join(folder, "registry.sqlite"))) as registry:
            found = {}
            for name, in registry.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                rows = sorted(map(repr, registry.execute(f'SELECT * FROM "{name}"')))
                found[name] = len(rows), hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]
            return found


def differences(nodes):
    """What the first node's files and the others' differ in, as lines."""
    lines = []
    for kind, read in (("log/", hashes_of_log), ("registry: ", tables)):
        try:
            kept = [read(node.state) for node in nodes]
        except (sqlite3.Error, OSError) as error:
            return [f"{kind}cannot be read: {error}"]
        if not kept[0]:
            lines.append(f"{kind}is empty in {nodes[0].name}")
        for name in sorted({name for one in kept for name in one}):
            if len({one.get(name) for one in kept}) > 1:
                lines.append(f"{kind}{name}: " + ", ".join(
                    f"{node.name} {one.get(name, 'has none')}" for node, one in zip(nodes, kept)))
    return lines


def wait_for_equal(nodes, seconds=60):
    """Differences that stay; a node that is idle has the leader's files after a moment."""
    end = time.monotonic() + seconds
    while (lines := differences(nodes)) and time.monotonic() < end:
        time.sleep(0.5)
    return lines


class Recorded:
    """Frames in a stopped leader's log, compared with what devices have sent."""

    def __init__(self, program, state, devices):
        self.lost = self.doubled = self.disordered = self.changed = self.sequences = 0
        self.first = []
        numbers = {device.session: [] for device in devices}
        contents = {device.session: device.expected for device in devices}
        reading = subprocess.Popen(
            [program, "log", "cat", "--state", state], stdout=subprocess.PIPE, text=True)
        for line in reading.stdout:
            if '"type":"frame"' not in line:
                continue
            record = json.loads(line)
            if record["session"] in numbers and record["seq"]:
                numbers[record["session"]].append(record["seq"])
                self.compare(record, contents[record["session"]])
        if reading.wait() != 0:
            raise RuntimeError(f"pulsecast log cat --state {state} ended with {reading.returncode}")
        for device in devices:
            self.count(device, numbers[device.session])

    def compare(self, record, contents):
        sequence = record["seq"]
        sent = contents[sequence - 1] if sequence <= len(contents) else "nothing"
        is_same = (record.get("text") == sent if isinstance(sent, str) else
                   record.get("heartRate") == sent if sent else "heartRate" not in record)
        if not is_same:
            self.changed += 1
            self.note(f"{record['session']} {sequence}: sent {sent}, recorded {record}")

    def count(self, device, numbers):
        self.sequences += len(numbers)
        missing = sorted(set(range(1, device.acked + 1)) - set(numbers))
        self.lost += len(missing)
        self.doubled += len(numbers) - len(set(numbers))
        self.disordered += sum(one >= other for one, other in zip(numbers, numbers[1:]))
        if missing:
            self.note(f"{device.name} {device.session}: acknowledged and not recorded:"
                      f" {missing[:9]}")
        if numbers != sorted(set(numbers)):
            self.note(f"{device.name} {device.session}: recorded twice or in another order")

    def note(self, line):
        if len(self.first) < 10:
            self.first.append(line)


def command(program, *words):
    """What a command of the program says if it fails."""
    done = subprocess.run([program, *words], capture_output=True, text=True)
    if done.returncode != 0:
        yield f"pulsecast {' '.join(words)}: exit {done.returncode}: " + (
            done.stdout + done.stderr).strip()[-500:]


def unsound(cluster, leader, devices):
    """What is wrong in the state folders of nodes that are stopped."""
    for node in cluster.nodes:
        yield from command(cluster.program, "log", "verify", "--state", node.state)
    for device in devices:
        yield from command(
            cluster.program, "replay", device.session, "--verify", "--state", leader.state)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0
