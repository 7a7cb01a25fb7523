// The overlay for streaming software. Everything is chosen in the address:
//   metrics=heartRate,pace,distance   size=64 (pixels)   color=ffffff|zone   shadow=0
//   font=Name   layout=row|column|big   units=metric|imperial   labels=0

import { find, kept, onFrame, setData } from "./dom.js";
import { unitSystems } from "./format.js";
import { metrics } from "./metrics.js";
import { makeValue, Panel } from "./panel.js";
import { ShareStream } from "./protocol.js";
import { Recorder } from "./recorder.js";
import { translatePage } from "./strings.js";

const layouts = ["row", "column", "big"];

/** What the address asks for; whatever it says wrongly is left out. Pure. */
export function optionsOf(query) {
  const words = (query.get("metrics") ?? "heartRate").split(",").map((word) => word.trim());
  const chosen = words.filter((word) => Object.hasOwn(metrics, word));
  const size = Number(query.get("size"));
  const color = query.get("color")?.replace(/^#/, "");
  const font = query.get("font");
  return {
    metrics: chosen.length ? chosen : ["heartRate"],
    size: size >= 8 && size <= 400 ? size : 72,
    color: /^([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(color) ? `#${color}`
      : /^[a-z]{3,24}$/i.test(color) && color !== "zone" ? color : undefined,
    byZone: color === "zone",
    font: font && /^[\p{L}\p{N} _-]{1,60}$/u.test(font) ? font : undefined,
    layout: layouts.includes(query.get("layout")) ? query.get("layout") : "row",
    units: unitSystems[query.get("units")],
    shadow: query.get("shadow") !== "0",
    labels: query.get("labels") !== "0",
  };
}

const heartPath = "M16 28C6 20 1 15 1 8.700C1 4.300 4.400 1 8.600 1c3 0 5.700 1.600 7.400 4.300"
  + "C17.700 2.600 20.400 1 23.400 1 27.600 1 31 4.300 31 8.700 31 15 26 20 16 28z";

function makeHeart() {
  const space = "http://www.w3.org/2000/svg";
  const heart = document.createElementNS(space, "svg");
  heart.setAttribute("viewBox", "0 0 32 29");
  heart.setAttribute("class", "heart");
  heart.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", heartPath);
  heart.append(path);
  return heart;
}

function build(root, options, t) {
  setData(root, "layout", options.layout);
  setData(root, "labels", String(options.labels));
  setData(root, "shadow", String(options.shadow));
  setData(root, "byZone", String(options.byZone));
  root.style.setProperty("--size", `${options.size}px`);
  root.style.setProperty("--text", options.color ?? "");
  root.style.setProperty("--font", options.font ? `"${options.font}", system-ui, sans-serif` : "");
  root.replaceChildren(...options.metrics.map((key) => {
    const node = makeValue(key, t);
    if (key === "heartRate") {
      node.classList.add("hero");
      find(".figure", node).prepend(makeHeart());
    }
    return node;
  }));
}

function begin() {
  const t = translatePage(document, navigator.languages);
  const root = find(".overlay");
  let units;
  let panel;
  const choose = () => {
    const options = optionsOf(new URLSearchParams(location.search));
    units = options.units ?? unitSystems[kept.get("units")] ?? unitSystems.metric;
    build(root, options, t);
    panel = new Panel(root, t);
  };
  choose();
  // No history: an overlay shows this moment.
  const recorder = new Recorder("", { load: async function* () {}, loadOverview: async () => undefined });
  let messageAt;
  const redraw = onFrame(() => {
    const since = messageAt === undefined ? 0 : (performance.now() - messageAt) / 1000;
    setData(root, "status", stream.status);
    panel.show(recorder.run, {
      units, lastLive: recorder.lastLive, sinceMessage: since,
      lostSeconds: messageAt !== undefined && stream.status !== "open" && since > 3
        ? since : undefined,
    });
  });
  const stream = new ShareStream(decodeURIComponent(location.pathname.split("/")[2] ?? ""), {
    onMessage: (message) => {
      messageAt = performance.now();
      recorder.accept(message, { replay: false });
      redraw();
    },
    onStatus: redraw,
  });
  stream.start();
  // The page that sets an overlay up changes the address of the one that it shows.
  addEventListener("popstate", () => {
    choose();
    redraw();
  });
  setInterval(redraw, 1000);
}

if (globalThis.document) begin();
