import { createHash } from "node:crypto";
import type { Exchange } from "../core/exchange/exchange.ts";
import type { Manifest } from "../core/manifest.ts";
import { visibleJson } from "../core/exchange/visible-json.ts";

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
  readonly manifest: Manifest;
}

/** Last line of a log that was closed in order. */
export interface EvidenceEnd {
  readonly kind: "end";
  readonly exchanges: number;
  readonly interrupted: boolean;
}

/** The text of a line, chained to the line before by its digest; what an editor or terminal would act on is escaped. */
export function formatLine(content: EvidenceHeader | EvidenceEnd | Exchange, prev: string | null): string {
  return `${visibleJson(content).slice(0, -1)},"prev":${JSON.stringify(prev)}}`;
}

/** SHA-256 of a line without its line feed, hexadecimal. */
export function digestLine(line: string | Buffer): string {
  return createHash("sha256").update(line).digest("hex");
}
