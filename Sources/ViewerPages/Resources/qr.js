// QR codes (ISO/IEC 18004): bytes, error correction M, versions 1 to 40. Pure.

/** Error correction bytes a block, and blocks, by version from 1. */
const correctionBytes = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26,
  26, 26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28];
const blockCounts = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20,
  21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49];
const correctionBitsM = 0;

/** Bits that are left for codewords, once all patterns have their place. */
function rawModules(version) {
  let count = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const aligned = Math.floor(version / 7) + 2;
    count -= (25 * aligned - 10) * aligned - 55;
    if (version >= 7) count -= 36;
  }
  return count;
}

const dataBytes = (version) => Math.floor(rawModules(version) / 8)
  - correctionBytes[version - 1] * blockCounts[version - 1];

const multiply = (a, b) => {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((b >> bit) & 1) * a;
  }
  return product;
};

/** The remainder of Reed and Solomon's division. */
function correction(data, degree) {
  const divisor = Array(degree).fill(0);
  divisor[degree - 1] = 1;
  let root = 1;
  for (let step = 0; step < degree; step += 1) {
    for (let index = 0; index < degree; index += 1) {
      divisor[index] = multiply(divisor[index], root);
      if (index + 1 < degree) divisor[index] ^= divisor[index + 1];
    }
    root = multiply(root, 2);
  }
  const remainder = Array(degree).fill(0);
  for (const byte of data) {
    const factor = byte ^ remainder.shift();
    remainder.push(0);
    divisor.forEach((part, index) => {
      remainder[index] ^= multiply(part, factor);
    });
  }
  return remainder;
}

function codewords(bytes, version) {
  const bits = [];
  const push = (value, count) => {
    for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
  };
  push(4, 4);
  push(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  const capacity = dataBytes(version) * 8;
  push(0, Math.min(4, capacity - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < capacity; pad ^= 0xec ^ 0x11) push(pad, 8);
  const data = [];
  for (let index = 0; index < bits.length; index += 8) {
    data.push(parseInt(bits.slice(index, index + 8).join(""), 2));
  }
  return interleave(data, version);
}

function interleave(data, version) {
  const count = blockCounts[version - 1];
  const degree = correctionBytes[version - 1];
  const total = Math.floor(rawModules(version) / 8);
  const shortBlocks = count - (total % count);
  const shortLength = Math.floor(total / count) - degree;
  const blocks = [];
  let start = 0;
  for (let index = 0; index < count; index += 1) {
    const length = shortLength + (index < shortBlocks ? 0 : 1);
    const part = data.slice(start, start + length);
    start += length;
    blocks.push({ part, extra: correction(part, degree) });
  }
  const result = [];
  for (let index = 0; index <= shortLength; index += 1) {
    for (const { part } of blocks) if (index < part.length) result.push(part[index]);
  }
  for (let index = 0; index < degree; index += 1) {
    for (const { extra } of blocks) result.push(extra[index]);
  }
  return result;
}

function alignmentPlaces(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = version === 32 ? 26 : Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  const places = [6];
  for (let place = version * 4 + 10; places.length < count; place -= step) places.splice(1, 0, place);
  return places;
}

/** A square of modules with its fixed patterns; `fixed` marks what data may not use. */
function blank(version) {
  const size = version * 4 + 17;
  const dark = Array.from({ length: size }, () => Array(size).fill(false));
  const fixed = Array.from({ length: size }, () => Array(size).fill(false));
  const set = (x, y, value) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    dark[y][x] = value;
    fixed[y][x] = true;
  };
  const square = (centerX, centerY, reach, isDark) => {
    for (let y = -reach; y <= reach; y += 1) {
      for (let x = -reach; x <= reach; x += 1) {
        set(centerX + x, centerY + y, isDark(Math.max(Math.abs(x), Math.abs(y))));
      }
    }
  };
  for (let index = 0; index < size; index += 1) {
    set(6, index, index % 2 === 0);
    set(index, 6, index % 2 === 0);
  }
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
    square(x, y, 4, (ring) => ring !== 2 && ring !== 4);
  }
  const places = alignmentPlaces(version);
  places.forEach((y, row) => places.forEach((x, column) => {
    const last = places.length - 1;
    const corner = (row === 0 && (column === 0 || column === last)) || (row === last && column === 0);
    if (!corner) square(x, y, 2, (ring) => ring !== 1);
  }));
  return { size, dark, fixed, set };
}

function drawFormat({ size, set }, mask) {
  const value = (correctionBitsM << 3) | mask;
  let remainder = value;
  for (let step = 0; step < 10; step += 1) remainder = (remainder << 1) ^ ((remainder >> 9) * 0x537);
  const bits = ((value << 10) | remainder) ^ 0x5412;
  const bit = (index) => ((bits >> index) & 1) === 1;
  for (let index = 0; index <= 5; index += 1) set(8, index, bit(index));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let index = 9; index < 15; index += 1) set(14 - index, 8, bit(index));
  for (let index = 0; index < 8; index += 1) set(size - 1 - index, 8, bit(index));
  for (let index = 8; index < 15; index += 1) set(8, size - 15 + index, bit(index));
  set(8, size - 8, true);
}

function drawVersion({ size, set }, version) {
  if (version < 7) return;
  let remainder = version;
  for (let step = 0; step < 12; step += 1) remainder = (remainder << 1) ^ ((remainder >> 11) * 0x1f25);
  const bits = (version << 12) | remainder;
  for (let index = 0; index < 18; index += 1) {
    const value = ((bits >> index) & 1) === 1;
    const [far, near] = [size - 11 + (index % 3), Math.floor(index / 3)];
    set(far, near, value);
    set(near, far, value);
  }
}

function drawCodewords({ size, dark, fixed }, words) {
  let index = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      for (const x of [right, right - 1]) {
        const upward = ((right + 1) & 2) === 0;
        const y = upward ? size - 1 - step : step;
        if (fixed[y][x] || index >= words.length * 8) continue;
        dark[y][x] = ((words[index >> 3] >> (7 - (index & 7))) & 1) === 1;
        index += 1;
      }
    }
  }
}

const masks = [
  (x, y) => (x + y) % 2 === 0, (x, y) => y % 2 === 0, (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0, (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0, (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** How hard a picture is to read: runs, blocks, false finders, imbalance. */
function penalty(dark) {
  const size = dark.length;
  let score = 0;
  let count = 0;
  const lines = [...dark, ...dark.map((_, x) => dark.map((row) => row[x]))];
  for (const line of lines) {
    const text = line.map((value) => (value ? "1" : "0")).join("");
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) score += run.length - 2;
    score += 40 * (text.match(/(?=10111010000|00001011101)/g) ?? []).length;
  }
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      if (dark[y][x]) count += 1;
      if (x && y && dark[y][x] === dark[y - 1][x] && dark[y][x] === dark[y][x - 1]
        && dark[y][x] === dark[y - 1][x - 1]) score += 3;
    }
  }
  return score + 10 * Math.floor(Math.abs((count * 20) / (size * size) - 10));
}

/** Rows of modules, true where dark; throws a RangeError for a text that fits no version. */
export function qrCode(text) {
  const bytes = [...new TextEncoder().encode(text)];
  let version = 1;
  while (dataBytes(version) * 8 < 4 + (version < 10 ? 8 : 16) + bytes.length * 8) {
    version += 1;
    if (version > 40) throw new RangeError("too long for a QR code");
  }
  const words = codewords(bytes, version);
  const candidates = masks.map((isFlipped, mask) => {
    const code = blank(version);
    drawFormat(code, mask);
    drawVersion(code, version);
    drawCodewords(code, words);
    code.dark.forEach((row, y) => row.forEach((_, x) => {
      if (!code.fixed[y][x] && isFlipped(x, y)) row[x] = !row[x];
    }));
    return { dark: code.dark, score: penalty(code.dark) };
  });
  return candidates.reduce((best, next) => (next.score < best.score ? next : best)).dark;
}

/** The code as the path of an SVG whose unit is a module, with the quiet zone of four. */
export function qrPath(rows) {
  return rows.map((row, y) => row.map((dark, x) => (dark ? `M${x + 4} ${y + 4}h1v1h-1z` : "")).join(""))
    .join("");
}
