import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { formatCount } from "./format-number.ts";

/** The remark on a profile that sent more requests than records are kept of; empty if all were kept. */
export function countedWords({ counted, lengths, cache, leaving }: LoadProfileResult): string {
  if (counted === undefined) return "";
  const ofKept = [
    ...(lengths === undefined ? [] : ["lengths of prompts and answers"]),
    ...(cache === undefined ? [] : ["cached tokens"]),
    ...(leaving === undefined ? [] : ["clients that leave"]),
  ];
  const part = ofKept.length === 0 ? "" : `; ${ofKept.join(", ")}: of those kept alone`;
  const { kept, counted: others } = counted;
  return `${formatCount(kept)} kept, ${formatCount(others)} counted into histograms: percentiles are of all, within 0.1 %; no steady state and no comparison${part}`;
}
