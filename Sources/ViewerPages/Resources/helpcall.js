// The call for help: a countdown in which it can be cancelled, then how it goes.

import { find, setHidden, setText } from "./dom.js";

const countdownSeconds = 5;

export class HelpCall {
  #timer;
  #left = 0;
  #sequence;

  /** `send()` gives the number of the frame; `hasIt(number)`: the daemon has it; `takeBack()`. */
  constructor(dialog, t, { send, takeBack, hasIt }) {
    Object.assign(this, { dialog, t, send, takeBack, hasIt });
    find(".help-cancel", dialog).addEventListener("click", () => this.#cancel());
    find(".help-close", dialog).addEventListener("click", () => this.#close());
    // Escape cancels the countdown; once the call is out it only closes.
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      if (this.#sequence === undefined) this.#cancel();
      else this.#close();
    });
  }

  begin() {
    if (this.dialog.open) return;
    this.#left = countdownSeconds;
    this.#sequence = undefined;
    this.dialog.showModal();
    this.#show();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#tick(), 1000);
  }

  #tick() {
    this.#left -= 1;
    if (this.#left <= 0 && this.#sequence === undefined) {
      this.#sequence = this.send();
      navigator.vibrate?.([200, 100, 200]);
    }
    this.#show();
  }

  #cancel() {
    if (this.#sequence !== undefined) this.takeBack();
    this.#close();
  }

  #close() {
    clearInterval(this.#timer);
    this.dialog.close();
  }

  #show() {
    const isOut = this.#sequence !== undefined;
    const has = isOut && this.hasIt(this.#sequence);
    this.dialog.dataset.state = isOut ? (has ? "out" : "kept") : "counting";
    setText(find("h2", this.dialog), this.t(isOut ? (has ? "sosOut" : "sosKept") : "sosTitle"));
    setText(find(".help-number", this.dialog), isOut ? "" : String(this.#left));
    const text = isOut ? (has ? "sosOutText" : "sosKeptText") : "sosIn";
    setText(find(".help-text", this.dialog), this.t(text));
    setText(find(".help-cancel", this.dialog), this.t(isOut ? "sosTakeBack" : "sosCancel"));
    setHidden(find(".help-close", this.dialog), !isOut);
  }
}
