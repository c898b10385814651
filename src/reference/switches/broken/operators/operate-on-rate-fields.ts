import type { RateHeaders } from "../../../engine/admission.ts";
import type { SeenCall } from "../../../http/seen-call.ts";
import type { ActiveOperators } from "./active-operators.ts";

/** The fields that show the limits. */
export function operateOnRateFields(active: ActiveOperators, call: SeenCall, rate: RateHeaders): RateHeaders {
  let fields: Readonly<Record<string, string>> = rate;
  for (const operator of active(call)) {
    if (operator.kind !== "header") continue;
    const { [operator.header]: value, ...rest } = fields;
    if (value === undefined || operator.defect === "missing") fields = rest;
    else fields = { ...rest, [operator.header]: distorted[operator.defect](value, call.service.engine.clock.wallMs()) };
  }
  return fields;
}

const distorted = {
  negative: (value: string): string => `-${value}`,
  text: (): string => "many",
  fraction: (value: string): string => `${value}.5`,
  empty: (): string => "",
  delay: (value: string, nowMs: number): string => String(Math.max(0, Math.ceil(Number(value) - nowMs / 1000))),
  milliseconds: (value: string): string => String(1000 * Number(value)),
  past: (_value: string, nowMs: number): string => String(Math.floor(nowMs / 1000) - 120),
} as const;
