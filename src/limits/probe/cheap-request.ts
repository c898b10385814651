import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { SendBody } from "../../core/exchange/send-request.ts";
import type { Manifest } from "../../core/manifest.ts";
import { waveFile } from "../../core/exchange/bodies/wave-file.ts";

/** Silence of a tenth of a second. */
const silence = { samplesPerSecond: 8000, bits: 8, samples: 800, sampleAt: () => 128 } as const;

/** The cheapest body that an endpoint serves; null: it takes none, or the manifest names no model for it. */
export function cheapBody(endpoint: EndpointId, { models }: Pick<Manifest, "models">, streamed = false): SendBody | null {
  switch (endpoint) {
    case "chat": {
      if (models.chat === null) return null;
      const value = { model: models.chat, messages: [{ role: "user", content: "Say one word." }], max_tokens: 4 };
      return { kind: "json", value: streamed ? { ...value, stream: true } : value };
    }
    case "embeddings":
      return models.embedding === null ? null : { kind: "json", value: { model: models.embedding, input: "one" } };
    case "transcriptions": {
      if (models.transcription === null) return null;
      const parts = [
        { name: "model", value: models.transcription },
        { name: "file", value: waveFile(silence), filename: "silence.wav", contentType: "audio/wav" },
      ];
      return { kind: "multipart", parts };
    }
    case "models":
    case "usage":
    case "images":
    case "key-settings":
    case "account-settings":
    case "agents":
    case "workspaces":
    case "verify":
      return null;
    default:
      return endpoint satisfies never;
  }
}
