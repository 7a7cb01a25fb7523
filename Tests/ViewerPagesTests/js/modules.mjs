// The pages' modules, where every Node takes them for modules: beside a package.json that says so.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const resources = fileURLToPath(new URL("../../../Sources/ViewerPages/Resources", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "pulsecast-js-"));
cpSync(resources, folder, { recursive: true });
writeFileSync(join(folder, "package.json"), '{"type":"module"}');
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

export const load = (name) => import(pathToFileURL(join(folder, name)).href);
