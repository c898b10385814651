import { limitCountingMutants } from "./limit-counting.ts";
import { limitHintMutants } from "./limit-hints.ts";
import { limitRemainingMutants } from "./limit-remaining.ts";
import { limitScopeMutants } from "./limit-scope.ts";
import { limitWindowMutants } from "./limit-windows.ts";
import type { Mutant } from "../switch.ts";

export const limitMutants: readonly Mutant[] = [
  ...limitCountingMutants,
  ...limitWindowMutants,
  ...limitRemainingMutants,
  ...limitHintMutants,
  ...limitScopeMutants,
];
