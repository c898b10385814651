import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { HarnessFault } from "./harness-fault.ts";
import type { ExchangeJudge, Outcomes, SchemaProblem } from "./judge.ts";
import { isJsonObject, type JsonValue, showValue } from "./json-value.ts";
import { showAnswer } from "./show-answer.ts";

/** Binds one place of a body to the requirement that owns it. */
export interface SchemaRule {
  readonly requirement: string;
  /** Path of the member with `*` for any array index: `/choices/*\/message/role`; the empty string is the body itself. */
  readonly path: string;
  /** Limits the rule to these schema keywords (`type`, `const`, `minItems` ...); absent: all that no other rule names. */
  readonly keywords?: readonly string[];
  readonly expected: string;
}

export interface SchemaJudgeOptions {
  readonly id: string;
  /** Operation whose successes it validates. */
  readonly endpoint: EndpointId;
  /** File name of the schema without extension; chosen by endpoint, status, encoding and stream, never by anyOf. */
  readonly schema: (exchange: ExchangeFacts) => string | null;
  readonly rules: readonly SchemaRule[];
  /** Requirement on the body as a whole: fails when it is another kind of value; its members have rows of their own. */
  readonly whole: string;
}

const mostRules = 31;

/**
 * A judge that validates one kind of body and gives each requirement its own verdict. A rule is considered only where its
 * member could exist: below a missing parent there is no subject. A problem that no rule owns is a fault of ours.
 */
export function createSchemaJudge(options: SchemaJudgeOptions): ExchangeJudge {
  const { rules } = options;
  // Each rule has one bit of a 32-bit number, the sign left out: bits past its end wrap round to those of other rules.
  if (rules.length > mostRules) throw new Error(`${options.id}: ${rules.length} rules, at most ${mostRules} have a bit`);
  const places = plantPaths(rules.map(({ path }, bit) => ({ parts: path.split("/").slice(1), bit })));
  return {
    scope: "exchange",
    id: options.id,
    aspect: "body",
    covers: [...new Set([options.whole, ...rules.map((rule) => rule.requirement)])],
    concerns: ({ endpoint, status }) => endpoint === options.endpoint && status < 300,
    judge(exchange, outcomes, context) {
      const schema = options.schema(exchange);
      const { responseJson: value } = exchange;
      if (schema === null) return;
      if (value === undefined) {
        sayUnread(options.whole, exchange, outcomes);
        return;
      }
      const problems = context.validate(schema, value);
      if (problems.length > 0) {
        judgeProblems(problems, value, { ...options, schemaName: schema, places }, outcomes);
        return;
      }
      const existing = markExisting(value, places);
      for (let bit = 0; bit < rules.length; bit += 1) {
        if ((existing & (1 << bit)) !== 0) outcomes.pass(rules[bit]?.requirement ?? "");
      }
      outcomes.pass(options.whole);
    },
  };
}

/** The body cannot be what it has to be where it cannot be read; what is in it has no subject then. */
function sayUnread(requirement: string, exchange: ExchangeFacts, outcomes: Outcomes): void {
  const { obstacle } = exchange;
  if (obstacle === null) return;
  if (obstacle.isFault) {
    outcomes.fail(requirement, {
      kind: "the body cannot be read",
      message: `the body cannot be read: ${obstacle.words}`,
      expected: "a JSON object",
      observed: showAnswer(exchange),
    });
  } else outcomes.inconclusive(requirement, obstacle.words);
}

interface Judged extends Pick<SchemaJudgeOptions, "rules" | "whole"> {
  readonly schemaName: string;
  readonly places: RulePlace;
}

function judgeProblems(
  problems: readonly SchemaProblem[],
  value: JsonValue,
  { rules, whole, schemaName, places }: Judged,
  outcomes: Outcomes,
): void {
  const owned = findOwners(problems, rules, schemaName);
  const existing = markExisting(value, places);
  const outermost = new Set(rules.map(({ path }) => path).filter((path) => path.split("/").length === 2));
  const absent = new Set(problems.filter(({ keyword }) => keyword === "required").map(pathOf));
  // Something else altogether is one defect, however many members it lacks.
  const isAlien = outermost.size > 1 && [...outermost].every((path) => absent.has(path));
  for (const [bit, rule] of rules.entries()) {
    const problem = owned.get(rule);
    if (problem !== undefined) {
      const isMissing = problem.keyword === "required";
      const problemWords = isMissing ? "is missing" : "is not as the specification shows it";
      outcomes.fail(rule.requirement, {
        kind: isAlien ? "another shape" : `${nameMember(rule.path.replaceAll("*", "0"))} ${problemWords}`,
        message: isAlien
          ? `the answer has another shape: it has none of ${[...outermost].map((path) => path.slice(1)).join(", ")}`
          : `${nameMember(pathOf(problem))} ${problemWords}`,
        expected: rule.expected,
        observed: isAlien ? showValue(value) : isMissing ? "the member is missing" : showValue(valueAt(value, problem.pointer)),
      });
    } else if ((existing & (1 << bit)) !== 0 && !problems.some((other) => matches(rule.path, pathOf(other)))) {
      outcomes.pass(rule.requirement);
    }
  }
  if (!problems.some((problem) => pathOf(problem) === "")) outcomes.pass(whole);
  else {
    outcomes.fail(whole, {
      kind: "the body is not the kind of value that the specification shows",
      expected: `a JSON object (schema ${schemaName})`,
      observed: showValue(value),
    });
  }
}

/** The first problem of each rule. The body itself belongs to `whole`. */
function findOwners(
  problems: readonly SchemaProblem[],
  rules: readonly SchemaRule[],
  schema: string,
): ReadonlyMap<SchemaRule, SchemaProblem> {
  const owned = new Map<SchemaRule, SchemaProblem>();
  for (const problem of problems) {
    const rule = ownerOf(problem, rules);
    if (rule !== null) {
      if (!owned.has(rule)) owned.set(rule, problem);
    } else if (pathOf(problem) !== "") {
      throw new HarnessFault(`schema ${schema}: no requirement owns ${pathOf(problem)} (${problem.keyword})`);
    }
  }
  return owned;
}

function nameMember(path: string): string {
  return path === "" ? "the body" : path;
}

function pathOf(problem: SchemaProblem): string {
  return problem.property === null ? problem.pointer : `${problem.pointer}/${problem.property}`;
}

/** The rule for this very place; one that names the keyword wins. */
function ownerOf(problem: SchemaProblem, rules: readonly SchemaRule[]): SchemaRule | null {
  const here = rules.filter((rule) => matches(rule.path, pathOf(problem)));
  return (
    here.find((rule) => rule.keywords?.includes(problem.keyword) === true) ??
    here.find((rule) => rule.keywords === undefined) ??
    null
  );
}

function matches(pattern: string, pointer: string): boolean {
  const wanted = pattern.split("/");
  const parts = pointer.split("/");
  return wanted.length === parts.length && wanted.every((part, index) => part === "*" || part === parts[index]);
}

function valueAt(value: JsonValue, pointer: string): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const part of pointer.split("/").slice(1)) {
    if (Array.isArray(current)) current = current[Number(part)] as JsonValue | undefined;
    else if (isJsonObject(current)) current = current[part.replaceAll("~1", "/").replaceAll("~0", "~")];
    else return undefined;
  }
  return current;
}

/** The paths of all rules as one tree, so that one walk over a value finds which of them exist. */
interface RulePlace {
  /** Rules of this very place, a bit for each. */
  readonly mask: number;
  /** Those of places below as well. */
  readonly fullMask: number;
  readonly members: readonly { readonly name: string; readonly place: RulePlace }[];
  readonly items: RulePlace | null;
}

interface RulePath {
  readonly parts: readonly string[];
  readonly bit: number;
}

function plantPaths(paths: readonly RulePath[]): RulePlace {
  const names = [...new Set(paths.flatMap(({ parts: [name] }) => name ?? []))];
  const below = (name: string): RulePlace =>
    plantPaths(paths.flatMap(({ parts, bit }) => (parts[0] === name ? [{ parts: parts.slice(1), bit }] : [])));
  return {
    mask: paths.reduce((mask, { parts, bit }) => (parts.length === 0 ? mask | (1 << bit) : mask), 0),
    fullMask: paths.reduce((mask, { bit }) => mask | (1 << bit), 0),
    members: names.filter((name) => name !== "*").map((name) => ({ name, place: below(name) })),
    items: names.includes("*") ? below("*") : null,
  };
}

/** Bits of all rules whose path leads to a value, through any item where it says so. */
function markExisting(value: JsonValue, place: RulePlace): number {
  if (Array.isArray(value)) return place.items === null ? place.mask : place.mask | markItems(value, place.items);
  let mask = place.mask;
  if (mask === place.fullMask || !isJsonObject(value)) return mask;
  const { members } = place;
  for (let index = 0; index < members.length; index += 1) {
    const inner = members[index];
    const member = inner === undefined ? undefined : value[inner.name];
    if (inner !== undefined && member !== undefined) mask |= markExisting(member, inner.place);
  }
  return mask;
}

/** Looks no further once an item has everything; one of a list of plain values does by being there, and is not touched. */
function markItems(items: readonly JsonValue[], place: RulePlace): number {
  if (items.length === 0) return 0;
  let mask = place.mask;
  for (let index = 0; index < items.length && mask !== place.fullMask; index += 1) {
    mask |= markExisting(items[index] as JsonValue, place);
  }
  return mask;
}
