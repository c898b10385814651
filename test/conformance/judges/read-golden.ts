import { openJudgeContext } from "../../../src/run/judge-context.ts";
import { readFileSync } from "node:fs";
import type { JudgeContext } from "../../../src/conformance/judging/judge.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../../src/core/manifest.ts";

export interface Golden {
  readonly exchanges: readonly Exchange[];
  readonly context: JudgeContext;
}

/** The recorded run of `record-golden.ts`: a lawful service, and nothing but records. */
export function readGolden(): Golden {
  const [head, ...lines] = readFileSync(new URL("golden/exchanges.ndjson", import.meta.url), "utf8")
    .trim()
    .split("\n");
  // It was recorded when a manifest without known failures had no lists of them.
  const manifest = { baseline: [], waive: [], ...(JSON.parse(head ?? "") as object) } as unknown as Manifest;
  return {
    exchanges: lines.map((line) => JSON.parse(line) as Exchange),
    context: openJudgeContext(manifest),
  };
}

/** `200 chat`, `422 chat`, `200 chat stream`: one record stands for each kind of answer. */
export function kindOf({ endpoint, response, intent }: Exchange): string {
  const stream = response?.stream == null ? "" : " stream";
  const malformed = intent.kind === "violates" && intent.condition === "malformed-json" ? " malformed" : "";
  const probe = intent.kind === "valid" || intent.kind === "violates" ? "" : ` ${intent.kind}`;
  return `${response?.status ?? "none"} ${endpoint ?? "other"}${stream}${malformed}${probe}`;
}

export function firstOfEachKind(exchanges: readonly Exchange[]): ReadonlyMap<string, Exchange> {
  const kinds = new Map<string, Exchange>();
  for (const exchange of exchanges) if (!kinds.has(kindOf(exchange))) kinds.set(kindOf(exchange), exchange);
  return kinds;
}
