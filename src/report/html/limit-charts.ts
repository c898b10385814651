import type { LimitPolicyResult } from "../../core/limits-result.ts";
import { nothing, type SafeHtml } from "./safe-html.ts";

export function renderLimitCharts(_policy: LimitPolicyResult): SafeHtml {
  return nothing;
}
