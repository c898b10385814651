import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { LimitOp } from "../history/op.ts";
import type { ExamRequest } from "../probe/exam-request.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { afterWaitMs } from "../probe/schedule-steps.ts";
import { fewerPictures, picturesOfPurchase } from "./pictures-of-purchase.ts";
import { leastTogetherCents, purchasesTogether } from "./purchases-together.ts";
import { refusedByAnotherLimit } from "./refused-by-another-limit.ts";
import { readSpent } from "./read-spent.ts";
import { readUntil } from "./read-until.ts";

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
 * many it takes. null, and a note: what is bought costs too little to reach a cap.
 */
export async function openShop(tools: ProbeTools, buyer: Buyer): Promise<Shop | null> {
  const before = await readSpent(tools, buyer, "before");
  const first = await findPictures(tools, buyer.key);
  const { pictures } = first;
  // A purchase that failed costs nothing, and counts in no price.
  let served = isServed(first.op) ? 1 : 0;
  const buy: Shop["buy"] = (key, phase) => buyOne(tools, requestFor(key, phase, pictures));
  const buyPriced = async (count: number): Promise<void> => {
    for (let bought = 0; bought < count; bought += 1) served += isServed(await buy(buyer.key, "price")) ? 1 : 0;
  };
  const planned = purchasesTogether(100 * pictures * tools.manifest.prices.perImage) ?? 1;
  await buyPriced(planned - 1);
  const close = (text: string): null => {
    tools.onProgress({ kind: "note", text: `spend: ${text}` });
    return null;
  };
  if (before === null) return close("the usage report could not be read, so that nothing shows what a purchase costs");
  if (served === 0)
    return close(`none of ${planned} purchases was served: the first was answered ${first.op.status ?? "not at all"}`);
  let grown = await readGrowth(tools, buyer, { before, known: 0, purchases: served });
  let together = planned;
  if (grown > 0 && grown < leastTogetherCents) {
    together = Math.max(planned, purchasesTogether(grown / served) ?? planned);
    const known = { grown, served };
    await buyPriced(together - planned);
    if (served > known.served)
      grown = await readGrowth(tools, buyer, { before, known: known.grown, purchases: served - known.served });
  }
  if (grown <= 0) return close(`the usage report did not grow by ${served} purchases of ${pictures} pictures, or not in time`);
  const price = grown / served;
  if (purchasesTogether(price) !== null)
    return { price, together, unplanned: together - planned, buy, requestOf: (key, phase) => requestFor(key, phase, pictures) };
  return close(`${served} purchases of ${pictures} pictures cost ${grown.toFixed(2)} cents; twelve must cost two cents at least`);
}

function isServed({ outcome }: LimitOp): boolean {
  return outcome === "admitted";
}

/** The first purchase: with fewer pictures where the service refuses so many in one request. */
async function findPictures(tools: ProbeTools, key: string): Promise<{ readonly pictures: number; readonly op: LimitOp }> {
  let pictures = picturesOfPurchase(tools.manifest.prices);
  for (;;) {
    const op = await buyOne(tools, requestFor(key, "price", pictures));
    const fewer = op.outcome === "other" ? fewerPictures(pictures) : null;
    if (fewer === null) return { pictures, op };
    pictures = fewer;
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

function requestFor(key: string, phase: Phase, pictures: number): ExamRequest {
  const value = { prompt: "A grey square", n: pictures, size: "1024x1024", quality: "standard" };
  return { policy: "spend", phase, key, endpoint: "images", body: { kind: "json", value } };
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
