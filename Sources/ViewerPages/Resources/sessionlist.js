// The owner's sessions: a row each with its route, its numbers, its downloads and the owner's words.

import { colors, onThemeChange } from "./colors.js";
import { find, findAll, fitCanvas, make, saveFile, setHidden, setText } from "./dom.js";
import * as format from "./format.js";
import { pointsOfGPX } from "./owner.js";
import { boundsOf, project } from "./projection.js";
import { Series } from "./series.js";

const units = format.unitSystems.metric;
const typingMilliseconds = 300;
const files = ["gpx", "tcx", "fit", "csv", "csv-motion", "ndjson", "mcap"];

/** Times come as seconds since 1970 or as ISO 8601. Pure. */
export function seconds(time) {
  if (typeof time === "number") return time;
  const parsed = Date.parse(time ?? "");
  return Number.isNaN(parsed) ? undefined : parsed / 1000;
}

export class SessionList {
  /**
   * `page`: `{ t, say, attempt }`. Called are `changed` once a load may have changed, `delivered`
   * once a run is on its way.
   */
  constructor(root, page, { changed, delivered }) {
    this.root = root;
    this.page = page;
    this.changed = changed;
    this.delivered = delivered;
    this.targets = [];
    this.list = find(".session-list", root);
    this.older = find(".older", root);
    this.form = find(".session-search", root);
    this.field = find("input", this.form);
    this.search = "";
    // Each key would be a request of its own.
    this.field.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.#look(), typingMilliseconds);
    });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#look();
    });
  }

  #look() {
    clearTimeout(this.typing);
    const search = this.field.value.trim();
    if (!this.owner || search === this.search) return;
    this.search = search;
    this.load(this.owner);
  }

  async load(owner) {
    this.owner = owner;
    const page = await this.#sessions();
    if (!page) return;
    const { search } = this;
    const isEmpty = page.sessions.length === 0;
    const empty = find(".empty", this.root);
    setText(empty, isEmpty ? this.page.t(search ? "noSessionsFound" : "noSessions", { text: search }) : "");
    setHidden(empty, !isEmpty);
    setHidden(this.form, isEmpty && !search);
    this.list.replaceChildren(...page.sessions.map((session) => this.#row(session)));
    this.#offerOlder(page.next);
  }

  /** A page; undefined also if another text is searched by now. */
  async #sessions(before) {
    const { owner, search } = this;
    const page = await this.page.attempt(() => owner.sessions(search, before));
    return search === this.search ? page : undefined;
  }

  /** Leaves nothing of an owner who has signed out. */
  clear() {
    this.owner = undefined;
    clearTimeout(this.typing);
    this.search = "";
    this.field.value = "";
    this.list.replaceChildren();
    this.targets = [];
    this.#offerOlder();
  }

  /** Lets each run be delivered to the targets of these names. */
  offerTargets(names) {
    this.targets = names;
    for (const select of findAll(".session-deliver", this.list)) this.#fill(select);
  }

  #fill(select) {
    setHidden(select, this.targets.length === 0);
    select.replaceChildren(make("option", { value: "" }, this.page.t("sendTo")),
      ...this.targets.map((name) => make("option", { value: name }, name)));
  }

  async #deliver(id, target) {
    const { t, say, attempt } = this.page;
    const sent = await attempt(() => this.owner.deliver(id, target));
    if (!sent) return;
    say(t("isOnItsWay", { name: target }));
    this.delivered();
  }

  /** The button that shows what began before `cursor`; hidden without one. */
  #offerOlder(cursor) {
    const { older } = this;
    setHidden(older, !cursor);
    older.onclick = async () => {
      older.disabled = true;
      const page = await this.#sessions(cursor);
      older.disabled = false;
      if (!page) return;
      this.list.append(...page.sessions.map((session) => this.#row(session)));
      this.#offerOlder(page.next);
    };
  }

  #row(session) {
    const { t } = this.page;
    const canvas = make("canvas", { class: "session-route", "aria-hidden": "true" });
    const facts = make("span", { class: "session-facts" }, factsOf(session, t));
    const save = make("select", { "aria-label": t("download"), onchange: () => {
      const kind = save.value;
      if (kind) this.page.attempt(() => download(this.owner, session.id, kind));
      save.value = "";
    } }, make("option", { value: "" }, t("download")),
    make("option", { value: "html" }, t("report")),
    ...files.map((each) => make("option", { value: each }, each)));
    const deliver = make("select", { class: "session-deliver", "aria-label": t("sendTo"), onchange: () => {
      const target = deliver.value;
      deliver.value = "";
      if (target) this.#deliver(session.id, target);
    } });
    this.#fill(deliver);
    this.#watchForSight(canvas, session, facts);
    const name = make("b", { class: "session-name" });
    const words = make("span", { class: "session-words hint" });
    const show = (note) => {
      Object.assign(session, note);
      setText(name, session.name ?? "");
      const exertion = session.exertion ? t("exertionOf", { n: session.exertion }) : "";
      setText(words, [session.notes, exertion].filter(Boolean).join(" · "));
      for (const node of [name, words]) setHidden(node, !node.textContent);
    };
    show({});
    return make("li", { class: "session" }, canvas,
      make("div", { class: "session-text" }, name,
        make("b", {}, format.date(seconds(session.startedAt), t.locale)), facts,
        session.state && session.state !== "ended"
          ? make("span", { class: "badge" }, t(session.state)) : undefined, words),
      make("div", { class: "session-tools" }, save, deliver,
        make("button", { type: "button", class: "danger", onclick: () => this.#erase(session.id) },
          t("delete"))),
      this.#note(session, show));
  }

  /** The form of the owner's words; `show` is called with what is kept. */
  #note(session, show) {
    const { t } = this.page;
    const details = make("details", { class: "session-note" },
      make("summary", {}, t("sessionNote")));
    details.addEventListener("toggle", () => {
      if (!details.open || find("form", details)) return;
      const name = make("input", { name: "name", maxlength: 80, autocomplete: "off" });
      name.value = session.name ?? "";
      const notes = make("textarea", { name: "notes", maxlength: 500, rows: 2 });
      notes.value = session.notes ?? "";
      const exertion = make("select", { name: "exertion" }, make("option", { value: "0" }, ""),
        ...Array.from({ length: 10 }, (_, index) =>
          make("option", { value: index + 1 }, String(index + 1))));
      exertion.value = String(session.exertion ?? 0);
      const form = make("form", { class: "settings" }, labelled(t("sessionName"), name),
        labelled(t("sessionNotes"), notes), labelled(t("exertion"), exertion),
        make("p", { class: "save-row" }, make("button", { type: "submit" }, t("save"))));
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.#keep(session.id, form, details, show);
      });
      details.append(form);
    });
    return details;
  }

  async #keep(id, form, details, show) {
    const fields = new FormData(form);
    const note = await this.page.attempt(() => this.owner.setNote(id, {
      name: fields.get("name"), notes: fields.get("notes"),
      exertion: Number(fields.get("exertion")),
    }));
    if (!note) return;
    show(note);
    form.remove();
    details.open = false;
    this.page.say(this.page.t("saved"));
    this.changed();
  }

  async #erase(id) {
    if (!confirm(this.page.t("confirmDelete"))) return;
    await this.page.attempt(() => this.owner.deleteSession(id));
    if (this.owner) await this.load(this.owner);
  }

  /** What costs is fetched when a row comes into view: a list of hundreds asks for a few. */
  #watchForSight(canvas, session, facts) {
    const { owner } = this;
    const observer = new IntersectionObserver(async ([entry]) => {
      if (!entry.isIntersecting) return;
      observer.disconnect();
      try {
        if (session.distanceMeters == null) {
          setText(facts, factsOf(await owner.session(session.id), this.page.t));
        }
        const text = await (await owner.exportSession(session.id, "gpx")).text();
        drawSmallRoute(canvas, pointsOfGPX(text));
      } catch {
        // A session without positions has no picture.
      }
    });
    observer.observe(canvas);
  }
}

function labelled(text, field) {
  return make("label", {}, make("span", {}, text), field);
}

function factsOf({ distanceMeters, movingSeconds, averageHeartRate }, t) {
  const facts = [
    distanceMeters == null ? "" : `${format.distance(distanceMeters, units)} ${t("km")}`,
    movingSeconds == null ? "" : format.duration(movingSeconds),
    distanceMeters > 100 && movingSeconds
      ? `${format.pace((movingSeconds / distanceMeters) * 1000)} ${units.pace}` : "",
    averageHeartRate ? `${format.integer(averageHeartRate)} ${t("bpm")}` : "",
  ];
  return facts.filter(Boolean).join(" · ");
}

async function download(owner, id, kind) {
  saveFile(
    await (kind === "html" ? owner.report(id) : owner.exportSession(id, kind)),
    `${id}.${kind === "csv-motion" ? "motion.csv" : kind}`);
}

function drawSmallRoute(canvas, points) {
  const series = new Series(Math.max(1, points.length));
  points.forEach(({ latitude, longitude }, index) =>
    series.append({ time: index, ...project(latitude, longitude) }));
  const bounds = boundsOf(series);
  if (!bounds) return;
  const draw = () => {
    const { context, width, height } = size;
    const span = Math.max(bounds.maxX - bounds.minX, bounds.maxY - bounds.minY, 1e-9);
    const scale = (Math.min(width, height) - 16) / span;
    const { x, y } = series.column;
    context.clearRect(0, 0, width, height);
    context.beginPath();
    for (let index = 0; index < series.length; index += 1) {
      context.lineTo(width / 2 + (x[index] - (bounds.minX + bounds.maxX) / 2) * scale,
        height / 2 + (y[index] - (bounds.minY + bounds.maxY) / 2) * scale);
    }
    context.lineWidth = 2.5;
    context.lineJoin = "round";
    context.strokeStyle = colors().accent;
    context.stroke();
  };
  const size = fitCanvas(canvas, draw);
  onThemeChange(draw);
}
