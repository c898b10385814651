import type { EndpointId } from "../../core/exchange/endpoint.ts";
import { isOperationDeclared } from "../../core/is-operation-declared.ts";
import type { Manifest } from "../../core/manifest.ts";
import { parseBoundedJson } from "../../core/exchange/bodies/bounded-json.ts";
import type { Exchange, RecordedBody } from "../../core/exchange/exchange.ts";
import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";

export interface DiscoveredModels {
  readonly manifest: Manifest;
  readonly notes: readonly string[];
}

/**
 * Chooses models from the answer to GET /v1/models where the manifest names none, so that `--base-url` alone is enough to begin
 * with. Names are only a hint at what a model does: the choice is noted, and a manifest overrules it. A model that is not
 * listed stays undeclared.
 */
export function discoverModels(manifest: Manifest, { response }: Pick<Exchange, "response">): DiscoveredModels {
  const { models } = manifest;
  if (models.chat !== null && models.embedding !== null && models.transcription !== null) return { manifest, notes: [] };
  const ids = readModelIds(response?.body);
  const find = (operation: EndpointId, name: RegExp): string | null =>
    isOperationDeclared(operation, manifest) ? (ids.find((id) => name.test(id)) ?? null) : null;
  const embedding = models.embedding ?? find("embeddings", embeddingName);
  const transcription = models.transcription ?? find("transcriptions", transcriptionName);
  const isOther = (id: string): boolean => embeddingName.test(id) || transcriptionName.test(id) || otherName.test(id);
  const chat = models.chat ?? ids.find((id) => id !== embedding && id !== transcription && !isOther(id)) ?? null;
  const chosen = { chat, embedding, transcription };
  const names = Object.entries(chosen).filter(([use, id]) => id !== null && models[use as keyof typeof models] === null);
  const missing = Object.entries(chosen)
    .filter(([, id]) => id === null)
    .map(([use]) => use);
  return {
    manifest: { ...manifest, models: chosen },
    notes: [
      ...(names.length > 0 ? [`models chosen from GET /v1/models: ${names.map(([use, id]) => `${use} ${id}`).join(", ")}`] : []),
      ...(missing.length > 0
        ? [`no model for ${missing.join(", ")}: name one in the manifest to have those endpoints judged`]
        : []),
    ],
  };
}

/** Names that families of models go by; words of a name end at a character that is no letter. */
const embeddingName = /embed|(^|[^a-z])(bge|gte|e5|minilm)(?![a-z])/i;
const transcriptionName = /whisper|transcri|speech|parakeet|canary|(^|[^a-z])(stt|asr|scribe)(?![a-z])/i;
const otherName = /image|dall|tts|rerank|moderat/i;

/** At most as many as a sane list has; ids of a hostile list are cut. */
function readModelIds(body: RecordedBody | null | undefined): readonly string[] {
  const text = body?.text ?? "null";
  const list = body?.truncated === true ? readFirstEntries(text.slice(0, begunCharacters)) : readEntries(text);
  if (!Array.isArray(list)) return [];
  return list.slice(0, 1000).flatMap((item: unknown) => {
    const id = isJsonObject(item) ? item["id"] : null;
    return typeof id === "string" && id !== "" && id.length <= 200 ? [id] : [];
  });
}

function readEntries(text: string): unknown {
  const json = parseBoundedJson(text);
  return json.ok && isJsonObject(json.value) ? json.value["data"] : null;
}

/** So much is read of a list that is too long to be kept. */
const begunCharacters = 262_144;
/** An entry may hold lists of objects, whose ends look like its own. */
const mostEnds = 64;

/** The entries of a list of which the end is not here. */
function readFirstEntries(begun: string): unknown {
  let end = begun.lastIndexOf("}");
  for (let tries = 0; tries < mostEnds && end > 0; tries += 1) {
    const list = readEntries(`${begun.slice(0, end + 1)}]}`);
    if (list !== null) return list;
    end = begun.lastIndexOf("}", end - 1);
  }
  return null;
}
