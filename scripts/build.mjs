// Compiles to dist/ and puts the data files beside the code, so that one relative path serves both the source tree and the package.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
for (const folder of ["schemas", "suites/profiles", "suites/audio"]) {
  if (existsSync(join(root, folder))) cpSync(join(root, folder), join(dist, folder), { recursive: true });
}
const bin = join(dist, "src/cli/bin.js");
if (existsSync(bin)) chmodSync(bin, 0o755);
