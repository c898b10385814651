import type { Manifest } from "../../core/manifest.ts";
import type { LoadProfile, WorkloadItem } from "./load-profile.ts";
import { loadKeyName } from "./load-key-name.ts";

/** Everything that the manifest lacks for a workload, each in a few words. */
export function workloadBlockers(
  { workload, key }: Pick<LoadProfile, "workload" | "key">,
  manifest: Manifest,
): readonly string[] {
  const keyName = loadKeyName(key, manifest);
  return [...new Set(workload.flatMap((item) => missingFor(item, manifest, keyName)))];
}

function missingFor(item: WorkloadItem, manifest: Manifest, keyName: string): readonly string[] {
  switch (item.endpoint) {
    case "chat":
      return manifest.models.chat === null ? ["no chat model in the manifest"] : [];
    case "embeddings":
      return manifest.models.embedding === null ? ["no embedding model in the manifest"] : [];
    case "transcriptions":
      return manifest.models.transcription === null ? ["no transcription model in the manifest"] : [];
    case "key-settings": {
      const problems: string[] = [];
      if (!manifest.permissions.patchSettings) problems.push("permissions.patchSettings is not granted");
      if ((manifest.keys[keyName]?.id ?? null) === null) problems.push(`keys.${keyName} has no id`);
      if (manifest.restore.keys[keyName] === undefined) problems.push(`restore.keys.${keyName} is not declared`);
      return problems;
    }
    case "images":
    case "models":
    case "usage":
      return [];
    default:
      return item satisfies never;
  }
}
