import type { Reporter } from "vitest/node";
import { testSeed } from "./sample.ts";
import { testDay } from "./switch-share.ts";

/** Prints by which seeds a run draws, before it begins: with them it can be run again. */
export class StatedSample implements Reporter {
  onTestRunStart(): void {
    process.stdout.write(`\n Samples: ASSAY_TEST_DAY=${testDay} ASSAY_TEST_SEED=${testSeed}\n`);
  }
}
