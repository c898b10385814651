import { allCases, thoroughCases } from "../../suites/all-cases.ts";
import type { Case } from "../conformance/plan/case.ts";
import type { RunOptions } from "./run-options.ts";

/** The conformance cases that a run chooses from. */
export function casesOfRun({ thorough = false }: Pick<RunOptions, "thorough">): readonly Case[] {
  return thorough ? thoroughCases() : allCases;
}
