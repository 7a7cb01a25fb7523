// Pictures of the ground, if the daemon names a tile server. By default it names none: a tile
// server learns where the runner is.

const tilePixels = 256;
const zoomMax = 18;
const keptTiles = 160;

export class TileLayer {
  #tiles = new Map();

  /** `meta`: the element that names the server, or null. `loaded`: called after each picture. */
  constructor(meta, loaded) {
    this.template = meta?.content;
    this.attribution = meta?.dataset.attribution ?? "";
    this.loaded = loaded;
  }

  draw({ context, width, height, view, place }) {
    if (!this.template) return;
    const zoom = Math.max(0, Math.min(zoomMax, Math.round(Math.log2(view.scale / tilePixels))));
    const count = 2 ** zoom;
    const size = view.scale / count;
    const reach = Math.hypot(width, height) / view.scale;
    const range = (middle) => [
      Math.max(0, Math.floor((middle - reach) * count)),
      Math.min(count - 1, Math.floor((middle + reach) * count)),
    ];
    const [left, right] = range(view.x);
    const [top, bottom] = range(view.y);
    for (let x = left; x <= right; x += 1) {
      for (let y = top; y <= bottom; y += 1) {
        const corner = place(x / count, y / count);
        const middle = place((x + 0.5) / count, (y + 0.5) / count);
        const seen = middle.x > -size && middle.x < width + size
          && middle.y > -size && middle.y < height + size;
        const image = seen ? this.#tile(zoom, x, y) : undefined;
        if (!image?.complete || !image.naturalWidth) continue;
        context.save();
        context.translate(corner.x, corner.y);
        context.rotate(view.rotation);
        context.drawImage(image, 0, 0, size + 0.5, size + 0.5);
        context.restore();
      }
    }
  }

  #tile(zoom, x, y) {
    const address = this.template.replace("{z}", zoom).replace("{x}", x).replace("{y}", y);
    let image = this.#tiles.get(address);
    if (!image) {
      image = new Image();
      image.onload = this.loaded;
      image.src = address;
      this.#tiles.set(address, image);
      if (this.#tiles.size > keptTiles) this.#tiles.delete(this.#tiles.keys().next().value);
    }
    return image;
  }
}
