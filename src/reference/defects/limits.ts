import { limitCountingMutants } from "./limit-counting.ts";
import { limitHintMutants } from "./limit-hints.ts";
import { limitRemainingMutants } from "./limit-remaining.ts";
import { limitScopeMutants } from "./limit-scope.ts";
import { limitVariants } from "./limit-variants.ts";
import { limitWindowMutants } from "./limit-windows.ts";
import type { Switch } from "./switch.ts";

export const limitSwitches: readonly Switch[] = [
  ...limitVariants,
  ...limitCountingMutants,
  ...limitWindowMutants,
  ...limitRemainingMutants,
  ...limitHintMutants,
  ...limitScopeMutants,
];
