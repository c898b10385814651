import { describe, expect, it } from "vitest";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import type { Engine } from "../../../src/reference/engine/engine.ts";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { awayFor } from "../../make/wire/away-for.ts";
import { diesAt } from "../../make/wire/dies-at.ts";
import { type LimitArea, recordSwitch } from "../sockets/examine-switch.ts";

interface Restart {
  readonly area: LimitArea;
  /** The request of the exam that meets the service away first. */
  readonly phase: string;
  readonly nth: number;
  readonly mutant?: string;
  readonly variants?: readonly string[];
  /** The form of the restart: it says for three seconds that it is away, or ends what is under way without a word. Default `says so`. */
  readonly form?: "says so" | "cuts";
}

interface Said {
  readonly met: number;
  /** Checks and rows that fail, or advise. */
  readonly wrong: readonly string[];
  /** Checks that the restart left open. */
  readonly open: readonly string[];
  /** Policies that hold one of them and read `pass`, and rows that one of them decides and that no doubt is left of. */
  readonly passed: readonly string[];
}

/** A service whose settings stay, while it forgets what it had counted. */
function forget(engine: Engine): void {
  const now = engine.snapshot();
  const fresh = { limiter: [], burst: [] } as unknown as typeof now.parts;
  engine.restore({ ...now, parts: { ...now.parts, ...fresh } });
}

/** An exam within which the service begins anew. */
async function examineRestart({ area, phase, nth, mutant, variants = [], form = "says so" }: Restart): Promise<Said> {
  let [seen, engine]: [number, Engine | null] = [0, null];
  const isFirst = ({ intent }: SendRequest): boolean => intent.kind === "limit" && intent.phase === phase && (seen += 1) === nth;
  const forgets = (): void => void (engine !== null && forget(engine));
  const begins = (request: SendRequest): boolean => {
    const isIts = isFirst(request);
    if (isIts) forgets();
    return isIts;
  };
  const absence = form === "cuts" ? diesAt(isFirst, forgets) : awayFor({ status: 503, retryAfter: "1", lastsMs: 3000, begins });
  const { exchanges, manifest } = await recordSwitch(area, mutant === undefined ? null : findSwitch(mutant), {
    ...absence,
    exam: "full",
    variants,
    onService: (service) => void (engine = service.engine),
  });
  const { result, findings, occurrences } = judgeLimits({ exchanges: absence.asSeen(exchanges), manifest, strict: false });
  const rows = occurrences.filter(({ outcome }) => outcome === "fail" || outcome === "advisory");
  const isOpen = ({ message }: { readonly message: string }): boolean =>
    message.startsWith("the service was away or began anew before");
  const held = result.policies.filter(({ checks }) => checks.some(isOpen));
  const checks = held.flatMap((policy) => policy.checks).filter(isOpen);
  const doubted = new Set(occurrences.filter(({ outcome }) => outcome === "inconclusive").map(({ requirement }) => requirement));
  return {
    met: absence.met(),
    wrong: [...findings.map(({ check }) => check ?? ""), ...new Set(rows.map(({ requirement }) => requirement))],
    open: checks.map(({ id }) => id),
    passed: [
      ...held
        .filter(({ verdict, summary }) => verdict === "pass" || !summary.includes("the service was away"))
        .map(({ id }) => id),
      ...checks.flatMap(({ requirements }) => requirements.filter((row) => !doubted.has(row))),
    ],
  };
}

describe("a service that begins anew within an exam, and forgets what it had counted", () => {
  it.each([
    { area: "limits", phase: "D", nth: 10, open: ["limits.over-admission"] },
    {
      area: "limits",
      phase: "F",
      nth: 1,
      open: ["limits.lost-updates", "limits.early-renewal", "limits.over-admission", "limits.retry-after-too-long"],
    },
    { area: "limits", phase: "J", nth: 5, open: ["limits.lost-updates", "limits.over-admission", "limits.retry-after-too-long"] },
    { area: "limits", phase: "I", nth: 1, open: [] },
    { area: "burst", phase: "cooldown", nth: 1, open: ["burst.over-admission"] },
    { area: "burst", phase: "cooldown", nth: 3, open: ["burst.over-admission"] },
    { area: "burst", phase: "sequential", nth: 8, open: [] },
    { area: "tokens", phase: "exhaust", nth: 2, open: ["tokens.wrong-charge"] },
    { area: "tokens", phase: "exhausted", nth: 1, open: ["tokens.wrong-charge"] },
  ] as const)("is accused of nothing: $area, at request $phase $nth", async ({ open, ...restart }) => {
    const said = await examineRestart(restart);
    expect(said.met).toBeGreaterThan(1);
    expect(said.wrong).toEqual([]);
    expect(said.open).toEqual(open);
    expect(said.passed).toEqual([]);
  });

  it.each([
    { area: "limits", phase: "D", nth: 10, check: "limits.over-admission" },
    { area: "limits", phase: "F", nth: 1, check: "limits.early-renewal" },
    { area: "burst", phase: "cooldown", nth: 3, check: "burst.over-admission" },
    { area: "tokens", phase: "exhausted", nth: 1, check: "tokens.wrong-charge" },
  ] as const)("nor where it only cuts what is under way: $area, at request $phase $nth", async ({ check, ...restart }) => {
    const said = await examineRestart({ ...restart, form: "cuts" });
    expect(said.met).toBeGreaterThan(1);
    expect(said.wrong).toEqual([]);
    expect(said.open).toContain(check);
    expect(said.passed).toEqual([]);
  });

  it("fails all the same where it over-admits on one side of a cut", async () => {
    const restart = { area: "burst", phase: "cooldown", nth: 1, mutant: "burst/over-admit-one", form: "cuts" } as const;
    expect((await examineRestart(restart)).wrong).toContain("burst.over-admission");
  });

  it.each(["limits/sliding-log", "limits/sliding-counter", "limits/token-bucket", "limits/gcra", "limits/fixed-first"])(
    "is accused of nothing by any algorithm: %s",
    async (variant) => {
      for (const [phase, nth] of [
        ["F", 1],
        ["C", 1],
      ] as const) {
        const { wrong, open } = await examineRestart({ area: "limits", phase, nth, variants: [variant] });
        expect(wrong).toEqual([]);
        expect(open).toContain("limits.early-renewal");
      }
    },
  );

  it.each([
    { area: "burst", phase: "cooldown", nth: 1, mutant: "burst/over-admit-one", check: "burst.over-admission" },
    { area: "burst", phase: "cooldown", nth: 3, mutant: "burst/no-cooldown", check: "burst.over-admission" },
    { area: "limits", phase: "J", nth: 5, mutant: "limits/over-admit-one", check: "limits.over-admission" },
  ] as const)("fails all the same with $mutant, by what was seen on one side", async ({ check, ...restart }) => {
    const { met, wrong } = await examineRestart(restart);
    expect(met).toBeGreaterThan(1);
    expect(wrong).toContain(check);
  });
});
