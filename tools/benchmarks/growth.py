#!/usr/bin/env python3
"""Plots what a delivery costs as viewers and devices become more: ours, and the kernel's share.

usage: growth.py --daemon PATH --bench FOLDER --output FILE.svg [--rounds N] [--seconds S]
"""
import argparse, statistics, sys

import fan_out

VIEWERS = [100, 300, 1000, 3000, 9000]
DEVICES = [10, 30, 100, 300, 1000]
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 420, 260, 52, 34, 42


def plot(title, axis, points, column):
    """One chart: `points` maps a name to [(x, y)]; x on a logarithmic scale."""
    import math

    xs = [x for line in points.values() for x, _ in line]
    top = max(y for line in points.values() for _, y in line) * 1.15
    low, high = math.log10(min(xs)), math.log10(max(xs))

    def place(x, y):
        across = LEFT + (math.log10(x) - low) / (high - low) * (WIDTH - LEFT - 16)
        return across, HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM)

    parts = [f'<g transform="translate({column * WIDTH},0)">',
             f'<text x="{LEFT}" y="20" class="title">{title}</text>']
    for step in range(5):
        value = top * step / 4
        _, y = place(min(xs), value)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 16}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>'
                     f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.1f}</text>')
    for x in sorted(set(xs)):
        across, _ = place(x, 0)
        parts.append(f'<text x="{across:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{x:,}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{axis}</text>')
    for kind, (name, line) in enumerate(points.items()):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in line))
        parts.append(f'<polyline points="{path}" class="line{kind}"/>')
        across, y = place(*line[-1])
        parts.append(f'<text x="{across - 4:.1f}" y="{y - 6:.1f}" text-anchor="end" class="name{kind}">{name}</text>')
    return "\n".join(parts) + "\n</g>"


def cost(options, scenario, topics):
    """Medians in µs of CPU a delivery."""
    found = fan_out.run(options, scenario, topics, peers=False)
    return {
        who: statistics.median(result["srv_us_per"] for result in found[who])
        for who in ("pulsecast", "floor")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3)
    options = parser.parse_args()
    charts = []
    for title, axis, sizes, make in (
        ("1 share, 9,000 deliveries/s", "viewers", VIEWERS,
         lambda n: (fan_out.fan(n, max(1, 9000 // n)), 1)),
        ("5 viewers a share, each at 1 Hz", "devices", DEVICES,
         lambda n: (fan_out.fan(5 * n, n, topics=n), n)),
    ):
        lines = {"pulsecast": [], "bare send(): the kernel": []}
        for size in sizes:
            costs = cost(options, *make(size))
            lines["pulsecast"].append((size, costs["pulsecast"]))
            lines["bare send(): the kernel"].append((size, costs["floor"]))
            print(f"{axis} {size}: {costs['pulsecast']:.2f} µs, floor {costs['floor']:.2f} µs",
                  flush=True)
        charts.append(plot(f"{title}: µs CPU a delivery", axis, lines, len(charts)))
    with open(options.output, "w") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * WIDTH}" height="{HEIGHT}" '
            'font-family="sans-serif" font-size="11"><style>text{fill:#444}.title{font-size:13px;'
            "font-weight:bold}.grid{stroke:#ddd}polyline{fill:none;stroke-width:2}.line0{stroke:"
            "#0b62a8}.line1{stroke:#b05d00;stroke-dasharray:5 4}.name0{fill:#0b62a8}.name1{fill:"
            "#b05d00}</style><rect width='100%' height='100%' fill='white'/>"
            + "\n".join(charts) + "</svg>\n")


if __name__ == "__main__":
    sys.exit(main())
