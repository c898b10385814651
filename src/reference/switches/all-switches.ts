import { allMutants } from "./broken/all-mutants.ts";
import { allVariants } from "./lawful/all-variants.ts";
import type { Switch } from "./switch.ts";

/** Every variant and mutant of the reference service. */
export const allSwitches: readonly Switch[] = [...allVariants, ...allMutants];
