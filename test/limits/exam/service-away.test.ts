import { describe, expect, it } from "vitest";
import { outcomesAsStated } from "../../../src/conformance/judges/outcomes/outcomes-as-stated.ts";
import { judgeExchanges } from "../../../src/conformance/verdict/judge-exchanges.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import type { ExamDepth } from "../../../src/limits/probe/probe-tools.ts";
import { openJudgeContext } from "../../../src/run/judge-context.ts";
import { awayFor } from "../../make/wire/away-for.ts";
import { isWhole, testRandom } from "../../make/runner/sample.ts";
import { type LimitArea, recordSwitch } from "../sockets/examine-switch.ts";

interface Said {
  readonly met: number;
  readonly wrong: readonly string[];
  readonly verdicts: readonly string[];
  /** Changes of settings that were asked for again. */
  readonly changedAgain: number;
}

/** An exam in which the service starts anew for ten seconds at its n-th request of this phase. */
function examineAway(area: LimitArea, phase: string, nth: number, status = 503): Promise<Said> {
  let seen = 0;
  return examine(area, status, ({ intent }) => intent.kind === "limit" && intent.phase === phase && (seen += 1) === nth);
}

async function examine(
  area: LimitArea,
  status: number,
  begins: (request: SendRequest) => boolean,
  exam: ExamDepth = "short",
): Promise<Said> {
  const absence = awayFor({ status, retryAfter: "1", lastsMs: 10_000, begins });
  const { exchanges, manifest } = await recordSwitch(area, null, { ...absence, exam });
  const record = absence.asSeen(exchanges);
  const said = judgeExchanges(record, [outcomesAsStated], openJudgeContext(manifest));
  const { result, findings } = judgeLimits({ exchanges: record, manifest, strict: false });
  return {
    met: absence.met(),
    wrong: [
      ...said.filter(({ outcome }) => outcome !== "pass").map(({ requirement, outcome }) => `${requirement} ${outcome}`),
      ...findings.map(({ message }) => message),
    ],
    verdicts: result.policies.map(({ id, verdict }) => `${id} ${verdict}`),
    changedAgain: exchanges.filter(({ request, retryOf }) => request.method === "PATCH" && retryOf !== null).length,
  };
}

const rounds: readonly (readonly [LimitArea, string, number])[] = [
  ["limits", "A", 1],
  ["limits", "B", 1],
  ["limits", "B", 3],
  ["limits", "C", 1],
  ["tokens", "reading", 2],
  ["tokens", "exhaust", 2],
  ["spend", "capped-other", 1],
  ["burst", "volley", 1],
  ["burst", "cooldown", 1],
  ["burst", "sequential", 4],
];
const random = testRandom("service-away");

describe("a service that starts for ten seconds in an exam and says so", () => {
  it.each(rounds)("accuses nobody: %s, at request %s %i", async (area, phase, nth) => {
    const { met, wrong, verdicts } = await examineAway(area, phase, nth, random.integer(0, 1) === 0 || isWhole ? 503 : 502);
    expect(met).toBeGreaterThan(1);
    expect(wrong).toEqual([]);
    // Enough is asked again for a judgement, whatever was lost.
    expect(verdicts.filter((line) => !line.endsWith(" pass"))).toEqual([]);
  });

  it.each([
    ["burst", "cooldown_seconds"],
    ["spend", "cooldown_seconds"],
  ] as const)("is waited for where changes of settings are sent at once: %s, %s", async (area, member) => {
    const isAtOnce = ({ body }: SendRequest): boolean =>
      body?.kind === "json" && Object.keys(body.value as object).join() === member;
    const { met, wrong, verdicts, changedAgain } = await examine(area, 503, isAtOnce, "full");
    expect(met).toBeGreaterThan(1);
    expect(changedAgain).toBeGreaterThanOrEqual(2);
    expect(wrong).toEqual([]);
    expect(verdicts.length).toBeGreaterThan(0);
    expect(verdicts.filter((line) => !line.endsWith(" pass"))).toEqual([]);
  });
});
