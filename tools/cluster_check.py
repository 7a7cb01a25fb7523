"""`tools/cluster check`: devices and viewers through faults, then what the nodes have kept."""
import asyncio, random, signal, statistics

from cluster_balancer import Balancer
from cluster_clients import Device, Viewer
from cluster_faults import Faults
from cluster_nodes import GAVE_WAY, Cluster, free_ports, until
from cluster_verdict import Recorded, percentile, unsound, wait_for_equal

DEVICES, PER_SECOND = 20, 10
# Small segments: the nodes also take over sealed ones.
SETTINGS = ("limits:\n  failures_per_minute: 10000\n"
            "log:\n  segment_mebibytes: 1\n  reserve_mebibytes: 1\n")


class Load:
    """Devices with a share and a viewer each, and the balancer between them and the nodes."""

    def __init__(self, cluster):
        self.balancer = Balancer(cluster.nodes, free_ports(2))
        self.devices, self.viewers, self.tasks, self.producers = [], [], [], []

    async def start(self, leader):
        await self.balancer.start()
        for number in range(DEVICES):
            name = f"d{number}"
            token = await asyncio.to_thread(leader.ask, "device", "add", name)
            share = await asyncio.to_thread(leader.ask, "share", "create", "--device", name)
            self.devices.append(Device(number, token["token"], PER_SECOND))
            self.viewers.append(Viewer(self.devices[-1], share["id"]))
        self.run(viewer.run for viewer in self.viewers)
        await self.wait(lambda: all(one.returns for one in self.viewers), "viewers see nothing")
        self.run(device.run for device in self.devices)
        self.producers = [asyncio.create_task(one.produce()) for one in self.devices]

    def run(self, clients):
        self.tasks += [asyncio.create_task(run(self.balancer.ports)) for run in clients]

    async def wait(self, condition, failure, seconds=60):
        await until(condition, seconds, failure)

    async def finish(self):
        """Ends all sessions, so that the log is idle, and waits for the last ack."""
        for producer in self.producers:
            producer.cancel()
        for device in self.devices:
            device.add()
        await self.wait(lambda: all(one.acked == one.sent for one in self.devices),
                        "some frames are not acknowledged")
        # What was shown last is on its way.
        await asyncio.sleep(2)
        self.stop()

    def stop(self):
        """A client that failed fails the check."""
        for task in self.tasks:
            if task.done():
                task.result()
            task.cancel()


async def run(options, folder):
    seconds = options.seconds or (40 if options.small else 240)
    count = options.faults or (4 if options.small else 20)
    chance = random.Random(options.seed)
    with Cluster(options.binary, options.nats, folder, SETTINGS, is_cuttable=True) as cluster:
        leader = await cluster.start()
        supervising = asyncio.create_task(cluster.supervise())
        load = Load(cluster)
        await load.start(leader)
        faults = Faults(cluster, load.devices, load.viewers, chance)
        await until(faults.is_whole, 60, "the nodes are not ready")
        await faults.play(count, seconds)
        await load.finish()
        leader = await faults.leader()
        unequal = await asyncio.to_thread(
            wait_for_equal, [leader, *(node for node in cluster.nodes if node is not leader)])
        supervising.cancel()
        await asyncio.to_thread(stop, cluster, leader)
        recorded = Recorded(cluster.program, leader.state, load.devices)
        wrong = [*unequal, *recorded.first, *unsound(cluster, leader, load.devices),
                 *ends(cluster), *complaints(load, faults)]
    show(load, faults, recorded, unequal, cluster)
    for line in wrong:
        print(line)
    return not wrong


def stop(cluster, leader):
    """The leader last: no standby takes over."""
    for child in [*(node for node in cluster.nodes if node is not leader), leader]:
        if code := child.end(signal.SIGTERM):
            raise RuntimeError(f"{child.name} ended with {code} after SIGTERM")
    for server in cluster.servers:
        server.end(signal.SIGTERM)


def ends(cluster):
    """Ends by themselves that are not a leader's that gives way."""
    for child in cluster.children:
        for code in child.ends:
            if child not in cluster.nodes or code != GAVE_WAY:
                yield f"{child.name} ended by itself with {code}: see {child.journal}"


def complaints(load, faults):
    if fallbacks := sum(device.fallbacks for device in load.devices):
        yield f"{fallbacks} welcomes said less than was acknowledged before"
    if faults.unreturned:
        yield f"{faults.unreturned} viewers did not come back after an end of the leader"
    for viewer in load.viewers:
        if not viewer.gaps and (missing := viewer.missing()):
            yield f"a viewer of {viewer.device.name} had no gap and lacks {missing[:5]}"


def show(load, faults, recorded, unequal, cluster):
    devices, viewers = load.devices, load.viewers
    rows = [(f"fault: {kind}", count) for kind, count in faults.done.items()]
    rows += [
        *((f"viewers without a message after {how} of the leader: p50, p99, longest",
           f"{statistics.median(seconds):.2f}, {percentile(seconds, 0.99):.2f},"
           f" {max(seconds):.2f} s" if seconds else "–")
          for how, seconds in faults.absences.items()),
        ("leaders that gave way (exit 75)",
         sum(node.ends.count(GAVE_WAY) for node in cluster.nodes)),
        ("connections of devices; of viewers", f"{sum(one.connections for one in devices)};"
         f" {sum(one.connections for one in viewers)}"),
        ("frames sent", sum(device.sent for device in devices)),
        ("frames acknowledged", sum(device.acked for device in devices)),
        ("frames lost", recorded.lost), ("frames recorded twice", recorded.doubled),
        ("frames out of order", recorded.disordered), ("frames changed", recorded.changed),
        ("error messages to devices", sum(sum(one.refused.values()) for one in devices)),
        ("gaps told to viewers", sum(viewer.gaps for viewer in viewers)),
        ("markers seen twice", sum(viewer.repeated for viewer in viewers)),
        ("files and tables that differ", len(unequal)),
    ]
    print("\n| figure | reached |\n|---|---|")
    for name, reached in rows:
        print(f"| {name} | {reached} |", flush=True)
