import type { HttpSeams } from "../../../http/http-seams.ts";
import type { Operator } from "./operators.ts";
import { createActiveOperators } from "./active-operators.ts";
import type { Crowd } from "./crowd.ts";
import { operateOnCallers } from "./operate-on-callers.ts";
import { operateOnErrors } from "./operate-on-errors.ts";
import { operateOnOperations } from "./operate-on-operations.ts";
import { operateOnSettings } from "./operate-on-settings.ts";
import { operateOnValue } from "./operate-on-value.ts";

/** The seams with the defects of operators, over what switches have changed already. */
export function operateHttp(seams: HttpSeams, operators: () => readonly Operator[]): HttpSeams {
  const active = createActiveOperators(operators);
  const crowd: Crowd = { count: 0, refusedAtMs: Number.NEGATIVE_INFINITY };
  return {
    ...seams,
    callers: operateOnCallers(seams.callers, operators),
    errors: operateOnErrors(seams.errors, active, crowd),
    operations: operateOnOperations(seams.operations, active, crowd),
    reading: { ...seams.reading, value: (value, call) => operateOnValue(active, call, seams.reading.value(value, call)) },
    settings: operateOnSettings(seams.settings, active, crowd),
  };
}
