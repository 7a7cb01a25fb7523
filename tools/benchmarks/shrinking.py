"""What is in a viewer's updates: which members, how often as this viewer had them already; and how
much smaller compression or a binary form would make them, and what that costs.
"""
import collections, decimal, json, re, socket, statistics, threading, time, zlib

LEVELS = (1, 6)


class Digits(str):
    """A number as it was written."""


def read(message):
    """The object of a message, its numbers with the decimals that they were sent with."""
    return json.loads(message, parse_float=Digits, parse_int=Digits)


def written(value):
    """The value as JSON, byte for byte as it came."""
    if isinstance(value, Digits):
        return value
    if isinstance(value, dict):
        return "{" + ",".join(f'"{name}":{written(part)}' for name, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def show_members(name, messages):
    """A table of an hour's updates, member by member; the bytes of one, and the percent of them that
    the viewer had."""
    had, times, repeated, size = {}, *(collections.Counter() for _ in range(3))
    lost = whole = updates = 0
    for message in messages:
        event = read(message)
        if event["type"] == "snapshot":
            had = {}
        elif event["type"] != "update":
            continue
        else:
            updates += 1
            whole += len(message)
        for member, value in event.items():
            text = written(value)
            if event["type"] == "update":
                bytes_of = len(member) + len(text) + 4
                times[member] += 1
                size[member] += bytes_of
                if member not in ("type", "cursor") and had.get(member) == text:
                    repeated[member] += 1
                    lost += bytes_of
            had[member] = text
    print(f"\n{name}: {updates} updates, {whole / updates:.0f} bytes each; "
          f"{sum(repeated.values())} of {sum(times.values())} members are as the viewer had them, "
          f"{100 * lost / whole:.2f} % of the bytes.\n")
    print("| member | in updates | as before | bytes an update |")
    print("|---|---|---|---|")
    for member, count in size.most_common():
        print(f"| {member} | {times[member]} | {repeated[member]} | {count / updates:.1f} |")
    return whole / updates, 100 * lost / whole


def leaves(value, path=()):
    """The numbers with decimals in a value: where each is."""
    if isinstance(value, Digits):
        if "." in value:
            yield path
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from leaves(part, (*path, name))
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part, (*path, "[]"))


def shorter(value, path):
    """The value with one decimal fewer where the path leads."""
    if not path:
        places = len(value.split(".")[1]) - 1 if "." in value else 0
        step = decimal.Decimal(1).scaleb(-places)
        return Digits(decimal.Decimal(value).quantize(step, decimal.ROUND_HALF_UP))
    if isinstance(value, list):
        return [shorter(part, path[1:]) for part in value]
    if not isinstance(value, dict) or value.get(path[0]) is None:
        return value
    return {**value, path[0]: shorter(value[path[0]], path[1:])}


def show_digits(name, messages):
    """What one decimal fewer of a number would save: its digit, and updates in which nothing else of
    its member changed."""
    costs, sizes, had, paths = collections.Counter(), collections.Counter(), {}, set()
    events = [read(message) for message in messages]
    events = [event for event in events if event["type"] == "update"]
    for event in events:
        for member, value in event.items():
            if member != "time":
                paths |= {(member, *path) for path in set(leaves(value))}
    for event in events:
        for member, value in event.items():
            sizes[member] += len(member) + 4 + len(written(value))
            for path in paths:
                if path[0] != member or value is None:
                    continue
                text = written(shorter(value, path[1:]))
                if had.get(path) != text:
                    costs[path] += len(member) + 4 + len(text)
                    had[path] = text
    whole = sum(map(len, (message for message in messages if b'"update"' in message[:20])))
    print(f"\n{name}, one decimal fewer:\n\n| number | fewer bytes |\n|---|---|")
    for path in sorted(paths, key=lambda path: costs[path] - sizes[path[0]]):
        print(f"| {'.'.join(path)} | {100 * (sizes[path[0]] - costs[path]) / whole:.2f} % |")


def varint(number):
    """Seven bits a byte, the sign in the lowest bit."""
    number = number * 2 if number >= 0 else -number * 2 - 1
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    data.append(number)
    return bytes(data)


def packed(value):
    """As a binary form would have it: a byte names a member, numbers are whole multiples of the
    decimals that each member has, texts follow their length."""
    if isinstance(value, Digits):
        return varint(int(value.replace(".", "")))
    if isinstance(value, dict):
        return bytes([len(value)]) + b"".join(b"k" + packed(part) for part in value.values())
    if isinstance(value, list):
        return bytes([len(value) & 255]) + b"".join(map(packed, value))
    if isinstance(value, bool) or value is None:
        return b"b"
    if re.fullmatch(r"e\d+-\d+", value):
        return b"".join(varint(int(part)) for part in value[1:].split("-"))
    text = value.encode()
    return bytes([len(text) & 255]) + text


def deflated(message, level):
    """A message of permessage-deflate without a context: its last four bytes are not sent."""
    stream = zlib.compressobj(level, zlib.DEFLATED, -15)
    return stream.compress(message) + stream.flush(zlib.Z_SYNC_FLUSH)[:-4]


def seconds_of(work, messages):
    begin = time.thread_time()
    for message in messages:
        work(message)
    return (time.thread_time() - begin) / len(messages)


def connection():
    """A connection over loopback whose other end is read, and discarded."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        link = socket.create_connection(server.getsockname())
        other, _ = server.accept()

    def discard():
        while other.recv(1 << 20):
            pass

    threading.Thread(target=discard, daemon=True).start()
    return link


def show_forms(name, messages, rounds=9):
    """Sizes of the updates in other forms, and the processor time of one beside a bare send()."""
    updates = [message for message in messages if message.startswith(b'{"type":"update"')]
    plain = sum(map(len, updates)) / len(updates)
    link = connection()
    works = {"JSON, as it is": (None, updates, lambda message: message)}
    for level in LEVELS:
        works[f"deflate {level}, without a context"] = (
            lambda message, level=level: deflated(message, level), updates,
            lambda message, level=level: deflated(message, level))
    costs = {form: [] for form in works}
    sends = []
    # Interleaved: the machine's own pace changes.
    for _ in range(rounds):
        part = updates[:: max(1, len(updates) // 500)]
        sends.append(seconds_of(link.sendall, part))
        for form, (work, _, _) in works.items():
            if work:
                costs[form].append(seconds_of(work, part) / sends[-1])
    sizes = {form: sum(len(make(message)) for message in updates) / len(updates)
             for form, (_, _, make) in works.items()}
    for level in LEVELS:
        stream = zlib.compressobj(level, zlib.DEFLATED, -15)
        sizes[f"deflate {level}, with a context of each viewer"] = sum(
            len(stream.compress(message) + stream.flush(zlib.Z_SYNC_FLUSH)) - 4
            for message in updates) / len(updates)
    sizes["binary"] = sum(len(packed(read(message))) for message in updates) / len(updates)
    print(f"\n{name}, other forms of an update:\n")
    print("| form | bytes | less by | processor, × a bare send() |")
    print("|---|---|---|---|")
    for form, size in sizes.items():
        cost = f"{statistics.median(costs[form]):.1f}" if costs.get(form) else ""
        print(f"| {form} | {size:.0f} | {100 * (1 - size / plain):.0f} % | {cost} |")
    print(f"\nA bare send() took {1e6 * statistics.median(sends):.1f} us.")
    link.close()
