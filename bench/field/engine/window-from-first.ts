import type { FieldRules, FieldWindow } from "./field-rules.ts";

/** A window that this instant begins, whatever the clock says. */
export const newWindow = (nowMs: number, windowMs: number): FieldWindow => ({
  startMs: nowMs,
  endMs: nowMs + windowMs,
  count: 0,
  tokens: 0,
});

/** Windows that begin with the first request after the end of the one before. */
export const windowFromFirst: FieldRules["windowAt"] = (known, nowMs, windowMs) =>
  known !== undefined && nowMs < known.endMs ? known : newWindow(nowMs, windowMs);
