import type { UsageReport } from "../../engine/usage/usage-report.ts";

type Query = Readonly<Record<string, unknown>>;

/** GET /v1/usage: its query before it is validated, and the report as it is written; its sums are the engine's business. */
export interface ReportShape {
  readonly query: (query: Query, nowMs: number) => Query;
  readonly report: (report: UsageReport) => unknown;
}

export const lawfulReportShape: ReportShape = {
  query: (query) => query,
  report: (report) => report,
};
