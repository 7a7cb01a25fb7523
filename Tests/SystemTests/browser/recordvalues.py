"""The values that a page was given, against those that the daemon recorded."""

import json
import os
import struct
import time

from judging import expect
from recordsteps import PATIENCE


def verify(page, field):
    """The recorded session computes to what was recorded; a daemon that was killed reads it back first."""
    # Readers have a low priority: beside other work it takes a while.
    deadline = time.monotonic() + 4 * PATIENCE
    while True:
        said = field.stage.command("replay", field.session(field.name), "--verify").strip()
        if "not recorded" not in said:
            expect(said.endswith(" 0 differ"), said)
            return said
        expect(time.monotonic() < deadline, said)
        page.pump(1)


def exported(field, session):
    """The session's frames, in order."""
    lines = field.stage.command("export", session, "--format", "ndjson").splitlines()
    return [frame for frame in map(json.loads, lines) if "timestamp" in frame]


def values(frames):
    """What frames of the text form say, in the form of the phone's list."""
    for frame in frames:
        wall = round(frame["timestamp"] * 1e6) / 1000
        if frame["type"] == "motion":
            for index, axes in enumerate(frame["samples"]):
                rates = [round(axis * 800) for axis in axes[3:]]
                yield "motion", wall + index * frame["intervalMicroseconds"] / 1000, [
                    *(round(axis * 1024) for axis in axes[:3]), *rates]
        elif frame["type"] == "location":
            yield "location", wall, [frame[name] for name in [
                "latitude", "longitude", "altitude", "horizontalAccuracy", "verticalAccuracy", "speed", "course"]]
        elif frame["type"] == "heartRate":
            yield "heartRate", wall, [frame["heartRate"], frame["contact"],
                                      *(round(interval * 1024) for interval in frame["rrSeconds"])]
        elif frame["type"] == "control":
            yield "control", wall, frame["action"]


def given_values(phone):
    for kind, wall, value in phone.given:
        if kind == "location":
            value = [value[name] for name in [
                "latitude", "longitude", "altitude", "accuracy", "altitudeAccuracy", "speed", "heading"]]
        elif kind == "heartRate":
            _, rate, interval = struct.unpack("<BBH", value)
            value = [rate, True, interval]
        yield kind, wall, value


def compare(field, phone, kinds=("motion", "location", "heartRate", "control")):
    """Recorded against given, value by value and time by time."""
    frames = exported(field, field.session(field.name))
    recorded, given = list(values(frames)), list(given_values(phone))
    for kind in kinds:
        ours, theirs = (sorted((each for each in every if each[0] == kind), key=lambda each: each[1])
                        for every in (recorded, given))
        expect(len(ours) == len(theirs), f"{kind}: {len(ours)} recorded of {len(theirs)} given")
        for mine, other in zip(ours, theirs):
            # A frame has microseconds, a batch even ones; what a killed tab left has units of ten.
            same = mine[2] == other[2] and abs(mine[1] - other[1]) < 0.015
            expect(same, f"{kind}: recorded {mine}, given {other}")
    numbers = [frame["seq"] for frame in frames if "seq" in frame]
    expect(numbers == list(range(1, len(numbers) + 1)), "the frames' numbers have holes")
    return f"{len(given)} values given and recorded, in {len(numbers)} frames; 0 missing, 0 doubled, 0 altered"


def same_as_pushed(field, phone):
    """The same values, sent by `push`: the same metrics."""
    path = os.path.join(field.stage.folder, "given.ndjson")
    with open(path, "w", encoding="utf-8") as file:
        # The machine's own battery is no value of the walk.
        status = [frame for frame in exported(field, field.session(field.name)) if frame["type"] == "status"]
        frames = [*text_frames(phone), *({key: frame[key] for key in ["type", "battery", "charging", "timestamp"]}
                                         for frame in status)]
        for frame in sorted(frames, key=lambda each: each["timestamp"]):
            file.write(json.dumps(frame) + "\n")
    token = os.path.join(field.stage.folder, "pushed-token")
    with open(token, "w", encoding="utf-8") as file:
        file.write(field.device("Pushed"))
    field.stage.push(path, token)
    ours, theirs = field.results(field.name), field.results("Pushed")
    other = {key: (ours.get(key), theirs.get(key)) for key in {*ours, *theirs} if ours.get(key) != theirs.get(key)}
    expect(not other, f"by the page and by push: {other}")
    return f"{len(ours)} metrics as by push"


def text_frames(phone):
    yield {"type": "source", "source": "Test strap", "timestamp": phone.walk.start / 1000}
    for kind, wall, value in given_values(phone):
        frame = {"timestamp": wall / 1000}
        if kind == "motion":
            axes = [axis / 1024 for axis in value[:3]] + [axis / 800 for axis in value[3:]]
            frame.update(type="motion", samples=[axes], intervalMicroseconds=0, gravityIncluded=True,
                         gyroscopePresent=True)
        elif kind == "location":
            frame.update(zip(["latitude", "longitude", "altitude", "horizontalAccuracy", "verticalAccuracy",
                              "speed", "course"], value), type="location")
        elif kind == "heartRate":
            frame.update(type="heartRate", heartRate=value[0], contact=True, rrSeconds=[value[2] / 1024])
        else:
            frame.update(type="control", action=value)
        yield frame
