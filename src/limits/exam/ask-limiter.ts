import type { Clock } from "../../core/clock.ts";
import { endpoints } from "../../core/exchange/endpoint.ts";
import type { Sender } from "../../core/exchange/send-request.ts";
import type { Manifest } from "../../core/manifest.ts";
import { readOp } from "../history/history.ts";
import type { LimitOp } from "../history/op.ts";
import { tolerancesFor } from "../history/tolerances.ts";
import { askTheService } from "../probe/mark-request.ts";
import { chooseKey, requestKeys } from "../probe/exam-keys.ts";

/** The facts that the plan of an exam rests on and that only answers show. */
export interface SeenLimiter {
  readonly limit: number;
  /** The way requests come back: a whole window at once, or one request after the other up to `holds`. */
  readonly counts: { readonly kind: "windows" } | { readonly kind: "bucket"; readonly holds: number };
}

/**
 * Asks twice, so far apart that whatever refills has brought something back: what remains then is no less than before, and its label no
 * further ahead than what is missing takes to come back. null: nothing may be asked, or the answers do not say.
 */
export async function askLimiter(
  manifest: Manifest,
  { sender, clock, signal }: { readonly sender: Sender; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<SeenLimiter | null> {
  const key = chooseKey(manifest, requestKeys);
  const { endpoint = "models" } = manifest.limits;
  // The list of models costs nothing; another endpoint may have another limiter.
  if (key === null || endpoint !== "models" || !manifest.permissions.exhaustLimits) return null;
  const { windowMs } = tolerancesFor(manifest);
  const ask = async (): Promise<LimitOp | null> => {
    const exchange = await sender.send({
      stage: "setup",
      caseId: "ask-limiter",
      label: key,
      intent: { kind: "housekeeping", purpose: "plan the exam by what the limiter shows", answers: ["2xx", 429] },
      endpoint: "models",
      method: "GET",
      path: endpoints.models.path,
      credential: { kind: "bearer", key },
      headers: askTheService,
      signal,
    });
    return readOp(exchange);
  };
  const first = await ask();
  const limit = first?.requests.limit ?? null;
  if (first === null || limit === null || limit === 0 || first.requests.remaining === null) return null;
  const gapMs = windowMs / limit;
  await clock.sleep(Math.min(2.2 * gapMs + 500, windowMs / 4), signal);
  const second = await ask();
  const remaining = second?.requests.remaining ?? null;
  if (second === null || remaining === null || second.requests.limit !== limit) return null;
  if (remaining < first.requests.remaining) return { limit, counts: { kind: "windows" } };
  const now = second.dateMs ?? clock.wallMs();
  const leftMs = second.requests.resetMs === null ? null : second.requests.resetMs - now;
  // Labels of whole seconds, by a Date of whole seconds.
  const aheadMs = (limit - remaining) * gapMs + 2000;
  if (leftMs === null || leftMs > aheadMs) return { limit, counts: { kind: "windows" } };
  // If the label names the instant at which the missing requests are back, at least this request is missing.
  const missing = Math.max(1, Math.floor((leftMs - 1000) / gapMs));
  return { limit, counts: { kind: "bucket", holds: Math.min(limit, remaining + missing) } };
}

/** The limiter in the words of a plan. */
export function describeSeen({ limit, counts }: SeenLimiter): string {
  if (counts.kind === "windows") return `a limit of ${limit} that does not refill at once`;
  return counts.holds === limit ? `a bucket of ${limit}` : `a bucket that holds ${counts.holds} of ${limit}`;
}
