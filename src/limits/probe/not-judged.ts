import type { LimitsResult } from "../../core/result/limits-result.ts";

/** A part that could not be judged, as `run.json` keeps it: the code and the words of the reason apart. */
export interface NotJudged extends Omit<LimitsResult["notJudged"][number], "reason"> {
  readonly text: string;
}

/** As reports write it. */
export function reasonOf({ untested, text }: NotJudged): string {
  return untested === undefined ? text : `${untested}: ${text}`;
}
