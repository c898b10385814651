import type { Manifest } from "../../core/manifest.ts";
import type { Blocker } from "./blocker.ts";
import type { LoadProfile } from "./load-profile.ts";
import type { WorkloadItem } from "./workload-item.ts";
import { loadKeyName } from "./load-key-name.ts";

/** Everything that the manifest lacks for a workload. */
export function workloadBlockers(
  { workload, key }: Pick<LoadProfile, "workload" | "key">,
  manifest: Manifest,
): readonly Blocker[] {
  const keyName = loadKeyName(key, manifest);
  return workload.flatMap((item) => missingFor(item, manifest, keyName));
}

function missingFor(item: WorkloadItem, { models, keys, permissions, restore }: Manifest, key: string): readonly Blocker[] {
  switch (item.endpoint) {
    case "chat":
      return models.chat === null && item.model === null ? [{ code: "no-model", model: "chat" }] : [];
    case "embeddings":
      return models.embedding === null && item.model === null ? [{ code: "no-model", model: "embedding" }] : [];
    case "transcriptions":
      return models.transcription === null ? [{ code: "no-model", model: "transcription" }] : [];
    case "key-settings": {
      const found: Blocker[] = [];
      if (!permissions.patchSettings) found.push({ code: "not-permitted", need: "patchSettings" });
      if ((keys[key]?.id ?? null) === null) found.push({ code: "no-key-id", key });
      if (restore.keys[key] === undefined) found.push({ code: "no-restore", key });
      return found;
    }
    case "images":
    case "models":
    case "usage":
      return [];
    default:
      return item satisfies never;
  }
}
