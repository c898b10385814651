import type { UntestedReason } from "../../core/result/verdict.ts";

/** What could not be judged; `untested`: the manifest lacks what is needed. */
export interface NotJudged {
  readonly policy: string;
  readonly untested?: UntestedReason;
  readonly text: string;
}

/** As reports write it. */
export function reasonOf({ untested, text }: NotJudged): string {
  return untested === undefined ? text : `${untested}: ${text}`;
}
