import type { Judge } from "../../judging/judge.ts";
import { likeCosts } from "./like-costs.ts";
import { refusedUsage } from "./refused-usage.ts";
import { usageAcceptance } from "./usage-acceptance.ts";
import { usageBuckets } from "./usage-buckets.ts";
import { usageReconciliation } from "./usage-reconciliation.ts";
import { usageReportShape } from "./usage-report-shape.ts";
import { usageSums } from "./usage-sums.ts";
import { usageWindows } from "./usage-windows.ts";

export const usageJudges: readonly Judge[] = [
  usageAcceptance,
  usageReportShape,
  usageBuckets,
  usageSums,
  usageWindows,
  usageReconciliation,
  refusedUsage,
  likeCosts,
];
