import type { SuiteId } from "../../../src/core/result/requirement.ts";
import type { ForeignDefect } from "./defects.ts";

const suitesByArea: Readonly<Record<string, readonly SuiteId[]>> = {
  auth: ["core", "scopes", "faults", "stream"],
  pay: ["faults"],
  chat: ["core", "chat", "stream"],
  stream: ["chat", "stream", "core"],
  vectors: ["core", "embeddings"],
  images: ["images"],
  audio: ["audio"],
  models: ["models", "core"],
  usage: ["usage"],
  rate: ["core", "chat", "models", "settings"],
  limit: ["limits"],
  cap: ["spend", "faults"],
  settings: ["settings", "scopes"],
  fault: ["faults"],
};

/** The suites in which a defect of its area has to show; empty: all. */
export function suitesOf({ id }: ForeignDefect): readonly SuiteId[] {
  return suitesByArea[id.split("/")[0] ?? ""] ?? [];
}

/** Behaviour that shows where a limit is reached, which the check alone does not do. */
const limitAreas =
  /^(?:blind\d+\/)?(?:lawful-)?(?:rate|stream-slots|limit|burst|cooldown|cap|ceiling|sliding-window|retry-after)\b/;

export function isOfLimits(id: string): boolean {
  return limitAreas.test(id);
}
