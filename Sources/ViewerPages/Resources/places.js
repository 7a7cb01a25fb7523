// Hidden places on the owner's page: circles on a map of the newest runs, and in a list.

import { colors } from "./colors.js";
import { find, make, setHidden, setText, setUsable } from "./dom.js";
import { MapView } from "./map.js";
import { pointsOfGPX } from "./owner.js";
import { project, unproject, worldMeters } from "./projection.js";

const radiusMeters = 200;
/** Runs drawn below the circles; each is fetched. */
const routesMax = 3;
/** How many of the newest sessions are asked for a position. */
const sessionsAsked = 8;

/** The circle that the place lies in, the nearest of them; undefined outside all. Pure. */
export function zoneAt(zones, place) {
  const spot = project(place.latitude, place.longitude);
  const off = (zone) => {
    const { x, y } = project(zone.latitude, zone.longitude);
    return Math.hypot(x - spot.x, y - spot.y) * worldMeters(y);
  };
  return zones.filter((zone) => off(zone) <= zone.radiusMeters)
    .sort((left, right) => off(left) - off(right))[0];
}

/** A name that no other circle has. Pure. */
export function freeName(zones, nameOf) {
  const taken = new Set(zones.map(({ name }) => name.toLowerCase()));
  for (let number = 1; ; number += 1) {
    const name = nameOf(number);
    if (!taken.has(name.toLowerCase())) return name;
  }
}

/** The box around routes and circles; undefined without any. Pure. */
export function boundsAll(routes, zones) {
  const bounds = { minX: Infinity, maxX: -Infinity, minY: Infinity, maxY: -Infinity };
  const take = (x, y, reach) => {
    bounds.minX = Math.min(bounds.minX, x - reach);
    bounds.maxX = Math.max(bounds.maxX, x + reach);
    bounds.minY = Math.min(bounds.minY, y - reach);
    bounds.maxY = Math.max(bounds.maxY, y + reach);
  };
  for (const { x, y } of routes.flat()) take(x, y, 0);
  for (const zone of zones) {
    const { x, y } = project(zone.latitude, zone.longitude);
    if (Number.isFinite(x + y)) take(x, y, zone.radiusMeters / worldMeters(y));
  }
  return bounds.minX <= bounds.maxX ? bounds : undefined;
}

export class HiddenPlaces {
  #zones = [];
  #routes = [];
  #start;
  #selected;
  #isPlacing = false;

  /** `page`: `{ t, say, attempt }`. */
  constructor(root, page) {
    this.root = root;
    this.page = page;
    this.map = new MapView(find(".map", root), {
      bounds: () => boundsAll(this.#routes, this.#zones), focus: () => undefined,
      layers: [(painter) => this.#drawRoutes(painter), (painter) => this.#drawZones(painter)],
      t: page.t,
    });
    find(".place-add", root).addEventListener("click", () => this.#place(!this.#isPlacing));
    find(".place-typed", root).addEventListener("click", () => this.#add({}));
    find(".place-start", root).addEventListener("click", () => this.#add(this.#start));
    find("form", root).addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
    find("form", root).addEventListener("input", () => this.#touch());
    this.#listenToMap();
    this.clear();
  }

  async load(owner) {
    this.owner = owner;
    const settings = await this.page.attempt(() => owner.zones());
    if (this.owner !== owner) return;
    // Saved without what is kept, a new place would replace all others.
    if (!settings) return setText(find(".unsaved", this.root), this.page.t("notLoaded"));
    this.#show(settings);
    setUsable(this.root, true);
    this.#loadRoutes(owner);
  }

  /** Leaves nothing of an owner who has signed out. */
  clear() {
    this.owner = undefined;
    this.#routes = [];
    this.#start = undefined;
    this.#place(false);
    this.#show({});
    setUsable(this.root, false);
  }

  #show({ zones, trimStartMeters, trimFinishMeters, showHeartRate }) {
    this.#zones = zones ?? [];
    const { elements } = find("form", this.root);
    elements.trimStart.value = trimStartMeters ?? 0;
    elements.trimFinish.value = trimFinishMeters ?? 0;
    elements.showHeartRate.checked = Boolean(showHeartRate);
    this.#select(undefined);
    this.#touch(false);
  }

  /** The newest runs that have positions, so that one sees where the circles lie. */
  async #loadRoutes(owner) {
    this.#routes = [];
    this.#start = undefined;
    const page = await this.page.attempt(() => owner.sessions());
    for (const { id } of (page?.sessions ?? []).slice(0, sessionsAsked)) {
      if (this.#routes.length === routesMax) break;
      try {
        const points = pointsOfGPX(await (await owner.exportSession(id, "gpx")).text());
        if (this.owner !== owner) return;
        if (points.length === 0) continue;
        this.#start ??= points[0];
        this.#routes.push(points.map(({ latitude, longitude }) => project(latitude, longitude)));
      } catch {
        // One without positions, or a busy daemon: the circles can be set without it.
      }
    }
    this.#render();
  }

  // MARK: The list

  #render() {
    const isEmpty = this.#zones.length === 0;
    const hasGround = this.#routes.length > 0 || !isEmpty;
    setHidden(find(".map", this.root), !hasGround);
    setHidden(find(".place-add", this.root), !hasGround);
    setHidden(find(".place-start", this.root), !this.#start);
    setHidden(find(".no-routes", this.root), hasGround);
    setHidden(find(".empty", this.root), !isEmpty);
    find(".place-list", this.root).replaceChildren(...this.#zones.map((zone) => this.#row(zone)));
    this.map.draw();
  }

  #row(zone) {
    const { t } = this.page;
    const field = (label, key, attributes) => make("label", {},
      make("span", {}, t(label)),
      make("input", {
        value: zone[key] ?? "", required: true, ...attributes,
        onfocus: () => this.#select(zone, false),
        oninput: ({ target }) => {
          zone[key] = attributes.type === "number" ? target.valueAsNumber : target.value;
          this.map.draw();
        },
      }));
    return make("li", { class: "place" },
      field("placeName", "name", { maxlength: 64, autocomplete: "off" }),
      field("radius", "radiusMeters", { type: "number", min: 50, max: 5000, step: 1 }),
      field("latitude", "latitude", { type: "number", min: -90, max: 90, step: "any" }),
      field("longitude", "longitude", { type: "number", min: -180, max: 180, step: "any" }),
      make("button", { type: "button", class: "danger", onclick: () => {
        this.#zones = this.#zones.filter((each) => each !== zone);
        this.#select(undefined);
        this.#touch();
        find(".place-typed", this.root).focus();
      } }, t("remove")));
  }

  #add(place) {
    const { t } = this.page;
    const rounded = (degrees) => (degrees === undefined ? undefined : Number(degrees.toFixed(6)));
    const zone = {
      name: freeName(this.#zones, (n) => t("placeN", { n })), radiusMeters,
      latitude: rounded(place.latitude), longitude: rounded(place.longitude),
    };
    this.#zones.push(zone);
    this.#place(false);
    this.#select(zone);
    this.#touch();
    const name = find(".place-list li:last-child input", this.root);
    name.focus();
    name.select();
  }

  #select(zone, isRendered = true) {
    this.#selected = zone;
    if (isRendered) this.#render();
    else this.map.draw();
  }

  /** Says whether something is not saved yet. */
  #touch(isChanged = true) {
    setText(find(".unsaved", this.root), isChanged ? this.page.t("unsaved") : "");
  }

  async #save() {
    const { elements } = find("form", this.root);
    const settings = await this.page.attempt(() => this.owner.setZones({
      zones: this.#zones, trimStartMeters: elements.trimStart.valueAsNumber || 0,
      trimFinishMeters: elements.trimFinish.valueAsNumber || 0,
      showHeartRate: elements.showHeartRate.checked,
    }));
    if (!settings) return;
    this.#show(settings);
    this.page.say(this.page.t("savedPlaces"));
  }

  // MARK: The map

  #place(isPlacing) {
    this.#isPlacing = isPlacing;
    find(".place-add", this.root).setAttribute("aria-pressed", String(isPlacing));
    setText(find(".place-hint", this.root), isPlacing ? this.page.t("tapPlace") : "");
  }

  #listenToMap() {
    const { canvas } = this.map;
    let pressed;
    canvas.addEventListener("pointerdown", ({ offsetX, offsetY }) => { pressed = [offsetX, offsetY]; });
    canvas.addEventListener("click", ({ offsetX, offsetY }) => {
      // A drag ends with a click, too.
      if (!pressed || Math.hypot(offsetX - pressed[0], offsetY - pressed[1]) > 6) return;
      const world = this.map.worldAt(offsetX, offsetY);
      if (!world) return;
      const place = unproject(world.x, world.y);
      if (this.#isPlacing) this.#add(place);
      else this.#select(zoneAt(this.#zones, place));
    });
  }

  #drawRoutes({ context, place }) {
    context.lineWidth = 2;
    context.lineJoin = "round";
    context.strokeStyle = colors().pace;
    for (const route of this.#routes) {
      context.beginPath();
      for (const point of route) {
        const { x, y } = place(point.x, point.y);
        context.lineTo(x, y);
      }
      context.stroke();
    }
  }

  #drawZones({ context, place, pixels }) {
    for (const zone of this.#zones) {
      const world = project(zone.latitude, zone.longitude);
      const { x, y } = place(world.x, world.y);
      const reach = pixels(zone.radiusMeters, world.y);
      if (!Number.isFinite(x + y + reach)) continue;
      context.beginPath();
      context.arc(x, y, reach, 0, 2 * Math.PI);
      context.globalAlpha = 0.22;
      context.fillStyle = colors().accent;
      context.fill();
      context.globalAlpha = 1;
      context.lineWidth = zone === this.#selected ? 4 : 2;
      context.strokeStyle = colors().accent;
      context.stroke();
    }
  }
}
