"""What lies between a node and the servers of NATS, and can be cut: nothing passes, and nobody is told."""
import asyncio


class Lines:
    """A node's connections to all servers: each of `ports` leads to the server at its place."""

    def __init__(self, ports, servers):
        self.ports, self.servers = ports, servers
        self.is_open = asyncio.Event()
        self.is_open.set()

    async def start(self):
        for port, server in zip(self.ports, self.servers):
            await asyncio.start_server(self.serving(server), "127.0.0.1", port)

    def cut(self):
        self.is_open.clear()

    def mend(self):
        self.is_open.set()

    def serving(self, server):
        async def serve(reader, writer):
            # As packets do that nobody answers.
            await self.is_open.wait()
            try:
                there, onward = await asyncio.open_connection("127.0.0.1", server.client)
            except OSError:
                return writer.transport.abort()
            try:
                await asyncio.gather(self.pass_on(reader, onward), self.pass_on(there, writer))
            finally:
                writer.transport.abort()
                onward.transport.abort()
        return serve

    async def pass_on(self, reader, writer):
        try:
            while data := await reader.read(1 << 16):
                await self.is_open.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.transport.abort()
