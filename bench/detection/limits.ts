import { limitAreas, recordSwitch } from "../../test/limits/sockets/examine-switch.ts";
import { hashString } from "../../src/core/random.ts";
import { outcomesAsStated } from "../../src/conformance/judges/outcomes/outcomes-as-stated.ts";
import { judgeExchanges } from "../../src/conformance/verdict/judge-exchanges.ts";
import { openJudgeContext } from "../../src/run/judge-context.ts";
import { judgeLimits } from "../../src/limits/exam/judge-limits.ts";
import type { ExamDepth } from "../../src/limits/probe/probe-tools.ts";
import type { Personality } from "./personalities.ts";
import type { Trial } from "./trial.ts";

export type { ExamDepth };

/** `hand`: moved by the exam; `real`: windows of sixty seconds pass. */
export type ExamTime = "hand" | "real";

/** One exam of every policy of a lawful server: in real time all at once, because they mostly wait, else one after another. */
export async function tryLimits({ name, variants }: Personality, exam: ExamDepth, time: ExamTime): Promise<Trial> {
  // An answer that waits on the clock of the service would wait for ever where only sleepers move it. A limit that is not that of
  // the declared plan is lawful where nobody declares a plan.
  const on = variants.filter((id) => id !== "headers/limit-varies" && (time === "real" || id !== "transport/latency-jitter"));
  const seed = hashString(name) % 1_000_000;
  const record = (area: (typeof limitAreas)[number]): ReturnType<typeof recordSwitch> =>
    recordSwitch(area, null, { exam, seed, variants: on, time });
  const records = time === "real" ? await Promise.all(limitAreas.map(record)) : [];
  if (time === "hand") for (const area of limitAreas) records.push(await record(area));
  const judgements = records.map((one) => {
    const { findings, occurrences } = judgeLimits({ ...one, strict: false });
    const ends = judgeExchanges(one.exchanges, [outcomesAsStated], openJudgeContext(one.manifest));
    return { findings, occurrences: [...occurrences, ...ends] };
  });
  const said = (wanted: string): readonly string[] =>
    judgements.flatMap(({ findings, occurrences }) => [
      ...findings.filter(({ verdict }) => verdict === wanted).map(({ check, message }) => `${check}: ${message}`),
      ...occurrences
        .filter(({ outcome }) => outcome === wanted)
        .map((one) => `${one.requirement}: ${one.outcome === "pass" ? "" : one.message}`),
    ]);
  const failing = said("fail");
  return { reported: failing.length > 0 ? "failed" : said("advisory").length > 0 ? "reported" : "silent", findings: failing };
}
