"""Attacks of a stranger on a port with TLS, for `tools/siege all`, as those of besieging.py."""
import collections, selectors, socket, ssl, struct, time

from besieger import hold, opened


def client_hello():
    """The first message of a handshake. Sent again and again it costs its sender nothing."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(incoming, outgoing, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        return outgoing.read()
    raise RuntimeError("a handshake that ended before it began")


def handshakes(target):
    """A hello, the daemon's signature for it, and away, from many addresses at once."""
    seen, waiting, hello, number = collections.Counter(), selectors.DefaultSelector(), client_hello(), 0

    def begin():
        nonlocal number
        number += 1
        link = socket.socket()
        link.setblocking(False)
        link.bind((f"127.0.{number // 200 % 200 + 1}.{number % 200 + 2}", 0))
        # A reset: no port of ours waits for its last packets.
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        link.connect_ex(("127.0.0.1", target.http))
        waiting.register(link, selectors.EVENT_WRITE)

    for _ in range(max(2, int(64 * target.scale))):
        begin()
    while target.goes_on:
        for key, events in waiting.select(0.1):
            try:
                if events & selectors.EVENT_WRITE:
                    key.fileobj.send(hello)
                    waiting.modify(key.fileobj, selectors.EVENT_READ)
                    continue
                seen["answered" if key.fileobj.recv(65536)[:1] == b"\x16" else "refused"] += 1
            except OSError:
                seen["closed"] += 1
            waiting.unregister(key.fileobj)
            key.fileobj.close()
            begin()
    return seen


def half_handshakes(target):
    """Connections that announce a hello of 16 KiB and send a part of it."""
    def open_one(number):
        link = target.connect()
        link.sendall(b"\x16\x03\x01\x40\x00\x01\x00\x3f\xfc" + bytes(number % 8000))
        return link
    return hold(target, opened(target, 2000, open_one))
