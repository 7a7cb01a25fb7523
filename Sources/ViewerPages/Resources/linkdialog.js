// A link to pass on: as a QR code in the page's dialog, or in the clipboard.

import { find, make, setText } from "./dom.js";
import { qrCode, qrPath } from "./qr.js";

export class LinkDialog {
  /** `page`: `{ t, say }`; the page has a `dialog.qr`. */
  constructor(page) {
    this.page = page;
    this.dialog = find(".qr");
    find(".close", this.dialog).addEventListener("click", () => this.dialog.close());
    // A link may hold a secret: it leaves the page with its dialog.
    this.dialog.addEventListener("close", () => { if (!this.dialog.open) this.#fill(""); });
  }

  /** `hint` and `secret` stand above the code, where the page has places for them. */
  show(title, text, { hint = "", secret = "" } = {}) {
    const rows = qrCode(text);
    const space = "http://www.w3.org/2000/svg";
    const picture = document.createElementNS(space, "svg");
    picture.setAttribute("viewBox", `0 0 ${rows.length + 8} ${rows.length + 8}`);
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", `${this.page.t("qrCode")}: ${title}`);
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", qrPath(rows));
    picture.append(path);
    setText(find("h2", this.dialog), title);
    this.#fill(text, { hint, secret, pictures: [picture] });
    this.dialog.showModal();
  }

  copyButton(text) {
    const { t, say } = this.page;
    return make("button", {
      type: "button", class: "quiet",
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(text);
          say(t("copied"));
        } catch {
          this.show(t("copy"), text);
        }
      },
    }, t("copy"));
  }

  #fill(text, { hint = "", secret = "", pictures = [] } = {}) {
    find(".qr-picture", this.dialog).replaceChildren(...pictures);
    setText(find(".qr-text", this.dialog), text);
    setText(find(".qr-hint", this.dialog), hint);
    setText(find(".qr-secret", this.dialog), secret);
  }
}
