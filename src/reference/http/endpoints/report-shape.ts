import type { UsageQuery, UsageReport } from "../../engine/usage/usage-report.ts";

type Query = Readonly<Record<string, unknown>>;

export interface AskedReport {
  readonly granularity: UsageQuery["granularity"];
  /** Id of the key that asks. */
  readonly keyId: string;
}

/** GET /v1/usage: its query before it is validated, and the report as it is written; its sums are the engine's business. */
export interface ReportShape {
  readonly query: (query: Query, nowMs: number) => Query;
  readonly report: (report: UsageReport, asked: AskedReport) => unknown;
}

export const lawfulReportShape: ReportShape = {
  query: (query) => query,
  report: (report) => report,
};
