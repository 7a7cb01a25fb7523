"""A balancer of TCP connections: new ones go to the node whose /readyz is 200."""
import asyncio, time


class Balancer:
    """Cuts connections to a node that is not ready any more, so that they come again elsewhere."""

    PERIOD, PATIENCE = 0.1, 0.5

    def __init__(self, nodes, ports):
        self.nodes, self.ports = nodes, dict(zip(("device", "http"), ports))
        # Since when each node is ready.
        self.ready, self.links, self.tasks = {}, {node: set() for node in nodes}, []

    async def start(self):
        for door, port in self.ports.items():
            await asyncio.start_server(self.serving(door), "127.0.0.1", port, backlog=1024)
        self.tasks = [asyncio.create_task(self.watch(node)) for node in self.nodes]

    @property
    def node(self):
        """A paused leader may say that it is ready for a moment: the newest one leads."""
        return max(self.ready, key=self.ready.get, default=None)

    async def watch(self, node):
        while True:
            try:
                is_ready = await asyncio.wait_for(self.asks(node), self.PATIENCE)
            except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError):
                is_ready = False
            if is_ready:
                self.ready.setdefault(node, time.monotonic())
            else:
                self.ready.pop(node, None)
                for writer in list(self.links[node]):
                    writer.transport.abort()
            await asyncio.sleep(self.PERIOD)

    async def asks(self, node):
        reader, writer = await asyncio.open_connection("127.0.0.1", node.operations)
        try:
            writer.write(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return (await reader.readline()).split()[1:2] == [b"200"]
        finally:
            writer.transport.abort()

    def serving(self, door):
        async def serve(reader, writer):
            node = self.node
            if node is None:
                return writer.transport.abort()
            try:
                there, onward = await asyncio.open_connection("127.0.0.1", getattr(node, door))
            except OSError:
                return writer.transport.abort()
            pair = {writer, onward}
            self.links[node] |= pair
            try:
                await asyncio.gather(self.pass_on(reader, onward), self.pass_on(there, writer))
            finally:
                self.links[node] -= pair
                for one in pair:
                    one.close()
        return serve

    async def pass_on(self, reader, writer):
        try:
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
            if writer.can_write_eof():
                writer.write_eof()
        except (OSError, RuntimeError):
            writer.transport.abort()
