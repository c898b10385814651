import { estimateWorstCase } from "../../core/cost-estimate.ts";
import { markRequest } from "../probe/mark-request.ts";
import { requestOfProbe } from "../probe/request-of-probe.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { readSettingChanges } from "../history/burst-settings.ts";
import { isPurchase } from "../history/is-purchase.ts";
import { readHistory } from "../history/history.ts";
import type { LimitOp } from "../history/op.ts";
import { spendFactsOf, viewSpend } from "../history/spend-view.ts";
import { tolerancesFor } from "../history/tolerances.ts";
import { type CheapPhase, cheapNames, cheapPhasesOf, cheapRequest, wantedCents } from "./cheap-kinds.ts";
import type { Shop } from "./open-shop.ts";
import { roomForOne } from "./purchases-together.ts";
import { readSpent } from "./read-spent.ts";
import { readUntil } from "./read-until.ts";
import { roomAbove, type SpentSum, sumSpent } from "./sum-spent.ts";

interface CheapExam {
  readonly key: string;
  readonly twin: string | null;
  readonly shop: Shop;
  readonly setCap: (cents: number) => Promise<unknown>;
}

/** Requests of a kind before its price is known, and as many at most in all. */
const firstOfKind = 2;
const mostOfKind = 32;
/** Purchases of the stages that follow, at most. */
const stillToBuy = 8;
/** A kind costs as much more than the room for one request: what rounding hides is less. */
const hiddenCents = 2.5;
/** A kind of the wanted price costs as much then. */
const usualCents = 4;

/**
 * Buys what costs a fraction of a cent, kind by kind between usage reports, then asks at two caps: just below the sum of the report,
 * and just above it.
 */
export async function buyCheaply(tools: ProbeTools, exam: CheapExam): Promise<void> {
  const kinds = cheapPhasesOf(tools.manifest);
  const [asked] = kinds;
  if (asked === undefined) return;
  tools.enter("spend: cheap requests against the report");
  const budget = tools.manifest.permissions.spendUpToCents - spentOnPurchases(tools, exam.shop) - stillToBuy * exam.shop.price;
  const needed = kinds.reduce((sum, kind) => sum + worstCents(tools, exam.key, kind), 0) * (usualCents / wantedCents);
  if (needed > budget) {
    const text = `spend: cheap requests are not bought, they may cost ${needed.toFixed(0)} cents more`;
    return tools.onProgress({ kind: "note", text });
  }
  let known = await readSpent(tools, exam, "cheap");
  for (const kind of kinds) {
    if (known === null) return;
    known = await buyKind(tools, exam, kind, { known, budget: budget / kinds.length });
  }
  await tools.sleep(3000, "charges settle");
  await readSpent(tools, exam, "cheap");
  const sum = sumOf(tools);
  if (sum === null || sum.kinds.length === 0) return;
  const room = roomAbove(sum);
  const ask = async (phase: "below-sum" | "above-sum", cents: number): Promise<void> => {
    await exam.setCap(cents);
    await tools.send(cheapRequest(tools.manifest, { key: exam.key, kind: asked, phase }));
  };
  await ask("below-sum", Math.max(1, Math.floor(sum.lowCents)));
  await ask("above-sum", Math.ceil(sum.highCents + room));
}

/** Two of a kind, then as many more as cost enough. The report of the account afterwards, cents; null: it cannot be read. */
async function buyKind(
  tools: ProbeTools,
  exam: CheapExam,
  kind: CheapPhase,
  { known, budget }: { readonly known: number; readonly budget: number },
): Promise<number | null> {
  const first = await buySome(tools, exam, kind, firstOfKind);
  const after = await readMoved(tools, exam, known);
  if (after === null || first === 0) return after;
  const price = (after - known) / first;
  const more = price > 0 ? Math.max(firstOfKind, Math.ceil((roomForOne(price) + hiddenCents) / price) - first) : mostOfKind;
  if (more + first > mostOfKind || (more + first) * price > budget) {
    const text = `spend: ${cheapNames[kind]} at ${price.toFixed(4)} cents a request: no cap shows how it is counted`;
    tools.onProgress({ kind: "note", text });
    return after;
  }
  await buySome(tools, exam, kind, more);
  return readMoved(tools, exam, after);
}

/** At the same time, each with a prompt of its own; how many were served. */
async function buySome(tools: ProbeTools, { key }: CheapExam, kind: CheapPhase, count: number): Promise<number> {
  const ops: Promise<LimitOp>[] = [];
  for (let index = 0; index < count; index += 1) {
    ops.push(tools.send(cheapRequest(tools.manifest, { key, kind, phase: kind })));
  }
  return (await Promise.all(ops)).filter(({ outcome }) => outcome === "admitted").length;
}

/** A report may be some seconds behind, so that it is asked until it has moved. */
async function readMoved(tools: ProbeTools, exam: CheapExam, known: number): Promise<number | null> {
  return readUntil(
    tools,
    () => readSpent(tools, exam, "cheap"),
    (cents) => cents === null || cents > known,
  );
}

function worstCents(tools: ProbeTools, key: string, kind: CheapPhase): number {
  const request = cheapRequest(tools.manifest, { key, kind, phase: kind });
  return 100 * estimateWorstCase(markRequest(requestOfProbe(request, kind), 0), tools.manifest.prices).costUsd;
}

function spentOnPurchases(tools: ProbeTools, { price }: Shop): number {
  const purchases = tools.sent.filter(
    ({ endpoint, intent }) => intent.kind === "limit" && intent.policy === "spend" && isPurchase({ ...intent, endpoint }),
  );
  return price * purchases.length;
}

function sumOf(tools: ProbeTools): SpentSum | null {
  const bySeq = new Map(tools.sent.map((exchange) => [exchange.seq, exchange]));
  const { ops } = readHistory(tools.sent, tolerancesFor(tools.manifest));
  const changes = readSettingChanges(tools.sent, tools.manifest);
  const view = viewSpend({ ops }, bySeq, changes, tools.manifest.propagationSeconds * 1000);
  return view === null ? null : sumSpent(view, spendFactsOf(view, null));
}
