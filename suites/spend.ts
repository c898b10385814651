import type { Case, CaseTools } from "../src/conformance/plan/case.ts";
import { cappedLabels, cappedPurpose } from "../src/conformance/judges/spend/exhausted-key.ts";
import { isOperationDeclared } from "../src/core/is-operation-declared.ts";
import { chatRequest } from "./requests/chat-request.ts";
import { specifiedEndpoints } from "../src/core/exchange/endpoint.ts";
import { plainRequest } from "./requests/core-requests.ts";

const billable = specifiedEndpoints.slice(0, 4);
const free = specifiedEndpoints.slice(4, 6);
const exhausted = { kind: "bearer", key: "exhausted" } as const;
const capped = { kind: "housekeeping", purpose: cappedPurpose } as const;

async function sendCapped(
  tools: CaseTools,
  endpoint: (typeof specifiedEndpoints)[number],
  label: string = endpoint === "chat" ? cappedLabels.chat : endpoint,
): Promise<void> {
  await tools.send({
    ...plainRequest(endpoint, tools.manifest, tools.wallMs()),
    label,
    credential: exhausted,
    // A strict service refuses what is free as well.
    intent: { ...capped, answers: free.includes(endpoint) ? ["2xx", 429] : [429] },
    retry: false,
  });
}

/** Section "Spend caps", as far as a key that has reached its cap shows it; caps that have to be spent are probed elsewhere. */
export const spendCases: readonly Case[] = [
  {
    id: "spend/exhausted-key",
    suite: "spend",
    title: "Refuses a key at its monthly cap, everywhere and every time",
    covers: ["SPEND-001", "SPEND-002", "SPEND-003", "SPEND-004", "SPEND-005", "SPEND-006", "SPEND-009", "SPEND-016", "SPEND-017"],
    needs: [{ kind: "key", name: "exhausted" }],
    cost: {
      requests: { chat: 3, embeddings: 1, images: 1, transcriptions: 1, models: 1, usage: 1 },
      tokens: 160,
      images: 1,
      audioSeconds: 1,
    },
    async run(tools) {
      const asked = [...billable, ...free].filter((endpoint) => isOperationDeclared(endpoint, tools.manifest));
      for (const endpoint of asked) await sendCapped(tools, endpoint);
      const stream = chatRequest(tools.manifest, cappedLabels.stream, { stream: true }, { ...capped, answers: [429] });
      await tools.send({ ...stream, credential: exhausted, retry: false });
      await sendCapped(tools, "chat", cappedLabels.again);
    },
  },
];
