import type { RedactedManifest } from "../core/manifest.ts";

/** First line of `evidence.ndjson`: everything beside the exchanges that judging needs. */
export interface EvidenceHeader {
  readonly kind: "header";
  readonly schemaVersion: "1.0";
  readonly runId: string;
  readonly tool: { readonly name: "assay"; readonly version: string };
  readonly specSha256: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly seed: number;
  readonly strict: boolean;
  readonly command: readonly string[];
  /** Without secrets. */
  readonly manifest: RedactedManifest;
}

/** Last line of a log that was closed in order. */
export interface EvidenceEnd {
  readonly kind: "end";
  readonly exchanges: number;
  readonly interrupted: boolean;
}
