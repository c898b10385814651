import type { Manifest } from "../../core/manifest.ts";
import type { WorkloadItem } from "../profile/workload-item.ts";

export function embeddingsBody(
  item: Extract<WorkloadItem, { endpoint: "embeddings" }>,
  { models }: Pick<Manifest, "models">,
  input: string | readonly string[],
): object {
  return { ...item.body, model: item.model ?? models.embedding, input, encoding_format: item.encodingFormat };
}
