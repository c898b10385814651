import { expect, it } from "vitest";
import { completeManifest } from "../../../src/config/complete-manifest.ts";
import { discoverModels } from "../../../src/run/stages/discover-models.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";

const manifest = completeManifest({ target: { name: "t", baseUrl: "http://127.0.0.1:1" }, keys: {}, permissions: {} });

function chosen(ids: readonly string[], features: Readonly<Record<string, boolean>> = {}): object {
  const answer = makeExchange({ endpoint: "models", received: { data: ids.map((id) => ({ id })) } });
  return discoverModels({ ...manifest, features }, answer).manifest.models;
}

it.each([
  [["gpt-4o", "text-embedding-3-small", "whisper-1"], "gpt-4o", "text-embedding-3-small", "whisper-1"],
  [["bge-m3", "qwen3", "parakeet-tdt"], "qwen3", "bge-m3", "parakeet-tdt"],
  [["org/e5-large", "stt-1", "org/llama"], "org/llama", "org/e5-large", "stt-1"],
  // A second model for embeddings is none for chat.
  [["embed-a", "embed-b"], null, "embed-a", null],
  [["gemma3e5x", "astteroid"], "gemma3e5x", null, null],
])("chooses from %j by the names of families", (ids, chat, embedding, transcription) => {
  expect(chosen(ids)).toEqual({ chat, embedding, transcription });
});

it("chooses none for an operation that is declared absent", () => {
  const ids = ["llama", "bge-m3", "whisper-1"];
  expect(chosen(ids, { embeddings: false, transcriptions: false })).toEqual({
    chat: "llama",
    embedding: null,
    transcription: null,
  });
});

it("chooses from the beginning of a list that was too long to be kept", () => {
  const entry = (id: string): string => JSON.stringify({ id, permission: [{ id: "p", of: [{}] }, {}], note: "]}" });
  const begun = `{"object":"list","data":[${["text-embed", "llama", "whisper"].map(entry).join(",")},{"id":"cut","permission":[{`;
  const body = { bytes: 9e6, sha256: "", text: begun, truncated: true, unread: { cause: "length", malformed: null } } as const;
  const { response, ...rest } = makeExchange({ endpoint: "models" });
  const answer = { ...rest, response: { ...response!, body } };
  const { models } = discoverModels(manifest, answer).manifest;
  expect(models).toEqual({ chat: "llama", embedding: "text-embed", transcription: "whisper" });
  const hostile = { ...answer, response: { ...response!, body: { ...body, text: "}".repeat(1e6) } } };
  expect(discoverModels(manifest, hostile).manifest.models.chat).toBeNull();
});
