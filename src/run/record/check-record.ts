import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import type { SchemaProblem } from "../../core/schema-problem.ts";
import { type MemberForm, runHeaderForms } from "../../core/result/run-header.ts";
import { compileSchema } from "../../schemas/validator.ts";
import type { RunRecord } from "./run-record.ts";
import { unjudgedResult } from "./unjudged-result.ts";

/** Every member, so that a new one cannot be forgotten here. */
const forms: Readonly<Record<keyof RunRecord, MemberForm>> = {
  ...runHeaderForms,
  stages: "array",
  suites: "array",
  rows: "array or null",
  checks: "array or absent",
  expected: "object or null",
  interrupted: "string or null",
  internalError: "string or null",
  invalidBecause: "array",
  server: "string or null",
  variants: "array",
  mutants: "array",
  manifest: "object",
  untested: "array",
  limitsNotJudged: "array",
  spent: "object",
  health: "object",
  notes: "array",
  heads: "object",
  witness: "array",
  seal: "string",
};

const recordVersion: RunRecord["schemaVersion"] = "1.0";
/**
 * Whether the content of a run.json is what this version writes; else what is wrong with it, as a place and a few words. A
 * schema checks the members that judging reads, and the schema of results those that go into the result.
 */
export function checkRecord(value: unknown): { readonly record: RunRecord } | { readonly problem: string } {
  if (!isJsonObject(value)) return { problem: "it holds no JSON object" };
  for (const [member, form] of Object.entries(forms)) {
    if (!(member in value)) {
      if (form.endsWith(" or absent")) continue;
      return { problem: `it lacks "${member}"` };
    }
    if (!form.split(" or ").includes(formOf(value[member]))) return { problem: `"${member}" is no ${form}` };
  }
  if (value["schemaVersion"] !== recordVersion) return { problem: `it is of version ${JSON.stringify(value["schemaVersion"])}` };
  const unknown = Object.keys(value).find((member) => !(member in forms));
  if (unknown !== undefined) return { problem: `"${unknown}" is not known` };
  const record = value as unknown as RunRecord;
  const [fault] = [...compileSchema("record.schema")(value), ...ofResult(record)];
  return fault === undefined ? { record } : { problem: `${fault.pointer || "/"} ${fault.message}` };
}

function ofResult(record: RunRecord): readonly SchemaProblem[] {
  try {
    return compileSchema("result.schema")(unjudgedResult(record));
  } catch {
    // It lacks members, which is reported already.
    return [];
  }
}

function formOf(value: unknown): MemberForm | "null" | "undefined" {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" || type === "object" ? type : "undefined";
}
