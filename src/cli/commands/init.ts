import { writeFileSync } from "node:fs";
import { initialManifest } from "../../config/initial-manifest.ts";
import { exitCodes } from "../../core/result/verdict.ts";
import { UsageError } from "../usage-error.ts";

const fileName = "assay.config.yaml";

/** Writes the commented manifest; never over an existing one unless told so. */
export function initCommand({ baseUrl, force }: { readonly baseUrl: string; readonly force: boolean }): number {
  try {
    writeFileSync(fileName, initialManifest(baseUrl), { flag: force ? "w" : "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      throw new UsageError(`${fileName} exists already`, "remove it, or overwrite it with --force");
    }
    throw error;
  }
  process.stdout.write(`wrote ${fileName}\nnext: export ASSAY_API_KEY=..., then: assay doctor, assay check, assay run\n`);
  return exitCodes.met;
}
