/** A defect of assay itself, never of a target: the run ends with exit code 4 and says so. */
export class HarnessFault extends Error {
  override readonly name = "HarnessFault";
}

/** A judge yields on a requirement that it does not cover: wrong in our tables, whatever a target sends. */
export class StrayJudgeFault extends HarnessFault {}
