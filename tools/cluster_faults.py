"""Faults of a cluster, drawn from a seed, one after the other or a node and a server at once."""
import asyncio, collections, signal, time

from cluster_nodes import until

RETURN_SECONDS_MAX = 60


class Faults:
    """Strikes, and starts again what it ended."""

    def __init__(self, cluster, devices, viewers, chance):
        self.cluster, self.devices, self.viewers, self.chance = cluster, devices, viewers, chance
        self.done = collections.Counter()
        # Of each viewer and each end of the leader: seconds without a message.
        self.absences, self.unreturned = {"kill -9": [], "SIGTERM": []}, 0
        self.kinds = {
            "leader: kill -9": self.kill_leader,
            "leader: SIGTERM": self.end_leader,
            "NATS, the stream's leader: kill -9": self.kill_stream_leader,
            "leader: paused": self.pause_leader,
            "standby: kill -9": self.kill_standby,
            "NATS, another: kill -9": self.kill_server,
            "leader and the stream's leader: kill -9": self.kill_both,
            "standby: paused": self.pause_standby,
            "NATS, the stream's leader: paused": self.pause_stream_leader,
            "NATS, another: paused": self.pause_server,
            "leader: cut off from NATS": self.cut_leader,
            "standby: cut off from NATS": self.cut_standby,
        }

    def kinds_in_turn(self):
        """All kinds before one comes again: the first four as above, later ones shuffled."""
        kinds = list(self.kinds)
        first, others = kinds[:4], kinds[4:]
        self.chance.shuffle(others)
        yield from first + others
        while True:
            self.chance.shuffle(kinds)
            yield from kinds

    async def play(self, count, seconds):
        begin = time.monotonic()
        for number, kind in enumerate(self.kinds_in_turn()):
            if number == count:
                break
            due = begin + seconds * (number + 0.5) / count
            await asyncio.sleep(max(self.chance.uniform(0.5, 1.5), due - time.monotonic()))
            print(f"{time.monotonic() - begin:6.1f} s  {kind}", flush=True)
            await self.kinds[kind]()
            self.done[kind] += 1
            await self.settled(kind)
        await asyncio.sleep(max(0, begin + seconds - time.monotonic()))

    async def settled(self, kind):
        """One node leads, the others stand by, and all that was sent until now is acknowledged."""
        sent = [device.sent for device in self.devices]
        await until(self.is_whole, RETURN_SECONDS_MAX, f"{kind}: the nodes do not come back")
        end = time.monotonic() + RETURN_SECONDS_MAX
        while late := [device.name for device, count in zip(self.devices, sent)
                       if device.acked < count]:
            if time.monotonic() > end:
                raise RuntimeError(f"{kind}: no ack for {', '.join(late)}"
                                   f" within {RETURN_SECONDS_MAX} s")
            await asyncio.sleep(0.1)

    def is_whole(self):
        return (self.cluster.leader() is not None
                and len(self.cluster.standbys()) == len(self.cluster.nodes) - 1
                and all(server.is_ready() for server in self.cluster.servers))

    async def leader(self):
        return await until(self.cluster.leader, RETURN_SECONDS_MAX, "no node leads")

    async def standby(self):
        return self.chance.choice(sorted(
            await asyncio.to_thread(self.cluster.standbys), key=lambda node: node.name))

    async def stream_leader(self):
        return await until(
            self.cluster.stream_leader, RETURN_SECONDS_MAX, "no server leads the stream")

    async def other_server(self):
        leader = await self.stream_leader()
        return self.chance.choice([one for one in self.cluster.servers if one is not leader])

    async def kill(self, *children):
        for child in children:
            child.end(signal.SIGKILL)
        await asyncio.sleep(self.chance.uniform(1, 4))
        for child in children:
            child.start()

    async def pause(self, child):
        child.tell(signal.SIGSTOP)
        try:
            await asyncio.sleep(self.chance.uniform(2, 6))
        finally:
            child.tell(signal.SIGCONT)

    async def cut(self, node):
        lines = self.cluster.lines[self.cluster.nodes.index(node)]
        lines.cut()
        try:
            await asyncio.sleep(self.chance.uniform(5, 30))
        finally:
            lines.mend()

    async def with_absences(self, how, ending):
        """Notes how long viewers were without the leader that it ends."""
        moment = time.monotonic()
        await ending
        await until(self.cluster.leader, RETURN_SECONDS_MAX, "no node leads")
        end = time.monotonic() + RETURN_SECONDS_MAX
        while True:
            absences = [viewer.back_after(moment) for viewer in self.viewers]
            if None not in absences or time.monotonic() > end:
                break
            await asyncio.sleep(0.1)
        self.absences[how] += [absence for absence in absences if absence is not None]
        self.unreturned += absences.count(None)

    async def kill_leader(self):
        await self.with_absences("kill -9", self.kill(await self.leader()))

    async def kill_both(self):
        leader, server = await self.leader(), await self.stream_leader()
        await self.with_absences("kill -9", self.kill(leader, server))

    async def end_leader(self):
        leader = await self.leader()
        await self.with_absences("SIGTERM", self.end(leader))

    async def end(self, leader):
        if code := await asyncio.to_thread(leader.end, signal.SIGTERM):
            raise RuntimeError(f"{leader.name} ended with {code} after SIGTERM")
        await asyncio.sleep(self.chance.uniform(0.5, 2))
        leader.start()

    async def cut_leader(self):
        await self.cut(await self.leader())

    async def cut_standby(self):
        await self.cut(await self.standby())

    async def kill_standby(self):
        await self.kill(await self.standby())

    async def kill_stream_leader(self):
        await self.kill(await self.stream_leader())

    async def kill_server(self):
        await self.kill(await self.other_server())

    async def pause_leader(self):
        await self.pause(await self.leader())

    async def pause_standby(self):
        await self.pause(await self.standby())

    async def pause_stream_leader(self):
        await self.pause(await self.stream_leader())

    async def pause_server(self):
        await self.pause(await self.other_server())
