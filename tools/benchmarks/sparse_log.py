"""Sealed segments of years, as `Sources/SegmentLog/SegmentFormat.swift` draws them: header, index and
trailer are true to the byte, the records between them are a hole of the file system."""
import os, random, struct, uuid

SEGMENT_BYTES = 64 << 20
MARKS = 2300
RECORD_BYTES = 111
MASK = (1 << 64) - 1

TABLE = []
for number in range(256):
    value = number
    for _ in range(8):
        value = value >> 1 ^ 0x82F63B78 if value & 1 else value >> 1
    TABLE.append(value)


def feed(state, data):
    for byte in data:
        state = TABLE[(state ^ byte) & 255] ^ state >> 8
    return state


def after(data):
    """A function from the checksum before `data` to that behind it, of which 4 bytes matter."""
    columns = [feed(1 << bit, bytes(len(data))) for bit in range(32)]
    tables = []
    for part in range(4):
        table = []
        for number in range(256):
            value = 0
            for bit in range(8):
                if number >> bit & 1:
                    value ^= columns[part * 8 + bit]
            table.append(value)
        tables.append(table)
    constant = feed(0, data)

    def continued(state):
        return (tables[0][state & 255] ^ tables[1][state >> 8 & 255]
                ^ tables[2][state >> 16 & 255] ^ tables[3][state >> 24] ^ constant)
    return continued


def header(epoch, number, previous, first, base):
    mixed = epoch << 32
    for field in (number, previous, first, base):
        mixed = (mixed ^ field) * 0x9E3779B97F4A7C15 & MASK
        mixed ^= mixed >> 29
    start = struct.pack("<8sHHIQQQqIQ", b"PULSELOG", 1, 64, epoch, number, previous, first, base, 0,
                        mixed)
    return start + struct.pack("<I", feed(0xFFFFFFFF, start) ^ 0xFFFFFFFF), mixed


def read_end(path):
    """Epoch, first offset behind the segment, device of its first session."""
    with open(path, "rb") as file:
        epoch = struct.unpack_from("<I", file.read(64), 12)[0]
        file.seek(-16, os.SEEK_END)
        file.seek(struct.unpack("<Q", file.read(8))[0] + 27)
        index = file.read(200)
    return epoch, struct.unpack_from("<Q", index, 8)[0], struct.unpack_from("<I", index, 72)[0]


def append(folder, segments, sessions, device, start_micros, years=10):
    """Adds `segments` files with `sessions` sessions one after the other; returns the last's UUID."""
    names = sorted(name for name in os.listdir(folder) if name.endswith(".segment"))
    number = int(names[-1].split(".")[0])
    epoch, first, _ = read_end(os.path.join(folder, names[-1]))
    draw = random.Random(3)
    ids = [uuid.UUID(int=draw.getrandbits(128), version=4).bytes for _ in range(sessions)]
    marks = b"".join(
        struct.pack("<IHBBQq", 128 + place * (SEGMENT_BYTES // (MARKS + 30)), 0, 0, 0, first, 0)
        for place in range(MARKS))
    behind = after(marks)
    records = SEGMENT_BYTES // RECORD_BYTES
    micros = years * 365 * 86_400 * 1_000_000 // segments
    for place in range(segments):
        base = start_micros + place * micros
        low = place * sessions // segments
        high = max(low + 1, ((place + 1) * sessions + segments - 1) // segments)
        here = ids[low:high]
        count = records // len(here)
        parts = b"".join(
            struct.pack("<16sIQQQQIIqqqq", session, device, first + at * count,
                        first + (at + 1) * count - 1, count, count, count, 0, base, base + micros,
                        base, base + micros)
            for at, session in enumerate(here))
        total = count * len(here)
        fixed = struct.pack("<QQQQqqII", first, first + total, total, total, base, base + micros,
                            len(here), MARKS)
        size = len(fixed) + len(parts) + len(marks)
        position = SEGMENT_BYTES - 16 - 27 - size
        head, identity = header(epoch, number + 1, number, first, base)
        seed = feed(0xFFFFFFFF, struct.pack("<QQ", identity, position))
        record = struct.pack("<I7xI8x", size | 0xF4 << 24, feed(seed, fixed + parts) ^ 0xFFFFFFFF)
        state = feed(seed, record + fixed + parts)
        checksum = behind(state) ^ 0xFFFFFFFF
        trailer = struct.pack("<QI", position, 0x58534C50)
        trailer += struct.pack("<I", feed(0xFFFFFFFF, trailer) ^ 0xFFFFFFFF)
        number += 1
        with open(os.path.join(folder, f"{number:012}.segment"), "wb") as file:
            file.write(head + head)
            file.seek(position)
            file.write(struct.pack("<I", checksum) + record + fixed + parts + marks + trailer)
        first += total
    return uuid.UUID(bytes=ids[-1])
