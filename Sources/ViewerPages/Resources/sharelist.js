// The owner's links: who may watch, a form for a new one, and what is rare of each behind "More".

import { find, make, setHidden, setText } from "./dom.js";
import * as format from "./format.js";

/** Of the openings that are shown; the daemon keeps more. */
const openingsMax = 20;
/** Of a visitor's pseudonym: enough to tell one from another. */
const visitorDigits = 6;
const known = ["opened", "codeRedeemed", "revealed", "created", "rotated", "revoked", "cheered"];

/** The page that sets the overlay of a link up. Pure. */
export const overlayPage = (url) =>
  `/overlay/${new URL(url).pathname.replace(/^\/(s\/)?/, "")}/setup`;

/** What a share is called: one that was made for a group has the group's name. Pure. */
export function titleOf(share, t) {
  if (share.group) return t("shareOfGroup", { name: share.group });
  return share.public || share.label || share.name;
}

/** What a form asks for; free text comes before the choice in a list. Pure. */
export function wishOf(fields) {
  const wish = { scope: fields.getAll("scope").join(",") };
  for (const name of ["name", "label", "public"]) {
    if (fields.get(name)) wish[name] = fields.get(name).trim();
  }
  for (const name of ["expires", "delay"]) {
    const text = fields.get(`${name}Text`)?.trim() || fields.get(name);
    if (text) wish[name] = text;
  }
  if (fields.get("maxViewers")) wish.maxViewers = Number(fields.get("maxViewers"));
  return wish;
}

export class ShareList {
  /** `page`: `{ t, say, attempt }`; `links`: a `LinkDialog`. */
  constructor(root, page, links) {
    this.root = root;
    this.page = page;
    this.links = links;
    this.list = find(".share-list", root);
    this.ended = find(".ended-shares", root);
    this.form = find(".new-share form", root);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#create();
    });
  }

  async load(owner) {
    this.owner = owner;
    const shares = await this.page.attempt(() => owner.shares());
    if (!shares) return;
    const active = shares.filter((share) => share.state === "active");
    const ended = shares.filter((share) => share.state === "expired").reverse();
    setHidden(find(".empty", this.root), active.length > 0);
    this.list.replaceChildren(...active.map((share) => this.#row(share)));
    setHidden(this.ended, ended.length === 0);
    find("ul", this.ended).replaceChildren(...ended.map((share) => this.#endedRow(share)));
  }

  /** Leaves nothing of an owner who has signed out. */
  clear() {
    this.owner = undefined;
    this.list.replaceChildren();
    find("ul", this.ended).replaceChildren();
    this.form.reset();
    find(".new-share", this.root).open = false;
  }

  #row(share) {
    const { t } = this.page;
    const expires = share.expiresAt;
    const facts = [
      share.scope.map((scope) => t(`scope_${scope}`)).join(", "),
      share.delaySeconds ? `${t("delay")} ${format.age(share.delaySeconds)}` : "",
      expires ? t("until", { date: format.date(expires, t.locale) }) : t("noEnd"),
      t("viewersNow", { n: share.viewers ?? 0 }), t("viewersEver", { n: share.viewersEver ?? 0 }),
    ];
    const quiet = (text, onclick) => make("button", { type: "button", class: "quiet", onclick }, text);
    const tools = share.url ? [
      this.links.copyButton(share.url),
      quiet(t("qrCode"), () => this.links.show(titleOf(share, t), share.url)),
      make("a", {
        class: "button quiet", href: overlayPage(share.url), target: "_blank", rel: "noopener",
      }, t("overlay")),
    ] : [];
    return make("li", { class: "share" },
      make("div", { class: "share-text" }, make("b", {}, titleOf(share, t)),
        make("span", { class: "hint" }, facts.filter(Boolean).join(" · "))),
      ...tools,
      make("button", { type: "button", class: "danger", onclick: () => this.#revoke(share) }, t("revoke")),
      this.#more(share, share.url ? [this.#codeForm(share),
        quiet(t("newAddress"), () => this.#rotate(share))] : []));
  }

  #endedRow(share) {
    const { t } = this.page;
    return make("li", {}, make("b", {}, titleOf(share, t)),
      make("span", { class: "hint" }, ` · ${t("endedAt", { date: format.date(share.expiresAt, t.locale) })}`),
      this.#more(share, []));
  }

  /** What one seldom wants; the openings are asked for when it is opened. */
  #more(share, tools) {
    const { t } = this.page;
    const openings = make("ul", { class: "openings" });
    const details = make("details", { class: "share-more" }, make("summary", {}, t("more")),
      ...tools, make("h3", {}, t("openings")), openings);
    details.addEventListener("toggle", async () => {
      if (!details.open) return;
      const found = await this.page.attempt(() => this.owner.opens(share.name));
      if (!found) return;
      const newest = found.toSorted((one, other) => other.at - one.at).slice(0, openingsMax);
      openings.replaceChildren(...newest.map(({ at, event, visitor }) => make("li", {},
        [format.date(at, t.locale), known.includes(event) ? t(`open_${event}`) : event,
          visitor === "owner" ? t("you") : t("visitor", { name: visitor.slice(0, visitorDigits) })].join(" · "))));
      if (!newest.length) openings.replaceChildren(make("li", {}, t("noOpenings")));
    });
    return details;
  }

  /** A code to read to somebody, in place of the address. */
  #codeForm(share) {
    const { t } = this.page;
    const life = make("input", {
      name: "expires", maxlength: 16, autocomplete: "off", placeholder: "10m",
    });
    const form = make("form", { class: "code-row" },
      make("label", {}, make("span", {}, t("codeLife")), life),
      make("button", { type: "submit", class: "quiet" }, t("code")), make("b", { role: "status" }));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const wish = life.value.trim() ? { expires: life.value.trim() } : {};
      const made = await this.page.attempt(() => this.owner.shareCode(share.name, wish));
      if (!made) return;
      setText(find("b", form),
        t("codeIs", { code: made.code, date: format.date(made.expiresAt, t.locale) }));
    });
    return form;
  }

  async #create() {
    const wish = wishOf(new FormData(this.form));
    const share = await this.page.attempt(() => this.owner.createShare(wish));
    if (!share) return;
    this.form.reset();
    find(".new-share", this.root).open = false;
    if (share.warning) this.page.say(share.warning);
    await this.load(this.owner);
    if (share.url) this.links.show(share.label || share.name, share.url);
  }

  async #revoke(share) {
    if (!confirm(this.page.t("confirmRevoke"))) return;
    await this.#act(() => this.owner.revokeShare(share.name));
  }

  async #rotate(share) {
    if (!confirm(this.page.t("confirmNewAddress"))) return;
    await this.#act(() => this.owner.rotateShare(share.name));
  }

  async #act(action) {
    await this.page.attempt(action);
    if (this.owner) await this.load(this.owner);
  }
}
