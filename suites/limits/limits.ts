import type { Case, CaseRequest, CaseTools } from "../../src/conformance/plan/case.ts";
import { deadKeyLabels, type DeadKeyState } from "../../src/conformance/judges/auth/credentials-before-limits.ts";
import { announcedWaitMs } from "../../src/conformance/judges/limits/announced-wait.ts";
import type { Credential } from "../../src/core/exchange/send-request.ts";
import { casesOf } from "../cases-of.ts";
import { chatRequest } from "../requests/chat-request.ts";
import { lowLimit, lowLimitAtMost } from "../requests/low-limit.ts";

/**
 * Sends until one is refused; such requests are neither paced nor repeated. A refusal that announces no wait is tried once more, after a
 * second that rounding may have taken from it.
 */
async function exhaust(tools: CaseTools, name: string, request: Request): Promise<void> {
  await presentBefore(tools, request);
  for (let count = 1; count <= lowLimitAtMost; count += 1) {
    const exchange = await tools.send({ ...request, ...lowLimit, label: `${name}-${count}` });
    if (exchange.status !== 429) continue;
    await presentDeadKeys(tools, request);
    if ((announcedWaitMs(exchange, "longest") ?? 1000) >= 1000) return;
    await tools.sleep(1500);
    await tools.send({ ...request, ...lowLimit, label: `${name}-again` });
    return;
  }
}

type Request = Omit<CaseRequest, "label">;

function presented(request: Request, label: string, credential: Credential): CaseRequest {
  const purpose = "present no valid key while a limit of another one is used up, and before";
  return { ...request, label, credential, intent: { kind: "housekeeping", purpose, answers: [401] }, retry: false };
}

/** A bad credential before the limit is used up; where it is refused for a limit already, once more when that is over. */
async function presentBefore(tools: CaseTools, request: Request): Promise<void> {
  const credential: Credential = { kind: "literal", value: "Bearer assay-before-the-limit" };
  const first = await tools.send(presented(request, deadKeyLabels.before, credential));
  if (first.status !== 429) return;
  await tools.sleep(Math.min(announcedWaitMs(first, "longest") ?? longestWaitMs, longestWaitMs) + 1000);
  await tools.send(presented(request, deadKeyLabels.beforeAgain, credential));
}

/** While the limit of lowLimit is used up: a key that is nearly lowLimit, keys that were valid once, and one that nobody has. */
async function presentDeadKeys(tools: CaseTools, request: Request): Promise<void> {
  const former = (["expired", "revoked"] as const).filter((key) => tools.manifest.keys[key] !== undefined);
  const credentials: readonly (readonly [state: DeadKeyState, credential: Credential])[] = [
    ["almost", { kind: "distorted", key: "lowLimit", how: "last-character-changed" }],
    ...former.map((key) => [key, { kind: "bearer", key }] as const),
    // The last one: where it is answered 401 nobody holds back bad credentials as such.
    ["unknown", { kind: "literal", value: "Bearer assay-while-limited" }],
  ];
  for (const [state, credential] of credentials)
    await tools.send(presented(request, deadKeyLabels.while.label(state), credential));
}

/** The number of such requests that are added to a case that uses a limit up. */
const deadKeysAtMost = 6;
const longestWaitMs = 60_000;

/** Section "Rate limits" as far as a key with a low limit shows it; the limits stage examines the limiter itself. */
export const limitCases: readonly Case[] = casesOf({ suite: "limits", resource: "key:lowLimit" }, [
  {
    id: "limits/low-limit",
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
      "AUTH-037",
    ],
    needs: [{ kind: "key", name: "lowLimit" }],
    cost: { requests: { models: lowLimitAtMost + 1 + deadKeysAtMost }, tokens: 0 },
    run: (tools) => exhaust(tools, "models", { endpoint: "models" }),
  },
  {
    id: "limits/low-limit-stream",
    title: "Refuses a stream beyond a low limit before it begins",
    covers: ["STRM-012", "AUTH-037"],
    needs: [
      { kind: "key", name: "lowLimit" },
      { kind: "model", use: "chat" },
      { kind: "feature", name: "stream" },
    ],
    cost: {
      requests: { chat: lowLimitAtMost + 1 + deadKeysAtMost },
      tokens: (lowLimitAtMost + 1) * 24,
    },
    run: (tools) => exhaust(tools, "stream", chatRequest(tools.manifest, "", { stream: true, max_tokens: 1 })),
  },
]);
