import type { Result } from "../../core/result/result.ts";
import { judgeRun } from "./judge-run.ts";
import { readRun, type RunFiles, type SavedRun } from "./read-run.ts";

export interface RejudgedRun extends SavedRun {
  /** Not valid where something is wrong with the files. */
  readonly result: Result;
}

/**
 * Reads a saved run, by its folder, and judges it again; `strict` as `--strict`. Throws an Error that says which file is missing or
 * unusable.
 */
export async function rejudgeRun(
  from: string | RunFiles,
  { strict = false }: { readonly strict?: boolean } = {},
): Promise<RejudgedRun> {
  const saved = await readRun(from, { strict });
  const { record, exchanges, load, problems } = saved;
  const invalidBecause = [...record.invalidBecause, ...problems];
  return { ...saved, result: judgeRun({ ...record, strict: record.strict || strict, invalidBecause }, exchanges, load) };
}
