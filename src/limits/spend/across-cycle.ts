import type { Exchange } from "../../core/exchange/exchange.ts";
import { readOp } from "../history/history.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { reportLagMs } from "./crossing-checks.ts";
import type { Shop } from "./open-shop.ts";
import { roomForOne } from "./purchases-together.ts";

/** So long before its end a cycle has certainly not ended. */
const earlyMs = 60_000;
/** The visits after the end of a cycle, and putting settings back. */
const afterCycleMs = 60_000;

/** A wait may be rounded to whole seconds. */
const waitStepMs = 2000;

interface CycleExam extends Pick<Shop, "price" | "buy"> {
  /** One that its own cap refuses, and one that the cap of the account does. */
  readonly keys: readonly [key: string, other: string];
  /** The spend of this exam, by the first of them and by both. */
  readonly boughtCents: { readonly byKey: number; readonly byAccount: number };
  readonly setKeyCap: (cents: number | null) => Promise<Exchange>;
}

/**
 * At the caps until the billing cycle ends, where the refusals name an end for which there is time, and a purchase by each key when it has
 * ended: what is refused then is asked once more, since a service may count a little later than it says.
 */
export async function acrossCycle(
  tools: ProbeTools,
  { keys: [key, other], boughtCents, price, buy, setKeyCap }: CycleExam,
): Promise<void> {
  const leaveOut = (text: string): void => tools.notJudged({ policy: "billing cycle", untested: "no-fixture", text });
  // Each cap must leave room for one purchase of a cycle in which nothing is spent.
  const capCents = Math.ceil(roomForOne(price));
  if (boughtCents.byKey < capCents || boughtCents.byAccount < capCents + price)
    return leaveOut("this exam bought too little to reach caps with room for purchases");
  const inTime = (): number | null => {
    const end = namedEnd(tools);
    if (typeof end === "string") leaveOut(end);
    if (typeof end === "string") return null;
    const [waitMs, leftMs] = [end - tools.clock.nowMs(), tools.msLeft()];
    if (waitMs + afterCycleMs < leftMs) return end;
    leaveOut(`the refusals name the end of the cycle in ${inMinutes(waitMs)}, and ${inMinutes(leftMs)} are left to the exam`);
    return null;
  };
  if (inTime() === null) return;
  await setKeyCap(capCents);
  if ((await buy(key, "cycle-before")).outcome !== "rejected") return leaveOut("the cap of the key did not refuse");
  const endMs = inTime();
  if (endMs === null) return;
  tools.enter("spend: billing cycle");
  tools.asked("billing cycle");
  if (endMs - tools.clock.nowMs() > 2 * earlyMs) {
    await tools.sleep(endMs - earlyMs - tools.clock.nowMs(), "the end of the billing cycle");
    await buy(other, "cycle-early");
  }
  await tools.sleep(endMs + reportLagMs - tools.clock.nowMs(), "the end of the billing cycle");
  for (const name of new Set([key, other])) {
    if ((await buy(name, "cycle-after")).outcome !== "rejected") continue;
    await tools.sleep(reportLagMs, "the spend of the new cycle is counted");
    await buy(name, "cycle-after");
  }
}

/** The instant at which all refusals of caps say that the cycle ends, ms of the run clock; why there is none, in words. */
function namedEnd(tools: ProbeTools): number | string {
  const ends = tools.sent
    .filter(({ intent }) => intent.kind === "limit" && intent.policy === "spend")
    .flatMap((exchange) => {
      const op = readOp(exchange);
      const waitMs = op?.outcome === "rejected" && op.cause === "spend" ? (op.retry?.bodyMs?.waitMs ?? null) : null;
      return op === null || waitMs === null ? [] : [{ fromMs: op.sentMs + waitMs, toMs: op.headersMs + waitMs }];
    });
  if (ends.length === 0) return "no refusal at a cap names the end of the cycle";
  // A cycle that ended meanwhile, or a wait that leads nowhere.
  const isOne = Math.max(...ends.map(({ fromMs }) => fromMs)) - Math.min(...ends.map(({ toMs }) => toMs)) < waitStepMs;
  return isOne ? Math.max(...ends.map(({ toMs }) => toMs)) : "the refusals at caps name different ends of the cycle";
}

function inMinutes(ms: number): string {
  return ms > 2 * 86_400_000 ? `${(ms / 86_400_000).toFixed(1)} days` : `${Math.max(0, ms / 60_000).toFixed(1)} min`;
}
