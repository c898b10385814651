import type { Mutant, Variant } from "../../src/reference/switches/switch.ts";
import { allSwitches } from "../../src/reference/switches/all-switches.ts";
import { limitAreas, limitRows } from "./sockets/examine-switch.ts";

const ofLimits = allSwitches.filter(({ area }) => limitAreas.some((one) => one === area));

/** Mutants that only the full exam finds, each with the reason. */
const needsFullExam: Readonly<Record<string, string>> = {
  "limits/daily-window-key": "shows a day later",
};

/** Seeds with which mutants that strike by chance, one request in twenty, hit one that came alone. */
const seeds: Readonly<Record<string, number>> = { "limits/fail-closed": 3 };

/** Mutants that stay advice in both exams, because the specification does not forbid what they do or leaves its reading open. */
const staysAdvice: Readonly<Record<string, string>> = {
  "limits/retry-after-window": "waiting longer than needed breaks no promise (RATE-023)",
  "burst/extended-by-attempts": "whether attempts prolong a cooldown is a SHOULD (BURST-017)",
  "burst/retry-after-constant": "the whole cooldown as the wait is advice (AMB-16)",
  "burst/queue-releases-all": "whether what a queue lets out uses the allowance is a SHOULD (BURST-024)",
  "burst/mixed-preference": "queued and refused within one cooldown is advice (AMB-15)",
  "spend/zero-is-unlimited": "what a cap of zero means is not stated (AMB-19)",
};

/** Switches that exams of limits are asked for, and what is expected of some of them. */
export const limitSwitches: {
  readonly variants: readonly Variant[];
  readonly mutants: readonly Mutant[];
  readonly needsFullExam: Readonly<Record<string, string>>;
  readonly seeds: Readonly<Record<string, number>>;
  readonly staysAdvice: Readonly<Record<string, string>>;
} = {
  variants: ofLimits.filter((one): one is Variant => one.kind === "variant"),
  // Those that show to a second key beside a load: test/run/traffic/probe-mutants.test.ts.
  mutants: ofLimits.filter(
    (one): one is Mutant => one.kind === "mutant" && limitRows(one).length > 0 && one.needs?.includes("stage:load") !== true,
  ),
  needsFullExam,
  seeds,
  staysAdvice,
};
