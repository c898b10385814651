import type { Exchange } from "../../core/exchange/exchange.ts";
import { profileLabels } from "../../core/result/profile-labels.ts";
import type { Result } from "../../core/result/result.ts";
import { safeJson } from "../escape/json.ts";

/** `result.json`: the whole result; parses back to the same value. */
export function renderJson(result: Result): string {
  return `${safeJson(result, 2)}\n`;
}

/** One line for the run, then one for each finding and each cited exchange; `type` distinguishes them. */
export function renderNdjson(result: Result, evidence: readonly Exchange[]): string {
  const { findings, conformance, limits, load, ...run } = result;
  const lines: unknown[] = [
    { type: "run", ...run },
    ...(conformance?.requirements ?? []).map((requirement) => ({ type: "requirement", ...requirement })),
    ...(limits?.policies ?? []).flatMap((policy) =>
      policy.checks.map((check) => ({ type: "limit-check", policy: policy.id, ...check })),
    ),
    ...(load?.profiles ?? []).flatMap((profile) =>
      profile.gates.map((gate) => ({ type: "gate", ...profileLabels(profile), ...gate })),
    ),
    ...findings.map((finding) => ({ type: "finding", ...finding })),
    ...evidence.map((exchange) => ({ type: "exchange", ...exchange })),
  ];
  return lines.map((line) => `${safeJson(line)}\n`).join("");
}
