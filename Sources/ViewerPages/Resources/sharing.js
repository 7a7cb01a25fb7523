// The link with which others watch a recording: one press makes it, or shows the one that there is.

import { find } from "./dom.js";
import { LinkDialog } from "./linkdialog.js";
import { Owner } from "./owner.js";

/**
 * The link that this button made before and that is still open; undefined without. Links that
 * receivers of alerts or groups have bear the device's name too, and end otherwise. Pure.
 */
export const openLink = (shares, device, now = Date.now() / 1000) =>
  shares.find(({ label, state, url, group, public: name, expiresAt, delaySeconds }) =>
    label === device && state === "active" && url && !name && !group && !delaySeconds
    && typeof expiresAt === "number" && expiresAt - now <= 86_400);

export class Sharing {
  /** `page`: `{ t, say }`; the page has a `dialog.qr`. */
  constructor(page) {
    this.page = page;
    this.links = new LinkDialog(page);
  }

  async show(token, device) {
    const { t, say } = this.page;
    const owner = new Owner(token);
    try {
      const { url } = openLink(await owner.shares(), device)
        ?? await owner.createShare({ label: device, expires: "24h" });
      find(".qr-copy").replaceChildren(this.links.copyButton(url));
      this.links.show(t("shareTitle"), url, { hint: t("shareHint") });
    } catch (error) {
      say(error.reason ?? t("noDaemon"));
    }
  }
}
