// Types and code go to dist/, with the data files beside them. Code that starts together is put into one file: reading a file for each
// of 800 sources takes a second of processor time whenever the command starts. Packages stay what npm installs.
// The new folder is made beside the old one and takes its place at the end: what runs meanwhile hardly ever misses a file.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, rmSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const next = join(root, `.dist-${process.pid}`);
/** Files that are started or imported by their path; the rest is found from there. */
const entryPoints = [
  "src/index.ts",
  "src/features/vitest/vitest.ts",
  "src/cli/bin.ts",
  "src/features/agents/share/agent-process.ts",
  "src/run/traffic/limit-judge-thread.ts",
  "src/run/workers/load-worker.ts",
  "src/run/workers/probe-thread.ts",
  "src/schemas/write-compiled.ts",
];
const compiler = join(root, "node_modules/typescript/bin/tsc");
try {
  execFileSync(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", next], { cwd: root, stdio: "inherit" });
  await build({
    absWorkingDir: root,
    entryPoints,
    outdir: next,
    outbase: ".",
    chunkNames: "src/chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    packages: "external",
    platform: "node",
    target: "node20",
    format: "esm",
    logLevel: "warning",
  });
  for (const folder of ["schemas", "suites/profiles", "suites/audio"])
    cpSync(join(root, folder), join(next, folder), { recursive: true });
  const { writeCompiled } = await import(pathToFileURL(join(next, "src/schemas/write-compiled.js")));
  writeCompiled(pathToFileURL(join(next, "compiled-schemas/")));
  chmodSync(join(next, "src/cli/bin.js"), 0o755);
  rmSync(dist, { recursive: true, force: true });
  renameSync(next, dist);
} catch (error) {
  rmSync(next, { recursive: true, force: true });
  throw error;
}
