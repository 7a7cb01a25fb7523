// The page that sets an overlay up: presets, choices, the overlay itself in a frame, its address.

import { find, findAll, make, setData, setHidden, setText } from "./dom.js";
import { metrics } from "./metrics.js";
import { languages, translatePage } from "./strings.js";

export const overlayWords = {
  en: {
    overlayTitle: "Overlay for your stream",
    overlayText: "Choose, look, and add the address as a browser source of OBS. Whoever has the address sees what the link shows.",
    overlayPreview: "As it looks", overlayGround: "Over", ground_checkered: "nothing",
    ground_dark: "something dark", ground_light: "something light",
    overlayAddress: "Address for OBS", copyByHand: "Copy it by hand: it is selected.",
    overlayPreset: "Begin with", preset_compact: "Heart rate alone", preset_row: "A row",
    preset_column: "A column", preset_big: "Heart rate big", preset_race: "A race",
    overlayLayout: "Layout", layout_row: "in a row", layout_column: "in a column",
    layout_big: "heart rate big", overlaySize: "Height of the digits, pixels",
    overlayFont: "Font of your computer", overlayColor: "Color", color_white: "white",
    color_zone: "heart rate by its zone", color_own: "another",
    overlayLabels: "Names of the values", overlayShadow: "Shadow", overlayValues: "Values",
  },
  ko: {
    overlayTitle: "방송용 오버레이",
    overlayText: "고르고 확인한 다음 주소를 OBS의 브라우저 소스로 추가하세요. 주소를 아는 사람은 링크가 보여 주는 것을 봅니다.",
    overlayPreview: "보이는 모습", overlayGround: "배경", ground_checkered: "없음",
    ground_dark: "어두운 화면", ground_light: "밝은 화면",
    overlayAddress: "OBS에 넣을 주소", copyByHand: "선택해 두었으니 직접 복사하세요.",
    overlayPreset: "기본 모양", preset_compact: "심박수만", preset_row: "한 줄",
    preset_column: "세로", preset_big: "큰 심박수", preset_race: "대회",
    overlayLayout: "배치", layout_row: "가로로", layout_column: "세로로",
    layout_big: "심박수 크게", overlaySize: "숫자 높이, 픽셀",
    overlayFont: "컴퓨터에 있는 글꼴", overlayColor: "색", color_white: "흰색",
    color_zone: "심박수를 구간 색으로", color_own: "다른 색",
    overlayLabels: "값의 이름", overlayShadow: "그림자", overlayValues: "값",
  },
};

for (const [language, words] of Object.entries(overlayWords)) Object.assign(languages[language], words);

const plain = { layout: "row", units: "metric", color: "", font: "", labels: true, shadow: true };

/** What one may begin with. */
export const presets = {
  compact: { ...plain, metrics: ["heartRate"], size: 72, labels: false },
  row: { ...plain, metrics: ["heartRate", "pace", "distance"], size: 56 },
  column: { ...plain, metrics: ["heartRate", "pace", "distance", "elapsedTime"], layout: "column", size: 44 },
  big: { ...plain, metrics: ["heartRate", "pace", "distance"], layout: "big", size: 48, color: "zone" },
  race: { ...plain, metrics: ["elapsedTime", "distance", "pace", "heartRate"], size: 44 },
};

/** The query of the overlay's address, which says what differs from an overlay without one. Pure. */
export function queryOf({ metrics: chosen, size, layout, units, color, font, labels, shadow }) {
  const query = [
    // A comma needs no escape, and people read the address.
    `metrics=${(chosen.length ? chosen : ["heartRate"]).join(",")}`, `size=${size}`, `units=${units}`,
    layout === "row" ? "" : `layout=${layout}`, color ? `color=${color}` : "",
    font ? `font=${encodeURIComponent(font)}` : "", labels ? "" : "labels=0", shadow ? "" : "shadow=0",
  ];
  return query.filter(Boolean).join("&");
}

/** The overlay's path in that of this page. Pure. */
export const overlayPath = (path) => path.replace(/\/setup\/?$/, "");

class Setup {
  constructor(t) {
    this.t = t;
    this.form = find(".choices");
    this.frame = find(".stand iframe");
    this.path = overlayPath(location.pathname);
    const { preset } = this.form.elements;
    preset.append(...Object.keys(presets).map((name) => make("option", { value: name }, t(`preset_${name}`))));
    find(".values").append(...Object.keys(metrics).map((key) => make("label", { class: "check" },
      make("input", { type: "checkbox", name: "metric", value: key }), make("span", {}, t(key)))));
    preset.addEventListener("change", () => this.#begin(preset.value));
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", (event) => {
      if (event.target !== preset) this.#choose();
    });
    for (const ground of findAll("[name=ground]")) {
      ground.addEventListener("change", () => setData(find(".stand-ground"), "ground", ground.value));
    }
    this.address = find("[name=address]");
    find(".copy").addEventListener("click", () => this.#copy());
    this.#begin("row");
    preset.value = "row";
  }

  #begin(name) {
    const { elements } = this.form;
    this.chosen = [...presets[name].metrics];
    for (const [key, value] of Object.entries(presets[name])) {
      if (["labels", "shadow"].includes(key)) elements[key].checked = value;
      else if (elements[key] && key !== "color") elements[key].value = value;
    }
    elements.coloring.value = presets[name].color || "white";
    for (const box of elements.metric) box.checked = this.chosen.includes(box.value);
    this.#choose();
  }

  /** Takes over what the form says. An address follows only from what is valid. */
  #choose() {
    const { elements } = this.form;
    const ticked = [...elements.metric].filter((box) => box.checked).map((box) => box.value);
    // In the order in which they were ticked.
    this.chosen = [...this.chosen.filter((key) => ticked.includes(key)),
      ...ticked.filter((key) => !this.chosen.includes(key))];
    const isOwn = elements.coloring.value === "own";
    setHidden(find(".own-color"), !isOwn);
    if (!this.form.checkValidity()) return;
    const query = queryOf({
      metrics: this.chosen, size: Number(elements.size.value), layout: elements.layout.value,
      units: elements.units.value, font: elements.font.value.trim(),
      color: isOwn ? elements.color.value.slice(1) : elements.coloring.value === "zone" ? "zone" : "",
      labels: elements.labels.checked, shadow: elements.shadow.checked,
    });
    const path = `${this.path}?${query}`;
    this.address.value = `${location.origin}${path}`;
    setText(find(".copied"), "");
    this.#show(path);
  }

  /** The frame keeps its connection: the overlay takes its choices from the new address. */
  #show(path) {
    const { contentWindow } = this.frame;
    if (!this.frame.getAttribute("src")) {
      this.frame.src = path;
    } else if (contentWindow.document.readyState === "complete"
      && contentWindow.location.pathname === this.path) {
      contentWindow.history.replaceState(null, "", path);
      contentWindow.dispatchEvent(new contentWindow.Event("popstate"));
    } else {
      this.frame.src = path;
    }
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.address.value);
      setText(find(".copied"), this.t("copied"));
    } catch {
      this.address.select();
      setText(find(".copied"), this.t("copyByHand"));
    }
  }
}

if (globalThis.document) new Setup(translatePage(document, navigator.languages));
