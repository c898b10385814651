import type { Random } from "../../../core/random.ts";
import type { LimitOp } from "../../history/op.ts";
import type { ExamRequest } from "../../probe/exam-request.ts";
import type { ProbeTools } from "../../probe/probe-tools.ts";
import { drawnBack } from "../counting/quick-rows.ts";

/** Rows that are sent: as many as chance cannot explain (`lost-updates.ts`, `limit-values.ts`). */
const descents = 7;

/**
 * An allowance that refills is used up by single requests, one directly after the other, again and again, each time from
 * another height. A request that is counted wrongly at one remaining number shows in each descent, however much refills
 * meanwhile; and the requests that come back over all of them come at the stated rate. Ends at `untilMs` at the earliest where
 * that is later than the last of them.
 */
export async function descendAgain(
  tools: ProbeTools,
  probe: ExamRequest,
  { limit, untilMs, latest }: { readonly limit: number; readonly untilMs: number; readonly latest: LimitOp },
): Promise<LimitOp> {
  const gapMs = tools.windowMs / limit;
  // A smaller limit would take the better part of the window, a larger one refills faster than several clocks may differ.
  if (gapMs < 400 || (descents * (drawnBack.least + drawnBack.most) * gapMs) / 2 > 0.9 * tools.windowMs) return latest;
  const shares = drawShares(tools.random);
  let refused = latest;
  for (let round = 0; round < descents || tools.clock.nowMs() + drawnBack.most * gapMs < untilMs; round += 1) {
    const back = drawnBack.least + (drawnBack.most - drawnBack.least) * shares[round % descents]!;
    await tools.sleep(back * gapMs, "a few requests come back, to be used one by one");
    let op = await tools.send(probe);
    for (let sent = 1; sent < 2 * drawnBack.most && op.outcome === "admitted"; sent += 1) op = await tools.send(probe);
    if (op.outcome !== "rejected") return refused;
    refused = op;
  }
  return refused;
}

/**
 * The position of each wait in its range: one in every part of it, in an order drawn at random, so that nothing depends on the
 * begin of a descent.
 */
function drawShares(random: Random): readonly number[] {
  return Array.from({ length: descents }, (_, part) => ({ share: (part + random.next()) / descents, key: random.next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ share }) => share);
}
