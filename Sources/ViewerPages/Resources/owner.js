// The Owner's API of a device. The token lives in the address's fragment, which browsers never
// send, and goes out only as a header to the daemon that served this page.

import { busyDelay } from "./retry.js";

/** Of a file that is to be brought in: a daemon that is busy for longer, or again and again, has refused it. */
const [busyMillisecondsMax, triesMax] = [75_000, 15];

/** The token behind `#` (bare, or as `token=…`); undefined without one. Pure. */
export function tokenIn(fragment) {
  const text = decodeURIComponent(fragment.replace(/^#/, ""));
  const token = text.startsWith("token=") ? text.slice(6) : text;
  return /^[\x21-\x7e]{1,512}$/.test(token) ? token : undefined;
}

export class OwnerError extends Error {
  /**
   * `reason`: the daemon's own sentence, if it said one. `busyMilliseconds`: when to come back, if it
   * is busy.
   */
  constructor(status, reason, busyMilliseconds) {
    super(reason ?? `status ${status}`);
    this.status = status;
    this.reason = reason;
    this.busyMilliseconds = busyMilliseconds;
  }
}

export class Owner {
  #token;

  constructor(token) {
    this.#token = token;
  }

  get token() {
    return this.#token;
  }

  device = () => this.#json("GET", "");
  eraseAll = (device) => this.#json("DELETE", "", { device });

  /** A page of sessions that match `search`, newest first, and the next one's cursor; undefined at the end. */
  async sessions(search, before) {
    const query = new URLSearchParams({ limit: 50, ...search && { search }, ...before && { before } });
    const answer = await this.#send("GET", `/sessions?${query}`);
    const sessions = await answer.json();
    return { sessions, next: answer.headers.get("Link") ? sessions.at(-1)?.cursor : undefined };
  }

  /** Brings in the file of a run; `duplicate`: "refuse", "replace" or "keep". */
  async importFile(file, duplicate) {
    const query = new URLSearchParams({ name: file.name, duplicate });
    const body = await packed(file);
    for (let tries = 1; ; tries += 1) {
      try {
        return (await this.#send("POST", `/import?${query}`, body)).json();
      } catch (error) {
        const { busyMilliseconds } = error;
        if (!(busyMilliseconds <= busyMillisecondsMax) || tries === triesMax) throw error;
        await new Promise((resolve) => { setTimeout(resolve, busyMilliseconds); });
      }
    }
  }

  session = (id) => this.#json("GET", `/sessions/${encodeURIComponent(id)}`);
  deleteSession = (id) => this.#send("DELETE", `/sessions/${encodeURIComponent(id)}`);
  setNote = (id, note) => this.#json("PUT", `/sessions/${encodeURIComponent(id)}`, note);
  shares = () => this.#json("GET", "/shares");
  createShare = (wish) => this.#json("POST", "/shares", wish);
  revokeShare = (name) => this.#send("DELETE", `/shares/${encodeURIComponent(name)}`);
  command = (command) => this.#json("POST", "/commands", { command });
  setups = (origin) => this.#json("GET", `/setups?url=${encodeURIComponent(origin)}`);
  training = (days) => this.#json("GET", `/training?days=${days}`);
  cheers = () => this.#json("GET", "/cheers");
  zones = () => this.#json("GET", "/zones");
  setZones = (zones) => this.#json("PUT", "/zones", zones);
  profile = () => this.#json("GET", "/profile");
  setProfile = (changes) => this.#json("PUT", "/profile", changes);
  receivers = () => this.#json("GET", "/receivers");
  setReceiver = (name, wish) => this.#json("PUT", `/receivers/${encodeURIComponent(name)}`, wish);
  removeReceiver = (name) => this.#send("DELETE", `/receivers/${encodeURIComponent(name)}`);
  testReceiver = (name) => this.#json("POST", `/receivers/${encodeURIComponent(name)}/test`);
  rotateShare = (name) => this.#json("POST", `/shares/${encodeURIComponent(name)}/rotate`);
  shareCode = (name, wish) => this.#json("POST", `/shares/${encodeURIComponent(name)}/code`, wish);
  opens = (name) => this.#json("GET", `/shares/${encodeURIComponent(name)}/opens`);
  groups = () => this.#json("GET", "/groups");
  createGroup = (wish) => this.#json("POST", "/groups", wish);
  joinGroup = (wish) => this.#json("POST", "/groups/join", wish);
  invite = (name) => this.#json("POST", `/groups/${encodeURIComponent(name)}/invite`, {});
  leaveGroup = (name) => this.#send("DELETE", `/groups/${encodeURIComponent(name)}`);
  removeMember = (name, number) =>
    this.#send("DELETE", `/groups/${encodeURIComponent(name)}/members/${number}`);
  targets = () => this.#json("GET", "/targets");
  setTarget = (name, wish) => this.#json("PUT", `/targets/${encodeURIComponent(name)}`, wish);
  removeTarget = (name) => this.#send("DELETE", `/targets/${encodeURIComponent(name)}`);
  deliveries = () => this.#json("GET", "/deliveries");
  deliver = (session, target) => this.#json("POST", "/deliveries", { session, target });
  removeCourse = () => this.#send("DELETE", "/course");

  /** The course as GPX; empty: there is none. */
  async course() {
    // Asked for only where it is: a browser's console complains of every 404.
    if (!(await this.device()).hasCourse) return "";
    return (await this.#send("GET", "/course")).text();
  }

  async setCourse(file) {
    return (await this.#send("PUT", "/course", file)).json();
  }

  async report(id) {
    return (await this.#send("GET", `/sessions/${encodeURIComponent(id)}/report`)).blob();
  }

  async exportSession(id, format) {
    const query = `format=${encodeURIComponent(format)}`;
    const answer = await this.#send("GET", `/sessions/${encodeURIComponent(id)}/export?${query}`);
    return answer.blob();
  }

  /** All that is kept, with each session in `format`, as one ZIP archive. */
  async archive(format) {
    return (await this.#send("GET", `/archive?format=${encodeURIComponent(format)}`)).blob();
  }

  async #json(method, path, body) {
    return (await this.#send(method, path, body)).json();
  }

  async #send(method, path, body) {
    const headers = { Authorization: `Bearer ${this.#token}` };
    const isFile = body instanceof Blob;
    if (body && !isFile) headers["Content-Type"] = "application/json";
    const answer = await fetch(`/v1/me${path}`, {
      method, headers, cache: "no-store",
      body: body && !isFile ? JSON.stringify(body) : body,
    });
    if (!answer.ok) {
      const { reason } = await answer.json().catch(() => ({}));
      throw new OwnerError(answer.status, reason, busyDelay(answer));
    }
    return answer;
  }
}

/** The file in gzip's frame, where the browser can: a GPX file becomes a tenth. */
async function packed(file) {
  if (!globalThis.CompressionStream || /\.gz$/i.test(file.name)) return file;
  return new Response(file.stream().pipeThrough(new CompressionStream("gzip"))).blob();
}

/** Latitude and longitude of each point of a GPX text, thinned to `pointsMax`. Pure. */
export function pointsOfGPX(text, pointsMax = 300) {
  const points = [...text.matchAll(/<trkpt\b([^>]*)>/g)].map(([, attributes]) => {
    const number = (name) => Number(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1]);
    return { latitude: number("lat"), longitude: number("lon") };
  }).filter(({ latitude, longitude }) => Number.isFinite(latitude) && Number.isFinite(longitude));
  const stride = Math.max(1, Math.ceil(points.length / pointsMax));
  return points.filter((_, index) => index % stride === 0 || index === points.length - 1);
}

/** Names of applications as their makers write them. */
const appNames = {
  browser: "Browser, Pulsecast's own page",
  sensorlogger: "Sensor Logger", owntracks: "OwnTracks", overland: "Overland",
  osmand: "OsmAnd, Traccar Client", gpslogger: "GPSLogger", runnerup: "RunnerUp",
  hrpush: "HR Push", hr: "Heart rate (HTTP)", hds: "HDS, Health Data Server",
};

export const appName = (app) => appNames[app] ?? app;
