// Groups of runners: made, joined and left by their members.

import { find, make, setHidden } from "./dom.js";
import * as format from "./format.js";

/** The invitation behind `#join=`, or in an address that ends so; undefined without one. Pure. */
export function invitationIn(text) {
  return /#join=([\w-]{1,256})$/.exec(text)?.[1];
}

export class Groups {
  /**
   * `page`: `{ t, say, attempt }`; `links`: a `LinkDialog`; `changed` is called once links
   * may have changed.
   */
  constructor(root, page, links, changed) {
    this.root = root;
    this.page = page;
    this.links = links;
    this.changed = changed;
    this.list = find(".group-list", root);
    this.form = find(".new-group form", root);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#create();
    });
    this.joining = find(".join-group", root);
    this.joining.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#join();
    });
  }

  async load(owner) {
    this.owner = owner;
    const groups = await this.page.attempt(() => owner.groups());
    if (!groups) return;
    setHidden(this.list, groups.length === 0);
    this.list.replaceChildren(...groups.map((group) => this.#row(group)));
  }

  /** Shows the invitation that the page was opened with; joining needs a tap. */
  offer(invitation) {
    this.joining.elements.invitation.value = invitation;
    this.joining.scrollIntoView();
  }

  /** Leaves nothing of an owner who has signed out. */
  clear() {
    this.owner = undefined;
    this.list.replaceChildren();
    this.form.reset();
    this.joining.reset();
    find("details", this.root).open = false;
  }

  #row(group) {
    const { t } = this.page;
    const title = group.label ?? t("group");
    const facts = [
      group.isOwn ? t("groupOwn") : "",
      group.expiresAt ? t("until", { date: format.date(group.expiresAt, t.locale) }) : t("noEnd"),
    ];
    return make("li", { class: "share group" },
      make("div", { class: "share-text" }, make("b", {}, title),
        make("span", { class: "hint" }, facts.filter(Boolean).join(" · ")),
        make("ul", { class: "member-list" },
          ...group.members.map((member) => this.#member(group, member)))),
      group.url ? this.links.copyButton(group.url) : "",
      group.isOwn ? make("button", { type: "button", onclick: () => this.#invite(group) },
        t("invite")) : "",
      make("button", { type: "button", class: "danger", onclick: () => this.#leave(group) },
        t(group.isOwn ? "endGroup" : "leaveGroup")));
  }

  #member(group, { number, runner, isOwn }) {
    const { t } = this.page;
    return make("li", {}, runner, isOwn ? ` (${t("you")})` : "",
      group.isOwn && !isOwn ? make("button", {
        type: "button", class: "quiet", "aria-label": `${t("remove")}: ${runner}`,
        onclick: () => this.#act(() => this.owner.removeMember(group.name, number)),
      }, t("remove")) : "");
  }

  async #create() {
    const fields = new FormData(this.form);
    const wish = { scope: fields.getAll("scope").join(",") };
    for (const name of ["label", "runner", "expires"]) {
      if (fields.get(name)) wish[name] = fields.get(name);
    }
    const group = await this.page.attempt(() => this.owner.createGroup(wish));
    if (!group) return;
    this.form.reset();
    find("details", this.root).open = false;
    this.changed();
    await this.load(this.owner);
  }

  async #join() {
    const fields = new FormData(this.joining);
    // The whole address that a friend sent is as good as the invitation in it.
    const text = fields.get("invitation").trim();
    const invitation = invitationIn(text) ?? text;
    const wish = { invitation, scope: fields.getAll("scope").join(",") };
    if (fields.get("runner")) wish.runner = fields.get("runner");
    const group = await this.page.attempt(() => this.owner.joinGroup(wish));
    if (!group) return;
    this.joining.reset();
    this.page.say(this.page.t("joined"));
    this.changed();
    await this.load(this.owner);
  }

  async #invite(group) {
    const made = await this.page.attempt(() => this.owner.invite(group.name));
    if (made) this.links.show(this.page.t("invitation"), made.url);
  }

  async #leave(group) {
    const { t } = this.page;
    if (!confirm(t(group.isOwn ? "confirmEndGroup" : "confirmLeaveGroup"))) return;
    await this.#act(() => this.owner.leaveGroup(group.name));
  }

  async #act(action) {
    await this.page.attempt(action);
    if (!this.owner) return;
    this.changed();
    await this.load(this.owner);
  }
}
