import { existsSync } from "node:fs";
import { join } from "node:path";
import { followLatest } from "../run/record/latest-run.ts";
import { UsageError } from "./usage-error.ts";

/** The run folder that is meant: the one that is named, the run that `latest` names, or the last one of `reports`. */
export function chooseRunFolder(asked: string | undefined): string {
  if (asked === undefined && !existsSync(join("reports", "latest"))) {
    throw new UsageError("there is no run in reports/latest", "give the folder of a run, or make one with: assay run");
  }
  const folder = followLatest(asked ?? join("reports", "latest"));
  if (folder === null) {
    throw new UsageError(`${asked ?? "reports/latest"} does not name a run beside it`, "give the folder of a run");
  }
  return folder;
}
