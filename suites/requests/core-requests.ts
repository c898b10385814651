import type { CaseRequest } from "../../src/conformance/plan/case.ts";
import type { SpecifiedEndpoint } from "../../src/core/exchange/endpoint.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { audioPart } from "./audio-fixtures.ts";
import { chatMembers } from "./chat-request.ts";

/** A key id that no target can have. */
const unknownKeyId = "assay-no-such-key";

/** A harmless request to each operation: complete and valid, but for the two that change settings, which change nothing. */
export function plainRequest(endpoint: SpecifiedEndpoint, manifest: Manifest, wallMs: number): Omit<CaseRequest, "label"> {
  const { models, keys } = manifest;
  switch (endpoint) {
    case "chat":
      return { endpoint, body: { kind: "json", value: chatMembers(manifest) } };
    case "embeddings":
      return { endpoint, body: { kind: "json", value: { model: models.embedding ?? "any", input: "hello" } } };
    case "images":
      return { endpoint, body: { kind: "json", value: { prompt: "a red circle" } } };
    case "transcriptions":
      return {
        endpoint,
        body: { kind: "multipart", parts: [audioPart("wav"), { name: "model", value: models.transcription ?? "any" }] },
      };
    case "models":
      return { endpoint };
    case "usage":
      return { endpoint, path: lastHour(wallMs) };
    case "key-settings":
      return {
        endpoint,
        path: `/v1/keys/${encodeURIComponent(keys["primary"]?.id ?? unknownKeyId)}`,
        body: { kind: "json", value: {} },
      };
    case "account-settings":
      return { endpoint, body: { kind: "json", value: {} } };
    default:
      return endpoint satisfies never;
  }
}

/** The path that asks for the usage of the hour before now. */
export function lastHour(wallMs: number): string {
  const [from, to] = [new Date(wallMs - 3_600_000).toISOString(), new Date(wallMs).toISOString()];
  return `/v1/usage?${new URLSearchParams({ from, to }).toString()}`;
}
