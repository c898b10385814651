import { parseArgs } from "node:util";
import { momentsOf } from "../../src/core/exchange/moments.ts";
import { queueKeys } from "../../src/limits/probe/exam-keys.ts";
import { judgeLimits } from "../../src/limits/exam/judge-limits.ts";
import type { Mutant } from "../../src/reference/switches/switch.ts";
import { burstMutants } from "../../src/reference/switches/broken/burst.ts";
import { recordSwitch, type SwitchRecord } from "../../test/limits/sockets/examine-switch.ts";
import { inTurn } from "../in-turn.ts";
import { watchTimers } from "./timer-lateness.ts";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { exam: { type: "string", default: "short" }, "side-by-side": { type: "string", default: "30" } },
});

/**
 * How long the burst exam of the default exam takes in real time (windows of 60 s, a cooldown of 65 s) on the reference service and on
 * each of its defects of bursts, and what it finds. Arguments: ids, where not all are wanted. Many exams at a time: each mostly waits.
 */
const subjects: readonly (Mutant | null)[] = [null, ...burstMutants].filter(
  (one) => positionals.length === 0 || positionals.includes(one?.id ?? "lawful"),
);
const timers = watchTimers();
const lines = new Map<Mutant | null, string>();
await inTurn(subjects, Number(flags["side-by-side"]), async (mutant) => {
  const at = subjects.indexOf(mutant);
  // Exams begin at different instants of the minute.
  await new Promise((resolve) => setTimeout(resolve, (at * 7919) % 60_000));
  const fromMs = performance.now();
  try {
    const record = await recordSwitch("burst", mutant, {
      exam: flags.exam === "full" ? "full" : "short",
      seed: at + 1,
      time: "real",
    });
    lines.set(mutant, lineOf(mutant, record, timers.between(fromMs, performance.now()).p99));
  } catch (error) {
    lines.set(mutant, `| ${mutant?.id ?? "lawful"} | | | | | ${error instanceof Error ? error.message : String(error)} | |`);
  }
});
timers.stop();
console.log(
  "| defect | seconds | of its key | of the queue | requests | reported | timers late at p99, ms |\n|---|--:|--:|--:|--:|---|--:|",
);
for (const subject of subjects) console.log(lines.get(subject));

function lineOf(mutant: Mutant | null, record: SwitchRecord, lateMs: number): string {
  const { findings, occurrences } = judgeLimits({ ...record, strict: false });
  const rows = occurrences.filter(({ outcome }) => outcome === "fail").map(({ requirement }) => requirement);
  const checks = findings.map(({ check, verdict }) => (verdict === "fail" ? (check ?? "") : `(${check ?? verdict})`));
  const reported = [...new Set([...checks, ...rows])].join(", ");
  const secondsOf = (exchanges: SwitchRecord["exchanges"]): string => {
    const moments = exchanges.map(momentsOf);
    const fromMs = Math.min(...moments.map(({ sent }) => sent.earliestMs));
    const ms = Math.max(...moments.map(({ ended }) => ended.latestMs)) - fromMs;
    return exchanges.length === 0 ? "-" : (ms / 1000).toFixed(0);
  };
  const ofKey = (isWanted: (key: string) => boolean): string =>
    secondsOf(record.exchanges.filter(({ keyName, intent }) => intent.kind === "limit" && isWanted(keyName ?? "")));
  const isQueue = (key: string): boolean => queueKeys.includes(key);
  const times = [secondsOf(record.exchanges), ofKey((key) => !isQueue(key)), ofKey(isQueue)].join(" | ");
  return `| ${mutant?.id ?? "lawful"} | ${times} | ${record.exchanges.length} | ${reported} | ${lateMs.toFixed(0)} |`;
}
