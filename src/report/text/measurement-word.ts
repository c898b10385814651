import type { LoadProfileResult } from "../../core/result/load-result.ts";
import type { Result } from "../../core/result/result.ts";
import { instrumentDoubts } from "./instrument-doubts.ts";
import { type VerdictWord, verdictWords } from "./verdict-word.ts";

/** Whether the measuring machine was fit. A machine with doubts about its accuracy is never called fit without them. */
export function machineWord({ health, load }: Result): VerdictWord {
  if (!health.valid) return { ...verdictWords.inconclusive, word: "not fit" };
  const isCoarse = instrumentDoubts(load).length > 0 || (load?.profiles ?? []).some((profile) => coarseGates(profile) > 0);
  return isCoarse ? { ...verdictWords.advisory, word: "fit, with limited accuracy" } : { ...verdictWords.pass, word: "fit" };
}

/** Whether a profile was measured validly, and how many of its gates the machine was too inaccurate for. */
export function profileWord(profile: LoadProfileResult): VerdictWord {
  if (!profile.validity.valid) return { ...verdictWords.inconclusive, word: "not valid" };
  const coarse = coarseGates(profile);
  if (coarse === 0) return { ...verdictWords.pass, word: "valid measurement" };
  return { ...verdictWords.advisory, word: `valid, but too inaccurate for ${coarse} ${coarse === 1 ? "gate" : "gates"}` };
}

function coarseGates({ gates }: LoadProfileResult): number {
  return gates.filter(({ doubt }) => doubt === "instrument").length;
}
