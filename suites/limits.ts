import type { Case, CaseTools } from "../src/conformance/plan/case.ts";
import type { Intent } from "../src/core/exchange/intent.ts";
import type { CaseRequest } from "../src/conformance/plan/case.ts";
import { announcedWaitMs } from "../src/conformance/judges/limits/announced-wait.ts";
import { chatRequest } from "./chat-request.ts";

/** A fixture with a larger limit than this is not driven over it here; the limits stage does that. */
const requestsAtMost = 12;
const intent: Intent = { kind: "limit", policy: "requests", phase: "low-limit" };

/**
 * Sends until one is refused; such requests are neither paced nor repeated. A refusal that announces no wait is tried once more, after a
 * second that rounding may have taken from it.
 */
async function exhaust(tools: CaseTools, name: string, request: Omit<CaseRequest, "label">): Promise<void> {
  for (let count = 1; count <= requestsAtMost; count += 1) {
    const credential = { kind: "bearer", key: "lowLimit" } as const;
    const exchange = await tools.send({ ...request, label: `${name}-${count}`, credential, intent });
    if (exchange.status !== 429) continue;
    if ((announcedWaitMs(exchange) ?? 1000) >= 1000) return;
    await tools.sleep(1500);
    await tools.send({ ...request, label: `${name}-again`, credential, intent });
    return;
  }
}

/** Section "Rate limits" as far as a key with a low limit shows it; the limits stage examines the limiter itself. */
export const limitCases: readonly Case[] = [
  {
    id: "limits/low-limit",
    suite: "limits",
    title: "Refuses requests beyond a low limit with 429",
    covers: [
      "RATE-019",
      "RATE-020",
      "RATE-021",
      "RATE-022",
      "RATE-023",
      "RATE-033",
      "RATE-034",
      "RATE-044",
      "ERR-025",
      "ERR-038",
    ],
    needs: [{ kind: "key", name: "lowLimit" }],
    cost: { requests: { models: requestsAtMost + 1 }, tokens: 0 },
    resource: "key:lowLimit",
    run: (tools) => exhaust(tools, "models", { endpoint: "models" }),
  },
  {
    id: "limits/low-limit-stream",
    suite: "limits",
    title: "Refuses a stream beyond a low limit before it begins",
    covers: ["STRM-012"],
    needs: [
      { kind: "key", name: "lowLimit" },
      { kind: "model", use: "chat" },
      { kind: "feature", name: "stream" },
    ],
    cost: { requests: { chat: requestsAtMost + 1 }, tokens: (requestsAtMost + 1) * 24 },
    resource: "key:lowLimit",
    run: (tools) => exhaust(tools, "stream", chatRequest(tools.manifest, "", { stream: true, max_tokens: 1 })),
  },
];
