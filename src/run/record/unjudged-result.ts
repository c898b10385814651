import { pickRunHeader } from "../../core/result/run-header.ts";
import type { Result } from "../../core/result/result.ts";
import { exitCodes } from "../../core/result/verdict.ts";
import type { RunRecord } from "./run-record.ts";
import { specification } from "../specification.ts";

/** The facts in the record of a run, in a result that judges nothing yet. */
export function unjudgedResult(record: RunRecord): Result {
  const { target } = record.manifest;
  const { schemaVersion, runId, tool, ...header } = pickRunHeader(record);
  return {
    schemaVersion,
    runId,
    verdict: "invalid",
    reason: "",
    exitCode: exitCodes.invalid,
    target: { name: target.name, baseUrl: target.baseUrl, plan: target.plan, server: record.server },
    tool,
    spec: specification,
    ...header,
    interrupted: record.interrupted !== null,
    spent: record.spent,
    health: { valid: true, reasons: [], ...record.health },
    scope: null,
    conformance: null,
    limits: null,
    load: null,
    passive: { responsesSeen: 0, responsesJudged: 0, account: [], violations: [] },
    findings: [],
    notes: record.notes,
  };
}
