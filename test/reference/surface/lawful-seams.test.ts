import { expect, it } from "vitest";
import { lawfulEngineSeams } from "../../../src/reference/engine/engine-seams.ts";
import { lawfulHttpSeams } from "../../../src/reference/http/http-seams.ts";
import type { Seams } from "../../../src/reference/seams.ts";
import { startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { workingDayMs } from "../../make/working-day.ts";
import { ask, chatBody, type Ask } from "./service-client.ts";
import { keep } from "../../make/keep.ts";

const chat = "/v1/chat/completions";
const usage = "/v1/usage?from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00Z";
const requests: readonly (readonly [path: string, options: Ask])[] = [
  [chat, { body: chatBody() }],
  [chat, { body: chatBody({ stream: true }) }],
  [chat, { body: chatBody({ temperature: 9 }) }],
  [chat, { body: "{" }],
  ["/v1/embeddings", { body: { model: "reference-embedding", input: ["a", "b"] } }],
  ["/v1/images/generations", { body: { prompt: "a lighthouse" } }],
  ["/v1/models", {}],
  ["/v1/models", { key: null }],
  ["/v1/models", { key: "noCredit" }],
  ["/v1/account", { key: "admin", method: "PATCH", body: { account_spend_cap: 1000 } }],
  ["/v1/account", { key: "readOnly", method: "PATCH", body: {} }],
  ["/v1/keys", { key: "admin", body: {} }],
  ["/v1/nope", {}],
  [chat, { key: "exhausted", body: chatBody() }],
  ...Array.from({ length: 6 }, () => ["/v1/models", { key: "lowLimit" }] as const),
  [usage, {}],
];

/** Everything that a service answers to the requests, in turn. */
async function transcript(options: {
  readonly seams?: Seams;
  readonly mutants?: readonly string[];
}): Promise<readonly unknown[]> {
  const service = keep(await startReferenceService({ clock: { kind: "manual", startMs: workingDayMs }, ...options }));
  const answers: unknown[] = [];
  for (const [path, asked] of requests) {
    const { status, rawHeaders, text } = await ask(service, path, asked);
    answers.push([path, status, rawHeaders, text.replaceAll(service.url, "")]);
  }
  return answers;
}

it("answers by its lawful seams alone as it does with patches of which none is on", async () => {
  const lawful = await transcript({ seams: { engine: lawfulEngineSeams, http: lawfulHttpSeams } });
  expect(await transcript({})).toEqual(lawful);
  // The comparison shows a defect.
  expect(await transcript({ mutants: ["op/header/models/x-ratelimit-limit-requests/missing"] })).not.toEqual(lawful);
});
