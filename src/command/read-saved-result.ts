import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../core/result/result.ts";
import { kindOfFile } from "../run/record/kind-of-file.ts";
import { compileSchema } from "../schemas/validator.ts";
import { chooseRunFolder } from "./choose-run-folder.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Hands over the results of earlier runs, each by the path of a run folder or of a result.json. Those of older versions may lack
 * members; where one that is not whole cannot be used, a UsageError says what is wrong with it.
 */
export function useSavedResults<Value>(paths: readonly string[], use: (results: readonly Result[]) => Value): Value {
  const saved = paths.map(readSavedResult);
  try {
    return use(saved.map(({ result }) => result));
  } catch (error) {
    const unusable = saved.find(({ problem }) => problem !== null);
    if (unusable === undefined || error instanceof UsageError) throw error;
    throw notOfAssay(unusable.file, unusable.problem ?? "");
  }
}

interface SavedResult {
  readonly file: string;
  readonly result: Result;
  /** The deviation from the form of this version; null: there is none. */
  readonly problem: string | null;
}

function readSavedResult(path: string): SavedResult {
  const file = path.endsWith(".json") ? path : join(chooseRunFolder(path), "result.json");
  // A folder may come from a stranger; what is named itself may be a link or a pipe.
  const isThere = path === file ? existsSync(file) : kindOfFile(file) === "file";
  if (!isThere) throw new UsageError(`there is no ${file}`, "give the folder of a run, its result.json, or two base URLs");
  const value = readJson(file);
  if (value?.schemaVersion !== "1.0") throw notOfAssay(file, `its version is ${String(value?.schemaVersion)}`);
  const [fault] = compileSchema("result.schema")(value);
  return { file, result: value, problem: fault === undefined ? null : `${fault.pointer || "/"} ${fault.message}` };
}

function readJson(file: string): Result | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Result | null;
  } catch (error) {
    throw notOfAssay(file, error instanceof Error ? error.message : String(error));
  }
}

function notOfAssay(file: string, why: string): UsageError {
  return new UsageError(`${file} is no result of assay: ${why}`);
}
