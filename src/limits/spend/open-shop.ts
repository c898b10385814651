import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { LimitOp } from "../history/op.ts";
import type { ExamRequest } from "../probe/exam-request.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { afterWaitMs } from "../probe/schedule-steps.ts";
import { leastTogetherCents, purchasesTogether } from "./purchases-together.ts";
import { refusedByAnotherLimit } from "./refused-by-another-limit.ts";
import { readSpent } from "./read-spent.ts";
import { readUntil } from "./read-until.ts";
import { type Ware, waresOf } from "./wares.ts";

type Phase = LimitPhases["spend"];

/** A purchase that the target serves, the same each time, and what it costs by the usage report. */
export interface Shop {
  /** Cents. */
  readonly price: number;
  /** Each question needs so many of them: caps are whole cents. */
  readonly together: number;
  /** More of them than the prices of the manifest say. */
  readonly unplanned: number;
  readonly requestOf: (key: string, phase: Phase) => ExamRequest;
  readonly buy: (key: string, phase: Phase) => Promise<LimitOp>;
}

interface Buyer {
  readonly key: string;
  readonly twin: string | null;
}

/**
 * Prices come from the usage report around the first purchases, so that nothing about them is assumed; those of the manifest say how
 * many it takes. Pictures are bought; where the target serves the key none, or the manifest says that there are none, what costs most
 * certainly the same each time is bought instead. null, with the reason as a part that is not judged: nothing lets a cap be reached.
 */
export async function openShop(tools: ProbeTools, buyer: Buyer): Promise<Shop | null> {
  const reasons: string[] = [];
  for (const ware of waresOf(tools.manifest)) {
    const opened = await openWith(tools, buyer, ware);
    if (opened.kind === "open") return opened.shop;
    reasons.push(opened.text);
    if (opened.kind === "no other") break;
  }
  const text =
    reasons.length === 0 ? "the manifest names nothing that costs money (models, features.images)" : reasons.join("; ");
  tools.notJudged({ policy: "spend caps", untested: "not-observed", text });
  return null;
}

/** `another`: something else may be bought. `no other`: nothing that is bought shows what it costs. */
type Opened = { readonly kind: "open"; readonly shop: Shop } | { readonly kind: "another" | "no other"; readonly text: string };

async function openWith(tools: ProbeTools, buyer: Buyer, ware: Ware, wanted = ware.size): Promise<Opened> {
  const before = await readSpent(tools, buyer, "before");
  const first = await findSize(tools, buyer.key, ware, wanted);
  const { size } = first;
  // A purchase that failed costs nothing, and counts in no price.
  let served = isServed(first.op) ? 1 : 0;
  const buy: Shop["buy"] = (key, phase) => buyOne(tools, requestFor(key, phase, ware, size));
  const buyPriced = async (count: number): Promise<void> => {
    for (let bought = 0; bought < count; bought += 1) served += isServed(await buy(buyer.key, "price")) ? 1 : 0;
  };
  const planned = plannedTogether(ware, size);
  const isRefused = first.op.outcome === "other";
  if (!isRefused) await buyPriced(planned - 1);
  if (before === null)
    return { kind: "no other", text: "the usage report could not be read, so that nothing shows what a purchase costs" };
  if (served === 0) {
    const text = `none of ${isRefused ? 1 : planned} purchases was served: the first was answered ${first.op.status ?? "not at all"}`;
    return isRefused ? { kind: "another", text: `${text} (${ware.endpoint})` } : { kind: "no other", text };
  }
  let grown = await readGrowth(tools, buyer, { before, known: 0, purchases: served });
  let together = planned;
  const larger = grown > 0 && purchasesTogether(grown / served) === null ? ware.more(size, grown / served) : null;
  if (larger !== null && size === wanted) return openWith(tools, buyer, ware, larger);
  if (grown > 0 && grown < leastTogetherCents) {
    together = Math.max(planned, purchasesTogether(grown / served) ?? planned);
    const known = { grown, served };
    await buyPriced(together - planned);
    if (served > known.served)
      grown = await readGrowth(tools, buyer, { before, known: known.grown, purchases: served - known.served });
  }
  const goods = `${served} purchases of ${size} ${ware.unit}`;
  if (grown <= 0) return { kind: "no other", text: `the usage report did not grow by ${goods}, or not in time` };
  const price = grown / served;
  const requestOf: Shop["requestOf"] = (key, phase) => requestFor(key, phase, ware, size);
  if (purchasesTogether(price) !== null)
    return { kind: "open", shop: { price, together, unplanned: unplannedOf(tools, ware, together, planned), buy, requestOf } };
  const text = `${goods} cost ${grown.toFixed(2)} cents; twelve must cost two cents at least`;
  return { kind: ware.endpoint === "images" ? "no other" : "another", text };
}

function plannedTogether({ centsOf }: Ware, size: number): number {
  return purchasesTogether(centsOf(size)) ?? 1;
}

/** The plan supposes that the first ware is served. */
function unplannedOf({ manifest }: ProbeTools, ware: Ware, together: number, planned: number): number {
  const [first = ware] = waresOf(manifest);
  return together - (first.endpoint === ware.endpoint ? planned : plannedTogether(first, first.size));
}

function isServed({ outcome }: LimitOp): boolean {
  return outcome === "admitted";
}

/** The first purchase: of a smaller size where the service refuses so much in one request. */
async function findSize(
  tools: ProbeTools,
  key: string,
  ware: Ware,
  wanted: number,
): Promise<{ readonly size: number; readonly op: LimitOp }> {
  let size = wanted;
  for (;;) {
    const op = await buyOne(tools, requestFor(key, "price", ware, size));
    const fewer = op.outcome === "other" ? ware.fewer(size) : null;
    if (fewer === null) return { size, op };
    size = fewer;
  }
}

interface Growth {
  readonly before: number;
  /** It was that much when it was read last. */
  readonly known: number;
  /** It has to show so many purchases more. */
  readonly purchases: number;
}

/**
 * The growth of the report since it read `before`. It may be some seconds behind, so that it is asked until it has moved; of several
 * purchases it may show a part first, so that it is asked until two readings agree.
 */
async function readGrowth(tools: ProbeTools, buyer: Buyer, { before, known, purchases }: Growth): Promise<number> {
  const read = async (): Promise<number> => ((await readSpent(tools, buyer, "after")) ?? before) - before;
  return readUntil(tools, read, (grown, last) => grown > known && (purchases === 1 || grown === last));
}

function requestFor(key: string, phase: Phase, { endpoint, bodyOf }: Ware, size: number): ExamRequest {
  return { policy: "spend", phase, key, endpoint, body: bodyOf(size) };
}

/** A purchase that another limit refuses is tried so often at most. */
const mostTries = 3;

/** A refusal of the request limit says nothing of a cap: the purchase is repeated when that limit allows it. */
async function buyOne(tools: ProbeTools, request: ExamRequest): Promise<LimitOp> {
  let op = await tools.send(request);
  for (let tries = 1; tries < mostTries && refusedByAnotherLimit(op); tries += 1) {
    const waitMs = (op.retry?.seconds ?? Number.POSITIVE_INFINITY) * 1000;
    await tools.sleep(Math.min(waitMs, tools.windowMs) + afterWaitMs, "another limit renews");
    op = await tools.send(request);
  }
  return op;
}
