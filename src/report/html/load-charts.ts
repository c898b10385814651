import type { LoadProfileResult } from "../../core/load-result.ts";
import { nothing, type SafeHtml } from "./safe-html.ts";

export function renderLoadCharts(_profile: LoadProfileResult): SafeHtml {
  return nothing;
}
