import type { Judge } from "../../judging/judge.ts";
import { pathAccess } from "./path-access.ts";
import { scopeRefusals } from "./scope-refusals.ts";

export const scopeJudges: readonly Judge[] = [scopeRefusals, pathAccess];
