// The administration's API. The session's token lives in this object alone: not in the address, not
// in the browser's storage, not in a cookie.

import { OwnerError } from "./owner.js";

export class AdminClient {
  #token;

  /** Exchanges a link's secret, which works once. Fulfilled with the seconds that the session lasts. */
  async open(secret) {
    const { token, sessionSeconds } = await this.#json("POST", "/sessions", { secret });
    this.#token = token;
    return sessionSeconds;
  }

  async close() {
    await this.#send("DELETE", "/sessions");
    this.#token = undefined;
  }

  health = () => this.#json("GET", "/health");
  devices = () => this.#json("GET", "/devices");
  addDevice = (device) => this.#json("POST", "/devices", { device });
  rotateDevice = (name) => this.#json("POST", `/devices/${encodeURIComponent(name)}/rotate`);
  revokeDevice = (name) => this.#send("POST", `/devices/${encodeURIComponent(name)}/revoke`);
  deleteDevice = (name) => this.#json("DELETE", `/devices/${encodeURIComponent(name)}`);
  setUp = (name, token) =>
    this.#json("POST", `/devices/${encodeURIComponent(name)}/setup`, { app: "browser", token });
  shares = () => this.#json("GET", "/shares");
  revokeShare = (name) => this.#send("POST", `/shares/${encodeURIComponent(name)}/revoke`);

  async #json(method, path, body) {
    return (await this.#send(method, path, body)).json();
  }

  async #send(method, path, body) {
    const headers = body ? { "Content-Type": "application/json" } : {};
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    const answer = await fetch(`/v1/admin${path}`, {
      method, headers, cache: "no-store", credentials: "omit",
      body: body ? JSON.stringify(body) : undefined,
    });
    if (!answer.ok) {
      const { reason } = await answer.json().catch(() => ({}));
      throw new OwnerError(answer.status, reason);
    }
    return answer;
  }
}
