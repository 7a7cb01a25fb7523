// Where finished runs are delivered: a list of targets, a form, and what became of the last runs.

import { find, make, setHidden } from "./dom.js";
import * as format from "./format.js";

const shownMax = 10;

export class Deliveries {
  /** `page`: `{ t, say, attempt }`; `named` is called with the names of all targets. */
  constructor(root, page, named) {
    this.root = root;
    this.page = page;
    this.named = named;
    this.list = find(".target-list", root);
    this.sent = find(".delivery-list", root);
    this.form = find("form", root);
    this.form.elements.kind.addEventListener("change", () => this.#fit());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#keep();
    });
    this.#fit();
  }

  async load(owner) {
    this.owner = owner;
    const found = await this.page.attempt(
      () => Promise.all([owner.targets(), owner.deliveries()]));
    if (!found) return;
    const [targets, deliveries] = found;
    this.list.replaceChildren(...targets.map((target) => this.#row(target)));
    this.sent.replaceChildren(
      ...deliveries.slice(0, shownMax).map((delivery) => this.#delivery(delivery)));
    this.named(targets.map(({ name }) => name));
    setHidden(this.list, targets.length === 0);
    setHidden(this.sent, deliveries.length === 0);
  }

  /** Leaves nothing of an owner who has signed out. */
  clear() {
    this.owner = undefined;
    this.list.replaceChildren();
    this.sent.replaceChildren();
    this.form.reset();
    this.#fit();
    find("details", this.root).open = false;
  }

  /** Shows the fields that the chosen kind has. */
  #fit() {
    const { kind, address, secret, sport } = this.form.elements;
    setHidden(sport.closest("label"), kind.value !== "fittrackee");
    const hasAddress = ["webhook", "fittrackee"].includes(kind.value);
    setHidden(address.closest("label"), !hasAddress);
    address.required = hasAddress;
    setHidden(secret.closest("label"), kind.value === "folder");
    secret.required = ["intervals", "fittrackee"].includes(kind.value);
  }

  #row({ name, kind, address, sport }) {
    const { t } = this.page;
    return make("li", { class: "share" },
      make("div", { class: "share-text" }, make("b", {}, name),
        make("span", { class: "hint" },
          [t(`target_${kind}`), address, sport ? t("sportIs", { n: sport }) : ""].filter(Boolean).join(" · "))),
      make("button", { type: "button", class: "danger", onclick: () => this.#remove(name) },
        t("remove")));
  }

  #delivery({ session, target, state, changedAt, dueAt, reason, hasGoneOn }) {
    const { t } = this.page;
    const facts = [
      t(`delivery_${state}`), format.date(changedAt, t.locale), reason,
      dueAt && reason ? t("triedAgainAt", { time: format.date(dueAt, t.locale) }) : "",
      hasGoneOn ? t("runWentOn") : "",
    ];
    return make("li", { class: "share" },
      make("div", { class: "share-text" }, make("b", {}, `${target} · ${session.slice(0, 8)}`),
        make("span", { class: "hint" }, facts.filter(Boolean).join(" · "))),
      state === "waiting" ? "" : make("button", {
        type: "button", class: "quiet", onclick: () => this.#send(session, target),
      }, t("sendAgain")));
  }

  async #keep() {
    const fields = new FormData(this.form);
    const wish = { kind: fields.get("kind") };
    if (["webhook", "fittrackee"].includes(wish.kind)) wish.address = fields.get("address");
    if (wish.kind !== "folder" && fields.get("secret")) wish.secret = fields.get("secret");
    if (wish.kind === "fittrackee" && fields.get("sport")) wish.sport = Number(fields.get("sport"));
    const kept = await this.page.attempt(() => this.owner.setTarget(fields.get("name"), wish));
    if (!kept) return;
    this.form.reset();
    this.#fit();
    find("details", this.root).open = false;
    this.page.say(this.page.t("saved"));
    await this.load(this.owner);
  }

  async #send(session, target) {
    await this.page.attempt(() => this.owner.deliver(session, target));
    if (this.owner) await this.load(this.owner);
  }

  async #remove(name) {
    await this.page.attempt(() => this.owner.removeTarget(name));
    if (this.owner) await this.load(this.owner);
  }
}
