import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { describeType, isJsonObject, type JsonValue, showValue } from "../../judging/json-value.ts";
import { isComplete, isKnownRoute, violationOf } from "../../judging/subjects.ts";

/** Section "Errors": a validation failure lists each failing field with its expected format (AMB-39). */
export const validationDetails: ExchangeJudge = {
  scope: "exchange",
  id: "validation-details",
  covers: ["ERR-005", "ERR-006", "ERR-007", "ERR-008", "ERR-009"],
  concerns: ({ status }) => status === 422,
  judge(exchange, outcomes) {
    if (!isComplete(exchange) || !isKnownRoute(exchange)) return;
    const error = exchange.responseObject?.["error"];
    const details = isJsonObject(error) ? error["details"] : undefined;
    if (exchange.obstacle?.isFault === false) return;
    if (!Array.isArray(details)) {
      outcomes.fail("ERR-005", {
        kind: details === undefined ? "a 0 without error.details" : `error.details of a 0 is ${describeType(details)}`,
        message: details === undefined ? "a 422 without error.details" : `error.details of a 422 is ${describeType(details)}`,
        expected: "error.details as an array of failing fields",
        observed: showValue(error),
      });
      return;
    }
    outcomes.pass("ERR-005");
    const entries = details as readonly JsonValue[];
    if (!isBrokenAsAWhole(exchange)) judgeEntries(exchange, entries, outcomes);
    else {
      outcomes.observed("ERR-009", () =>
        entries.length === 0 ? "an empty list" : `${entries.length} entries: ${showValue(entries[0])}`,
      );
    }
  },
};

/** No member is at fault that the details could name. */
function isBrokenAsAWhole(exchange: ExchangeFacts): boolean {
  const violation = violationOf(exchange);
  if (violation?.condition === "wrong-type") return violation.field === undefined && violation.fields === undefined;
  return violation?.condition === "malformed-json" || violation?.condition === "no-object";
}

function judgeEntries(exchange: ExchangeFacts, entries: readonly JsonValue[], outcomes: Outcomes): void {
  const violation = violationOf(exchange);
  const wanted = [violation?.field, ...(violation?.fields ?? [])].filter((field) => field !== undefined);
  for (const field of wanted) {
    outcomes.passOrFail(
      "ERR-006",
      entries.some((entry) => namesField(entry, field)),
      () => ({
        field,
        kind: "error.details does not name the failing field *",
        message: `error.details does not name the failing field ${field}`,
        expected: `an entry that names ${field}`,
        observed: showValue(entries),
      }),
    );
  }
  for (const entry of entries) {
    outcomes.passOrFail("ERR-007", saysFormat(entry, wanted), () => ({
      kind: "an entry of error.details names a field but not what is expected of it",
      expected: "the name of the field and the expected format",
      observed: showValue(entry),
    }));
  }
  const [first] = entries;
  if (first === undefined) return;
  outcomes.observed("ERR-008", () =>
    isJsonObject(first) ? `entries with ${Object.keys(first).sort().join(", ")}` : `entries that are ${describeType(first)}`,
  );
}

/** The last name of the path as a whole word anywhere in the entry: shapes of entries are not specified. */
export function namesField(entry: JsonValue, field: string): boolean {
  const name = field.split(".").findLast((part) => !/^\d+$/.test(part)) ?? field;
  const escaped = name.replaceAll(/[^A-Za-z0-9_]/g, String.raw`\$&`);
  return new RegExp(`(?<![A-Za-z0-9_])${escaped}(?![A-Za-z0-9_])`).test(JSON.stringify(entry));
}

/**
 * At least two pieces of text or structure, one text that is more than a name, or a name with what belongs to it: a member
 * named like the field (`{ "temperature": "0 to 2" }`), a pair (`["temperature", "0 to 2"]`).
 */
function saysFormat(entry: JsonValue, wanted: readonly string[]): boolean {
  if (typeof entry === "string") return /\s/.test(entry.trim());
  const said = Object.entries(entry ?? {}).filter(([, value]) =>
    typeof value === "string" ? value.trim() !== "" : Object.keys((value as JsonValue) ?? {}).length > 0,
  );
  if (said.length >= 2 || !isJsonObject(entry)) return said.length >= 2;
  return said.some(([name, value]) => !labels.has(name) && !isMereName(value as JsonValue, wanted));
}

/** The path of a failing field and nothing else, whatever the member is called that holds it. */
function isMereName(value: JsonValue, wanted: readonly string[]): boolean {
  return typeof value === "string" && !/\s/.test(value.trim()) && wanted.some((field) => namesField(value, field));
}

/** Usual names of the member that holds the name of a field: alone they say nothing about its format. */
const labels: ReadonlySet<string> = new Set([
  "field",
  "param",
  "parameter",
  "path",
  "loc",
  "name",
  "property",
  "pointer",
  "instancePath",
  "key",
  "attribute",
  "source",
]);
