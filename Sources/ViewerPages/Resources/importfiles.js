// Files of runs on the owner's page: chosen or dropped, taken one after the other, each run once.

import { find, make } from "./dom.js";
import { OwnerError } from "./owner.js";

export class ImportFiles {
  #waiting = [];
  #isTaking = false;

  /** `page`: `{ t, say, attempt }`; `done` is called once files were taken. */
  constructor(root, page, done) {
    this.root = root;
    this.page = page;
    this.done = done;
    this.list = find(".import-list", root);
    find(".import input", root).addEventListener("change", ({ target: field }) => {
      this.#add([...field.files]);
      field.value = "";
    });
    root.addEventListener("dragover", (event) => {
      if (event.dataTransfer.types.includes("Files")) event.preventDefault();
    });
    root.addEventListener("drop", (event) => {
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      this.#add([...event.dataTransfer.files]);
    });
  }

  load(owner) {
    this.owner = owner;
  }

  /** Leaves nothing of an owner who has signed out. */
  clear() {
    this.owner = undefined;
    this.#waiting = [];
    this.list.replaceChildren();
  }

  #add(files) {
    for (const file of files) {
      const row = make("li", {}, make("b", {}, file.name), make("span", { class: "hint" }));
      this.list.append(row);
      this.#waiting.push({ file, row, duplicate: "refuse" });
    }
    this.#takeAll();
  }

  async #takeAll() {
    if (this.#isTaking) return;
    this.#isTaking = true;
    let taken = 0;
    while (this.#waiting.length) {
      if (await this.#take(this.#waiting.shift())) taken += 1;
    }
    this.#isTaking = false;
    if (taken > 0 && this.owner) this.done();
  }

  /** Whether the file was taken. */
  async #take({ file, row, duplicate }) {
    const { t } = this.page;
    const { owner } = this;
    this.#tell(row, t("importTaking"));
    let refusal;
    const answer = await this.page.attempt(async () => {
      try {
        return await owner.importFile(file, duplicate);
      } catch (error) {
        // What is wrong with a file stands beside its name. Who is not the owner any more is signed out.
        if (!(error instanceof OwnerError) || [401, 403].includes(error.status)) throw error;
        refusal = error;
        return undefined;
      }
    });
    if (this.owner !== owner) return false;
    if (answer) {
      this.#tell(row, [t("importTaken", { n: answer.frames }), ...answer.notes].join(" · "));
      return true;
    }
    this.#tell(row, refusal?.status === 409 ? t("importKnown") : refusal?.reason ?? t("failed"));
    if (refusal?.status === 409) this.#offer(file, row);
    return false;
  }

  #tell(row, text) {
    row.replaceChildren(row.firstElementChild, make("span", { class: "hint" }, text));
  }

  #offer(file, row) {
    for (const [duplicate, word] of [["replace", "importReplace"], ["keep", "importKeep"]]) {
      row.append(make("button", { type: "button", class: "quiet", onclick: () => {
        this.#waiting.push({ file, row, duplicate });
        this.#takeAll();
      } }, this.page.t(word)));
    }
  }
}
