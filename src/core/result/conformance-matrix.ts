import type { EndpointId } from "../exchange/endpoint.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Verdict } from "./verdict.ts";

export const matrixConditions = [
  "success",
  "stream",
  "401",
  "402",
  "403",
  "404",
  "422",
  "429",
  "500",
  "502",
  "503",
  "other",
] as const;
export type MatrixCondition = (typeof matrixConditions)[number];

/** The verdict on one endpoint under one condition. */
export interface MatrixCell {
  readonly endpoint: EndpointId;
  readonly condition: MatrixCondition;
  readonly verdict: Extract<Verdict, "pass" | "fail" | "advisory" | "observed" | "inconclusive">;
  readonly exchanges: number;
  /** Requirements that were judged on these exchanges, and those among them that are violated or advisory. */
  readonly requirements: number;
  readonly violated: readonly string[];
}

/** One outcome of a judge on its subject. */
export interface MatrixEntry {
  readonly subject: Exchange;
  readonly requirement: string;
  readonly outcome: MatrixCell["verdict"];
}

const severity: readonly MatrixCell["verdict"][] = ["fail", "advisory", "inconclusive", "pass", "observed"];

/** Folds outcomes into cells, in the order of first appearance. The worst outcome names the cell. */
export function buildMatrix(entries: Iterable<MatrixEntry>): readonly MatrixCell[] {
  const cells = new Map<
    string,
    {
      endpoint: EndpointId;
      condition: MatrixCondition;
      worst: number;
      seqs: Set<number>;
      judged: Set<string>;
      violated: Set<string>;
    }
  >();
  for (const { subject, requirement, outcome } of entries) {
    if (subject.endpoint === null) continue;
    const condition = conditionOf(subject);
    const name = `${subject.endpoint} ${condition}`;
    const cell = cells.get(name) ?? {
      endpoint: subject.endpoint,
      condition,
      worst: severity.length - 1,
      seqs: new Set(),
      judged: new Set(),
      violated: new Set(),
    };
    cells.set(name, cell);
    cell.worst = Math.min(cell.worst, severity.indexOf(outcome));
    cell.seqs.add(subject.seq);
    cell.judged.add(requirement);
    if (outcome === "fail" || outcome === "advisory") cell.violated.add(requirement);
  }
  return [...cells.values()].map(({ endpoint, condition, worst, seqs, judged, violated }) => ({
    endpoint,
    condition,
    verdict: severity[worst] ?? "observed",
    exchanges: seqs.size,
    requirements: judged.size,
    violated: [...violated].sort(),
  }));
}

/** The answer that was seen, not the one that was wanted: a 200 where 422 was due shows as a violated success. */
export function conditionOf(exchange: Exchange): MatrixCondition {
  const status = exchange.response?.status ?? null;
  if (status === null) return "other";
  if (status >= 200 && status < 300) return exchange.response?.stream === null ? "success" : "stream";
  return matrixConditions.find((condition) => condition === String(status)) ?? "other";
}
