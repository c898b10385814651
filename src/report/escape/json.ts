import { visibleJson } from "../../core/exchange/bodies/visible-json.ts";

/** JSON of the same value that no terminal or editor acts on, and that cannot end a script in HTML either. */
export function safeJson(value: unknown, indent = 0): string {
  return visibleJson(value, indent).replaceAll("<", "\\u003c");
}
