import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { packageFolder } from "../../../schemas/package-folder.ts";

/** SHA-256 over the program files of this assay: the names and digests of all of them, sorted. */
export function digestTool(): string {
  const root = fileURLToPath(packageFolder);
  const hash = createHash("sha256");
  for (const folder of ["src", "suites", "schemas"]) {
    for (const file of listFiles(join(root, folder))) {
      const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
      hash.update(`${relative(root, file).replaceAll("\\", "/")} ${digest}\n`);
    }
  }
  return hash.digest("hex");
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|js|json|ya?ml)$/.test(entry.name) && !entry.name.endsWith(".d.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
