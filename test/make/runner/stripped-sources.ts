import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Plugin } from "vitest/config";
import { stripTypes } from "./strip-types.ts";

const tested = ["src", "suites"];

/**
 * Has Node itself load what is tested, without its types. Vite would make a look-up of each use of an import, and read all
 * sources in each worker. If Vitest has to see the imports (it watches, or measures coverage), Vite stays at work.
 */
export function strippedSources(root: string): Plugin {
  const target = join(root, "node_modules/.cache/stripped");
  let isOn = false;
  return {
    name: "stripped-sources",
    enforce: "pre",
    configureVitest({ vitest: { config } }) {
      isOn = !config.watch && !config.coverage.enabled;
      if (!isOn) return;
      for (const folder of tested) stripFolder(join(root, folder), join(target, folder));
      // That of the root does not count within node_modules.
      writeChanged(join(target, "package.json"), '{ "type": "module" }');
    },
    resolveId(source, importer) {
      if (!isOn || importer === undefined || !source.startsWith(".")) return null;
      const path = relative(root, resolve(dirname(importer), source));
      if (!path.endsWith(".ts") || !tested.some((folder) => path.startsWith(`${folder}/`))) return null;
      return { id: join(target, asScript(path)), external: true };
    },
  };
}

/** Writes what has changed and removes what is gone, so that another run at the same time finds all files whole. */
function stripFolder(from: string, to: string): void {
  const sources = readdirSync(from, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  for (const path of sources) {
    writeChanged(join(to, asScript(path)), stripTypes(readFileSync(join(from, path), "utf8")));
  }
  const known = new Set(sources.map(asScript));
  for (const path of readdirSync(to, { recursive: true, encoding: "utf8" }))
    if (path.endsWith(".js") && !known.has(path)) rmSync(join(to, path));
}

function writeChanged(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}

function asScript(path: string): string {
  return path.replace(/\.ts$/, ".js");
}
