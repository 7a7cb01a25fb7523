// The course on the owner's page: a GPX file, taken or removed.

import { find, setHidden, setText } from "./dom.js";

export class CourseFile {
  /** `page`: `{ t, say, attempt }`. */
  constructor(root, page) {
    this.root = root;
    this.page = page;
    find("input", root).addEventListener("change", ({ target: field }) => {
      const [file] = field.files;
      field.value = "";
      if (file) this.#take(file);
    });
    find(".course-remove", root).addEventListener("click", async () => {
      await page.attempt(() => this.owner.removeCourse());
      await this.load(this.owner);
    });
  }

  async load(owner) {
    this.owner = owner;
    const gpx = await this.page.attempt(() => owner.course());
    if (gpx === undefined || this.owner !== owner) return;
    const points = gpx ? (gpx.match(/<(?:trkpt|rtept)\b/g)?.length ?? 0) : 0;
    setText(find(".course-state", this.root),
      points > 0 ? this.page.t("courseKept", { n: points }) : this.page.t("courseNone"));
    setHidden(find(".course-remove", this.root), points === 0);
  }

  /** Leaves nothing of an owner who has signed out. */
  clear() {
    this.owner = undefined;
    setText(find(".course-state", this.root), "");
  }

  async #take(file) {
    const { t } = this.page;
    const taken = await this.page.attempt(() => this.owner.setCourse(file));
    if (!taken) return;
    await this.load(this.owner);
    this.page.say(t("courseTaken", {
      name: taken.name || t("courseUnnamed"), n: taken.points, checkpoints: taken.checkpoints.length,
    }));
  }
}
