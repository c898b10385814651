import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../core/result/result.ts";
import { UsageError } from "./usage-error.ts";

/** The result of an earlier run: the path of a run folder or of a result.json. */
export function readSavedResult(path: string): Result {
  const file = path.endsWith(".json") ? path : join(path, "result.json");
  if (!existsSync(file))
    throw new UsageError(`there is no ${file}`, "give the folder of a run, its result.json, or two base URLs");
  try {
    const result = JSON.parse(readFileSync(file, "utf8")) as Result;
    if (result.schemaVersion !== "1.0") throw new Error(`its version is ${String(result.schemaVersion)}`);
    return result;
  } catch (error) {
    throw new UsageError(`${file} is no result of assay: ${error instanceof Error ? error.message : String(error)}`);
  }
}
