import { showInvisible } from "./visible.ts";

/** Label value of the Prometheus text format: backslash, quote and line feed are escaped. */
export function prometheusLabel(text: string): string {
  return showInvisible(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"');
}
