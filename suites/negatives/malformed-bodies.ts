import type { Case, CaseRequest } from "../../src/conformance/plan/case.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";
import { chatMembers, shortChatTokens } from "../requests/chat-request.ts";
import { afterContinue, inChunks } from "../requests/framings.ts";
import { violates } from "../requests/intents.ts";

interface Probe {
  readonly label: string;
  readonly requirement: string;
  readonly condition?: "no-object";
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: (valid: string) => string;
}

const probes: readonly Probe[] = [
  { label: "truncated", requirement: "CHAT-040", text: (valid) => valid.slice(0, -1) },
  { label: "trailing-comma", requirement: "CHAT-040", text: (valid) => `${valid.slice(0, -1)},}` },
  { label: "bare-word", requirement: "CHAT-040", text: () => "hello" },
  { label: "text-behind", requirement: "CHAT-040", headers: inChunks, text: (valid) => `${valid} and more` },
  { label: "value-behind", requirement: "CHAT-040", text: (valid) => `${valid}\n${valid}` },
  { label: "brace-behind", requirement: "CHAT-040", headers: afterContinue, text: (valid) => `${valid}}` },
  { label: "single-quotes", requirement: "CHAT-040", text: (valid) => valid.replaceAll('"', "'") },
  { label: "bare-name", requirement: "CHAT-040", text: (valid) => valid.replace('"model"', "model") },
  // Python and JavaScript write both where nobody forbids it; JSON has neither (RFC 8259 section 6).
  { label: "not-a-number", requirement: "CHAT-040", text: (valid) => `${valid.slice(0, -1)},"temperature":NaN}` },
  { label: "infinity", requirement: "CHAT-040", text: (valid) => `${valid.slice(0, -1)},"top_p":Infinity}` },
  { label: "comment", requirement: "CHAT-040", text: (valid) => `${valid.slice(0, -1)}/* end */}` },
  { label: "empty", requirement: "CHAT-041", text: () => "" },
  ...["[]", '"x"', "1", "null"].map((json, index): Probe => ({
    label: `not-an-object-${index + 1}`,
    requirement: "CHAT-042",
    condition: "no-object",
    text: () => json,
  })),
];

/** A well-formed twin, then bodies that are no JSON, empty, or no object. */
export const malformedBodies: Case = {
  id: "chat/rejects-malformed-chat",
  suite: "chat",
  title: "Refuses bodies that are no JSON object",
  covers: ["CHAT-040", "CHAT-041", "CHAT-042", "ERR-009", "ERR-020", "ERR-024"],
  needs: [{ kind: "model", use: "chat" }],
  cost: { requests: { chat: probes.length + 1 }, tokens: shortChatTokens },
  run: async ({ send, manifest }): Promise<void> => {
    const valid = JSON.stringify(chatMembers(manifest));
    const raw = (label: string, bytes: string, intent?: Intent): CaseRequest => ({
      endpoint: "chat",
      label,
      body: { kind: "raw", bytes, contentType: "application/json" },
      intent,
    });
    await send(raw("twin", valid));
    for (const { label, requirement, condition = "malformed-json", headers, text } of probes) {
      const intent = violates(requirement, condition);
      const { status } = await send({ ...raw(label, text(valid), intent), headers: headers ?? {} });
      // Refused for its framing, perhaps: with a length it can only be the body.
      if (headers !== undefined && status !== 400) await send(raw(`${label}-with-length`, text(valid), intent));
    }
  },
};
