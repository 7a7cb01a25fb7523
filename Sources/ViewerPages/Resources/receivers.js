// Whom the owner wants told of alerts: a list, a form, and a test of each.

import { find, make, setHidden } from "./dom.js";

export class Receivers {
  /** `page`: `{ t, say, attempt }`; `changed` is called once links may have changed. */
  constructor(root, page, changed) {
    this.root = root;
    this.page = page;
    this.changed = changed;
    this.list = find(".receiver-list", root);
    this.form = find("form", root);
    const { kind, address, secret } = this.form.elements;
    kind.addEventListener("change", () => {
      // The broker is the server's own.
      for (const field of [address, secret]) field.disabled = kind.value === "mqtt";
    });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#keep();
    });
  }

  async load(owner) {
    this.owner = owner;
    const receivers = await this.page.attempt(() => owner.receivers());
    if (!receivers) return;
    setHidden(this.list, receivers.length === 0);
    this.list.replaceChildren(...receivers.map((receiver) => this.#row(receiver)));
  }

  /** Leaves nothing of an owner who has signed out. */
  clear() {
    this.owner = undefined;
    this.list.replaceChildren();
    this.#reset();
    find("details", this.root).open = false;
  }

  #row({ name, kind, address, silentMinutes, trusted, share }) {
    const { t } = this.page;
    const facts = [
      [kind, address].filter(Boolean).join(" · "), silentMinutes ? t("silentAfter", { n: silentMinutes }) : "",
      trusted ? t("receiverTrusted") : "",
      share ? t("receiversSee", { share }) : t("receiversSeeNothing"),
    ];
    return make("li", { class: "share" },
      make("div", { class: "share-text" }, make("b", {}, name),
        make("span", { class: "hint" }, facts.filter(Boolean).join(" · "))),
      make("button", { type: "button", class: "quiet", onclick: () => this.#test(name) },
        t("tryReceiver")),
      make("button", { type: "button", class: "danger", onclick: () => this.#remove(name) },
        t("remove")));
  }

  #reset() {
    this.form.reset();
    for (const name of ["address", "secret"]) this.form.elements[name].disabled = false;
  }

  async #keep() {
    const fields = new FormData(this.form);
    const wish = { kind: fields.get("kind"), trusted: fields.get("trusted") === "on" };
    if (fields.get("address")) wish.address = fields.get("address");
    if (fields.get("secret")) wish.secret = fields.get("secret");
    if (fields.get("silentMinutes")) wish.silentMinutes = Number(fields.get("silentMinutes"));
    const kept = await this.page.attempt(() => this.owner.setReceiver(fields.get("name"), wish));
    if (!kept) return;
    this.#reset();
    find("details", this.root).open = false;
    this.page.say(kept.warning ?? this.page.t("saved"));
    this.changed();
    await this.load(this.owner);
  }

  async #test(name) {
    const answer = await this.page.attempt(() => this.owner.testReceiver(name));
    if (!answer) return;
    const { t } = this.page;
    this.page.say(answer.delivered ? t("receiverTold", { name })
      : t("receiverNotTold", { name, status: answer.status ?? t("noAnswer") }));
  }

  async #remove(name) {
    await this.page.attempt(() => this.owner.removeReceiver(name));
    if (this.owner) await this.load(this.owner);
  }
}
