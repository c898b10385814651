import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { cheapBody } from "../../probe/cheap-request.ts";
import type { ExamRequest } from "../../probe/exam-request.ts";
import type { ProbeTools } from "../../probe/probe-tools.ts";
import { mostUndeclared, whyUnreachable } from "../../probe/reach.ts";
import { afterWaitMs, roundSize } from "../../probe/schedule-steps.ts";
import { limitWhereUnstated } from "../../history/declared-requests.ts";
import type { LimitOp } from "../../history/op.ts";
import { coarsestBatchMs } from "../../history/tolerances.ts";

/** Endpoints whose requests cost so little that a limit of them may be used up. Pictures are not among them. */
const affordable: readonly EndpointId[] = ["chat", "embeddings", "transcriptions"];

/** The endpoint whose uploads are held back: the first of these that is drained, the cheapest one before the others. */
const overlapsFirst: readonly EndpointId[] = ["embeddings", "transcriptions", "chat"];

/** Requests that may have come back in a moment, at most. */
const mostBack = 4;
/** A limit above it would cost more than a short look is worth. */
export const mostDrained = 300;

/** The largest limit of an endpoint that is used up by a short look: a text of one word is the cheapest there is. */
export function mostDrainedOf(endpoint: EndpointId): number {
  return endpoint === "embeddings" ? mostUndeclared : mostDrained;
}

/** Time for which the second half of an upload is held back: those that are sent together are all under way by then, ms. */
const heldMs = 300;

/** A plain request that is refused, whatever came back during the pause before it; null: none is. */
async function refusedAlone(tools: ProbeTools, plain: () => ExamRequest): Promise<LimitOp | null> {
  await tools.sleep(afterWaitMs + 50, "a refusal that comes alone");
  let latest = await tools.send(plain());
  // Requests that came back during the pause are used up first.
  for (let count = 0; count < mostBack && latest.outcome === "admitted"; count += 1) latest = await tools.send(plain());
  return latest.outcome === "rejected" ? latest : null;
}

/** Additional requests of those that overlap: the last ones to be answered overlap nothing, and a slow network gives time for refills. */
const spare = 6;

/** More requests than any refill lets in meanwhile. */
function moreThanRefills({ windowMs }: ProbeTools, limit: number): number {
  return Math.ceil((coarsestBatchMs / windowMs) * limit) + 6;
}

/**
 * Uploads that are under way together for certain, after a refusal: the second half of each body comes when the first of all have. A service
 * lets none of them in, whether it counts at the head, at the end of a body or with the answer. The latest refusal.
 */
async function uploadsWhileDrained(
  tools: ProbeTools,
  probe: (phase: "B" | "B-uploads") => ExamRequest,
  limit: number,
): Promise<LimitOp | null> {
  const alone = await refusedAlone(tools, () => probe("B"));
  if (alone === null) return null;
  const ops = await tools.burst({ ...probe("B-uploads"), holdUploadMs: heldMs }, moreThanRefills(tools, limit) + spare);
  const again = await tools.send(probe("B"));
  return [...ops, again].findLast(({ outcome }) => outcome === "rejected") ?? alone;
}

/**
 * Streams when plain requests were refused before one could come: more than any refill grants, after a refusal of a plain request that
 * no clock of another instance overlaps. The latest refusal.
 */
async function streamsWhileDrained(
  tools: ProbeTools,
  probe: (phase: "B", streamed?: boolean) => ExamRequest,
  limit: number,
): Promise<LimitOp | null> {
  const plain = await refusedAlone(tools, () => probe("B"));
  if (plain === null) return null;
  await tools.sleep(afterWaitMs + 50, "a refusal that comes alone");
  const first = await tools.send(probe("B", true));
  if (first.outcome !== "admitted") return first;
  const ops = await tools.burst(probe("B", true), moreThanRefills(tools, limit));
  const again = await tools.send(probe("B"));
  return [...ops, again].findLast(({ outcome }) => outcome === "rejected") ?? plain;
}

/**
 * Rounds of simultaneous requests until one is refused, the last one larger than any refill. A refusal that shows requests left is that of another limit, perhaps of requests
 * under way: the next rounds are as small as what it let in.
 */
async function drainInRounds(
  tools: ProbeTools,
  probe: (streamed: boolean) => ExamRequest,
  { endpoint, limit }: { readonly endpoint: EndpointId; readonly limit: number },
): Promise<LimitOp | null> {
  let atOnce = roundSize;
  let latest: LimitOp | null = null;
  const most = 1.6 * limit + 2 * roundSize;
  for (let sent = 0, round = 0; sent < most; sent += atOnce, round += 1) {
    // Both ways in, turn by turn: a counter that streams pass by ends neither.
    const ops = await tools.burst(probe(endpoint === "chat" && round % 2 === 1), atOnce);
    const refused = ops.filter(({ outcome }) => outcome === "rejected");
    latest = refused.at(-1) ?? latest;
    if (refused.length === 0) {
      // The last ones are wanted by many more: while those are served the others are refused, and no refill explains it if they are not.
      const left = Math.min(...ops.map(({ requests }) => requests.remaining ?? Number.POSITIVE_INFINITY));
      if (left > roundSize || atOnce !== roundSize) continue;
      await tools.sleep(afterWaitMs + 50, "a quiet reading");
      const { requests } = await tools.send(probe(false));
      atOnce = (requests.remaining ?? left) + moreThanRefills(tools, limit) + spare;
      continue;
    }
    const served = ops.length - refused.length;
    if (refused.some(({ requests }) => requests.remaining === 0) || served === 0 || atOnce === 1) return latest;
    if (refused.every(({ requests }) => requests.remaining === null)) return latest;
    atOnce = Math.max(1, Math.min(served, Math.ceil(atOnce / 2)));
  }
  return latest;
}

/** Endpoints that the manifest lets money be spent on and names a model for. */
export function drainableEndpoints(manifest: Manifest): readonly EndpointId[] {
  if (manifest.permissions.spendUpToCents === 0) return [];
  return affordable.filter((endpoint) => cheapBody(endpoint, manifest) !== null);
}

/** Why it cannot be used up, in words for the report; null when it can. */
function whyNotDrained(first: LimitOp, limit: number | null, manifest: Manifest): string | null {
  if (first.outcome !== "admitted") return `#${first.seq} was answered ${first.status ?? "not at all"}`;
  if (limit === null) return "no answer states a limit, and the manifest declares none for this key (limits.requestsPerMinute)";
  if (limit > mostDrainedOf(first.endpoint ?? "chat")) return `a limit of ${limit} is not used up in a short drain`;
  return whyUnreachable(limit, manifest);
}

/**
 * Uses up the limit of each endpoint by simultaneous requests, every second one a stream where there are streams, and comes back
 * when the refusal says: that all ways in are counted and refused alike, which the exam of one endpoint cannot show.
 */
export async function runEndpointDrains(
  tools: ProbeTools,
  { key, endpoints }: { readonly key: string; readonly endpoints: readonly EndpointId[] },
): Promise<void> {
  // One is enough: a limiter that lets in what overlaps does so wherever bodies are read.
  const overlapping = overlapsFirst.find((endpoint) => endpoints.includes(endpoint));
  for (const endpoint of endpoints) {
    tools.enter(`short drain of ${endpoint}`);
    const probe = (phase: "A" | "B" | "B-uploads" | "G", streamed = false): ExamRequest => {
      const body = cheapBody(endpoint, tools.manifest, streamed);
      return { policy: "requests", phase, key, endpoint, ...(body === null ? {} : { body }) };
    };
    const first = await tools.send(probe("A"));
    const states = first.requests.limit !== null || first.requests.remaining !== null;
    const limit = states ? first.requests.limit : limitWhereUnstated(tools.manifest, key);
    const reason = whyNotDrained(first, limit, tools.manifest);
    if (reason !== null || limit === null) {
      tools.notJudged({ policy: `requests, ${endpoint}`, text: reason ?? "" });
      continue;
    }
    let rejected = await drainInRounds(tools, (streamed) => probe("B", streamed), { endpoint, limit });
    if (rejected === null) continue;
    await tools.send(probe("B"));
    if (endpoint === "chat") await tools.send(probe("B", true));
    const refilled = endpoint === "chat" ? await streamsWhileDrained(tools, probe, limit) : null;
    rejected = refilled ?? rejected;
    if (endpoint === overlapping) rejected = (await uploadsWhileDrained(tools, probe, limit)) ?? rejected;
    const waitMs = Math.min((rejected.retry?.seconds ?? 0) * 1000, 1.1 * tools.windowMs);
    await tools.sleep(rejected.headersMs + waitMs + afterWaitMs - tools.clock.nowMs(), "the stated wait");
    await tools.send(probe("G"));
  }
}
