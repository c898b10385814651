import type { ManifestFacts } from "../../core/manifest.ts";
import type { ProbeFile } from "./file/profile-file.ts";

/** A second key that asks a little while the load runs; `probe` means `secondary` where the manifest has no key of that name. */
export type ProbePolicy = Required<ProbeFile>;

export const defaultProbe: ProbePolicy = { key: "probe", everySeconds: 2, ask: ["models", "chat", "chat-stream", "error"] };

/** Requests of one profile; a long one is asked more seldom. */
export const mostProbes = 1000;

export function probeKeyName(wanted: string, manifest: Pick<ManifestFacts, "keys">): string {
  return wanted === "probe" && manifest.keys[wanted] === undefined ? "secondary" : wanted;
}
