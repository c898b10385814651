import type { ProbeTools } from "../probe/probe-tools.ts";
import { adminFor } from "../probe/exam-keys.ts";
import { findReplays } from "../history/find-replays.ts";
import { askTheService } from "../probe/mark-request.ts";
import { readTotalCents, usagePath } from "../history/usage-total.ts";

/** Names one report of the exam. */
export type UsageLabel = "before" | "after" | "raise" | "race" | "cheap";

interface Readers {
  readonly key: string;
  readonly twin: string | null;
}

/**
 * Keys that may read the usage of the account: a service may refuse everything of a key that is at its cap, so that the key
 * under examination reads only where the manifest names no other one of its account.
 */
function usageReaders(tools: ProbeTools, { key, twin }: Readers): readonly string[] {
  const others = [adminFor(tools.manifest, key), twin].filter((name): name is string => name !== null && name !== key);
  return others.length > 0 ? [...new Set(others)] : [key];
}

/**
 * Whether only the key under examination may read the report: at its cap it may be refused that too, so that the cap is lifted
 * first.
 */
export function readsAlone(tools: ProbeTools, readers: Readers): boolean {
  return usageReaders(tools, readers).every((name) => name === readers.key);
}

/** Cost of the account by its own usage report, in cents, by the first key that may read it; null when there is none. */
export async function readSpent(tools: ProbeTools, readers: Readers, label: UsageLabel): Promise<number | null> {
  for (const reader of usageReaders(tools, readers)) {
    const cents = await readUsage(tools, reader, label);
    if (cents !== null) return cents;
  }
  return null;
}

async function readUsage(tools: ProbeTools, key: string, label: UsageLabel): Promise<number | null> {
  const exchange = await tools.sendExchange({
    stage: "limits",
    caseId: "limits/spend",
    label: `usage-${label}`,
    intent: { kind: "limit", policy: "spend", phase: `usage-${label}` },
    endpoint: "usage",
    method: "GET",
    path: usagePath(tools.clock.wallMs()),
    credential: { kind: "bearer", key },
    headers: askTheService,
    signal: tools.signal,
  });
  // An old report of a cache would hide what was bought since.
  return findReplays(tools.sent).has(exchange.seq) ? null : readTotalCents(exchange);
}
