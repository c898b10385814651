import { HarnessFault } from "./harness-fault.ts";

/** A judge yields on a requirement that it does not cover: wrong in our tables, whatever a target sends. */
export class StrayJudgeFault extends HarnessFault {}
