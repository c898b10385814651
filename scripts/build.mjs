// Compiles to dist/ and puts the data files beside the code, so that one relative path serves both the source tree and the package.
// The new folder is made beside the old one and takes its place at the end: what runs meanwhile hardly ever misses a file.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, rmSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const next = join(root, `.dist-${process.pid}`);
const compiler = join(root, "node_modules/typescript/bin/tsc");
try {
  execFileSync(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", next], { cwd: root, stdio: "inherit" });
  for (const folder of ["schemas", "suites/profiles", "suites/audio"])
    cpSync(join(root, folder), join(next, folder), { recursive: true });
  chmodSync(join(next, "src/cli/bin.js"), 0o755);
  rmSync(dist, { recursive: true, force: true });
  renameSync(next, dist);
} catch (error) {
  rmSync(next, { recursive: true, force: true });
  throw error;
}
