import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { LimitOp } from "../history/op.ts";
import type { ExamRequest } from "../probe/exam-request.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { afterWaitMs } from "../probe/schedule-steps.ts";
import { fewerPictures, picturesOfPurchase } from "./pictures-of-purchase.ts";
import { leastTogetherCents, purchasesTogether } from "./purchases-together.ts";
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
  const pictures = await findPictures(tools, buyer.key);
  const buy: Shop["buy"] = (key, phase) => buyOne(tools, requestFor(key, phase, pictures));
  const planned = purchasesTogether(100 * pictures * tools.manifest.prices.perImage) ?? 1;
  for (let bought = 1; bought < planned; bought += 1) await buy(buyer.key, "price");
  let grown = before === null ? 0 : await readGrowth(tools, buyer, { before, known: 0, purchases: planned });
  let together = planned;
  if (grown > 0 && grown < leastTogetherCents) {
    together = purchasesTogether(grown / planned) ?? planned;
    for (let bought = planned; bought < together; bought += 1) await buy(buyer.key, "price");
    if (together > planned)
      grown = await readGrowth(tools, buyer, { before: before!, known: grown, purchases: together - planned });
  }
  const price = grown / together;
  if (purchasesTogether(price) !== null)
    return { price, together, unplanned: together - planned, buy, requestOf: (key, phase) => requestFor(key, phase, pictures) };
  const text = `spend: ${together} purchases of ${pictures} pictures cost ${grown.toFixed(2)} cents; twelve must cost two cents at least`;
  tools.onProgress({ kind: "note", text });
  return null;
}

/** The first purchase: with fewer pictures where the service refuses so many in one request. */
async function findPictures(tools: ProbeTools, key: string): Promise<number> {
  let pictures = picturesOfPurchase(tools.manifest.prices);
  for (;;) {
    const { outcome } = await buyOne(tools, requestFor(key, "price", pictures));
    const fewer = outcome === "other" ? fewerPictures(pictures) : null;
    if (fewer === null) return pictures;
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

/** A refusal of the request limit says nothing of a cap: the purchase is repeated when that limit allows it. */
async function buyOne(tools: ProbeTools, request: ExamRequest): Promise<LimitOp> {
  const op = await tools.send(request);
  if (op.cause !== "requests") return op;
  const waitMs = (op.retry?.seconds ?? Number.POSITIVE_INFINITY) * 1000;
  await tools.sleep(Math.min(waitMs, tools.windowMs) + afterWaitMs, "the request limit renews");
  return tools.send(request);
}
