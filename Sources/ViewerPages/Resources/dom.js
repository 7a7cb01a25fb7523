// The few things all pages do with elements. Never HTML from text: only nodes and textContent.

export const find = (selector, root = document) => root.querySelector(selector);
export const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

/** `make("button", { class: "quiet", onclick: f, "aria-label": "Close" }, "×")` */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== undefined && child !== null));
  return node;
}

/** Touches the page only when the text is another: no layout, no screen reader noise. */
export function setText(node, text) {
  if (node && node.textContent !== text) node.textContent = text;
}

/** Shows words for a moment, in the page's `.toasts`. */
export function say(text) {
  const toast = make("p", { class: "toast" }, text);
  find(".toasts").append(toast);
  setTimeout(() => toast.remove(), 5000);
}

/** Puts a file into the downloads. */
export function saveFile(blob, name) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

export function setHidden(node, hidden) {
  if (node && node.hidden !== hidden) node.hidden = hidden;
}

/** Whether everything in `root` that takes an input does so. */
export function setUsable(root, isUsable) {
  for (const node of findAll("button, input, select", root)) node.disabled = !isUsable;
}

export function setData(node, name, value) {
  if (node && node.dataset[name] !== value) node.dataset[name] = value;
}

/** A setting that outlives the page; private windows may refuse to keep it. */
export const kept = {
  get(key) {
    try {
      return localStorage.getItem(`pulsecast.${key}`);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(`pulsecast.${key}`, value);
    } catch {
      // The choice then lasts as long as the page.
    }
  },
};

/** A canvas as large as its box, sharp on every screen. Calls `draw` when the size changes. */
export function fitCanvas(canvas, draw) {
  const size = { width: 0, height: 0, context: canvas.getContext("2d") };
  const measure = () => {
    const box = canvas.getBoundingClientRect();
    if (!box.width || !box.height) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    size.width = box.width;
    size.height = box.height;
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
    size.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw();
  };
  size.measure = measure;
  new ResizeObserver(measure).observe(canvas);
  return size;
}

/** Runs `draw` once before the next frame, however often it is asked for. */
export function onFrame(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

export const calmMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
