import type { Exchange } from "../../core/exchange/exchange.ts";
import type { ViolatedCondition } from "../../core/exchange/intent.ts";
import { violationOf } from "../judging/subjects.ts";
import { type Defect, followRootCauses } from "./follow-root-causes.ts";
import { assignOwners } from "./assign-owners.ts";
import { type JudgedOccurrence, type JudgedViolation, rootOf, subjectOf } from "./judged-occurrence.ts";
import { isOverlay, type SettledRecord, violationsOf } from "./settled-record.ts";

/** `bad-token`: well-formed credentials of no valid key, which a service that looks at the form alone accepts. */
type Condition = ViolatedCondition | "bad-token";

const tokens: ReadonlySet<string> = new Set(["AUTH-007", "AUTH-008", "AUTH-013", "AUTH-014", "AUTH-028"]);

/** Wrong requests that the specification treats alike, and the rows that speak of them in general, the first that is violated. */
const families: Readonly<Partial<Record<Condition, { readonly name: string; readonly rows: readonly string[] }>>> = {
  "no-credentials": { name: "credentials", rows: ["ERR-013"] },
  "bad-credentials": { name: "credentials", rows: ["ERR-013"] },
  "bad-token": { name: "credentials", rows: ["ERR-013"] },
  "missing-scope": { name: "scopes", rows: ["AUTH-015", "ERR-017"] },
  "payment-required": { name: "payment", rows: ["ERR-016"] },
  "unknown-id": { name: "ids", rows: ["ERR-018"] },
  "foreign-id": { name: "ids", rows: ["ERR-018"] },
  "malformed-json": { name: "validation", rows: ["ERR-024", "ERR-020"] },
  "no-object": { name: "validation", rows: ["ERR-024", "ERR-020"] },
  "missing-field": { name: "validation", rows: ["ERR-024", "ERR-021"] },
  "out-of-range": { name: "validation", rows: ["ERR-024", "ERR-022"] },
  "wrong-type": { name: "types", rows: ["ERR-023"] },
};

/** Says of each violation which defect it is a sign of. */
export function attributeDefects(record: SettledRecord): ReadonlyMap<JudgedViolation, Defect> {
  const { bySeq } = record;
  const violations = violationsOf(record);
  const refusals = readRefusals(record, new Set(violations));
  const unchecked = uncheckedFields(refusals, bySeq);
  const unreadable = kindsByRoot(violations, "SVC-001", bySeq);
  const unstreamed = kindsByRoot(violations, "CHAT-010", bySeq);
  const open: JudgedViolation[] = [];
  const defects = new Map<JudgedViolation, Defect>();
  for (const violation of violations) {
    const subject = subjectOf(violation, bySeq);
    const root = subject === undefined || isOverlay(record, violation) ? -1 : rootOf(subject);
    const { aspect } = violation;
    let defect: Defect | undefined;
    if (isAboutStatus(violation)) defect = refusals.get(root);
    // A member that is not checked is not named either, beside others that are.
    else if (violation.field !== undefined && root >= 0) defect = unchecked.get(`${subject?.endpoint} ${violation.field}`);
    // A wrong request that is answered like a right one, or with an error under a status of success: its body is no second defect.
    else if (aspect === "body" && (subject?.response?.status ?? 400) < 300 && refusals.has(root)) defect = refusals.get(root);
    // All else that is wrong with such an answer follows from that.
    else if (aspect === "body" && unreadable.has(root)) defect = { owner: "SVC-001", kind: unreadable.get(root) ?? "" };
    else if (aspect === "stream" && unstreamed.has(root)) defect = { owner: "CHAT-010", kind: "not streamed" };
    if (defect === undefined) open.push(violation);
    else defects.set(violation, defect);
  }
  return followRootCauses(new Map([...defects, ...shareDefects(open, record)]), { record, unchecked });
}

/** Members whose violation is not refused, by endpoint. */
function uncheckedFields(
  refusals: ReadonlyMap<number, Defect>,
  bySeq: ReadonlyMap<number, Exchange>,
): ReadonlyMap<string, Defect> {
  return new Map(
    [...refusals].flatMap(([root, defect]) => {
      const subject = bySeq.get(root);
      const violation = subject === undefined ? null : violationOf(subject);
      const isAccepted = (subject?.response?.status ?? 400) < 300;
      return violation?.field !== undefined && violation.fields === undefined && isAccepted
        ? [[`${subject?.endpoint} ${violation.field}`, defect] as const]
        : [];
    }),
  );
}

/** AUTH-029 is about a field of a 401 that is right. */
function isAboutStatus({ requirement, aspect }: JudgedOccurrence): boolean {
  return aspect === "status" && requirement !== "AUTH-029";
}

/** The demand and its outcome, for requests that are wrong on purpose. */
interface Refusal {
  readonly condition: Condition;
  /** Endpoint and member at fault. */
  readonly place: string;
  readonly specific: string;
  readonly status: number;
  readonly rows: Set<string>;
}

/**
 * The defect of each wrong request that is not refused as it should be, by the first attempt. If a target treats all requests
 * of a condition wrongly, or all of a family in the same way, that is one defect; else it is one for each place.
 */
function readRefusals(
  { rows, occurrences, bySeq }: SettledRecord,
  violations: ReadonlySet<JudgedOccurrence>,
): ReadonlyMap<number, Defect> {
  const refusals = new Map<number, Refusal>();
  for (const occurrence of occurrences) {
    const subject = subjectOf(occurrence, bySeq);
    const violation = subject === undefined ? null : violationOf(subject);
    const condition = violation?.condition ?? (subject?.keyName === null ? "no-credentials" : null);
    if (subject === undefined || condition === null) continue;
    if (!isAboutStatus(occurrence) || occurrence.outcome === "inconclusive") continue;
    const isWrong = violations.has(occurrence);
    // That a path which need not exist is not served to a stranger says nothing of the others.
    if (violation === null && !isWrong) continue;
    const root = rootOf(subject);
    const known = refusals.get(root) ?? {
      condition: condition === "bad-credentials" && tokens.has(violation?.requirement ?? "") ? "bad-token" : condition,
      place: `${subject.endpoint ?? "no endpoint"} ${violation?.field ?? ""}`,
      specific: violation?.requirement ?? occurrence.requirement,
      status: subject.response?.status ?? 0,
      rows: new Set<string>(),
    };
    refusals.set(root, known);
    if (isWrong) known.rows.add(occurrence.requirement);
  }
  const all = [...refusals.values()];
  const wrong = [...refusals].filter(([, { rows }]) => rows.size > 0);
  const order = [...rows.keys()];
  const kinds = new Map(wrong.map(([root, refusal]) => [root, kindOf(refusal, all)]));
  return new Map(
    wrong.map(([root]) => {
      const kind = kinds.get(root)!;
      const alike = wrong.filter(([other]) => kinds.get(other) === kind).map(([, refusal]) => refusal);
      return [root, { owner: ownerOf(alike, order), kind }];
    }),
  );
}

function kindOf({ condition, place, specific, status }: Refusal, all: readonly Refusal[]): string {
  const family = families[condition]?.name ?? condition;
  const ofFamily = all.filter((one) => (families[one.condition]?.name ?? one.condition) === family);
  const several = new Set(ofFamily.map((one) => one.condition)).size > 1;
  if (several && isEverywhere(ofFamily) && ofFamily.every((one) => one.status === status))
    return `${family} everywhere ${status}`;
  if (isEverywhere(all.filter((one) => one.condition === condition))) return `${condition} everywhere`;
  // Whether a caller is known does not depend on what it asks for, only whether it is asked who it is.
  if (condition === "no-credentials") return `${condition} ${place}`;
  return family === "credentials" ? `${condition} ${specific}` : `${condition} ${place} ${status}`;
}

/** The row that speaks of them all in general where there are several, else that of the first of the catalogue. */
function ownerOf(refusals: readonly Refusal[], order: readonly string[]): string {
  const violated = (row: string): boolean => refusals.some(({ rows }) => rows.has(row));
  const specific = [...new Set(refusals.map((refusal) => refusal.specific))];
  const general = refusals.flatMap(({ condition }) => families[condition]?.rows ?? []).find(violated);
  const isCredential = refusals.every(({ condition }) => condition === "bad-credentials" || condition === "bad-token");
  const isOne = new Set(refusals.map(({ place }) => place)).size === 1 || (isCredential && specific.length === 1);
  if (general !== undefined && !(isOne && specific.some(violated))) return general;
  const candidates = specific.some(violated) ? specific.filter(violated) : refusals.flatMap(({ rows }) => [...rows]);
  return candidates.toSorted((one, other) => order.indexOf(one) - order.indexOf(other))[0] ?? "";
}

/** Tried in several places, and wrong in each of them. */
function isEverywhere(refusals: readonly Refusal[]): boolean {
  return (
    refusals.every(({ rows }) => rows.size > 0) && new Set(refusals.map(({ place, specific }) => `${place} ${specific}`)).size > 1
  );
}

/** Requests, by their first attempt, whose answers violate this row, with the kind of the violation. */
function kindsByRoot(
  violations: readonly JudgedViolation[],
  row: string,
  bySeq: ReadonlyMap<number, Exchange>,
): ReadonlyMap<number, string> {
  const kinds = new Map<number, string>();
  for (const violation of violations) {
    const subject = violation.requirement === row ? subjectOf(violation, bySeq) : undefined;
    if (subject !== undefined) kinds.set(rootOf(subject), violation.kind);
  }
  return kinds;
}

interface Group {
  readonly requirement: string;
  readonly kind: string;
  readonly subjects: Set<number>;
  readonly members: JudgedViolation[];
}

/**
 * The same said of the same answers under several requirements is one defect, reported under the one that it violates most often;
 * of rows alike the first of the catalogue.
 */
function shareDefects(open: readonly JudgedViolation[], record: SettledRecord): readonly (readonly [JudgedViolation, Defect])[] {
  const groups = new Map<string, Group>();
  for (const violation of open) {
    const { requirement } = violation;
    const kind = `${isOverlay(record, violation) ? "convention " : ""}${violation.kind}`;
    const name = `${requirement} ${kind}`;
    const group = groups.get(name) ?? { requirement, kind, subjects: new Set(), members: [] };
    groups.set(name, group);
    const subject = subjectOf(violation, record.bySeq);
    group.subjects.add(subject === undefined ? (violation.exchanges[0] ?? 0) : rootOf(subject));
    group.members.push(violation);
  }
  return assignOwners([...groups.values()]).flatMap(({ group, owner }) => {
    const defect = { owner: owner.requirement, kind: `${group.kind}${extentOf(owner, record)}` };
    return group.members.map((member) => [member, defect] as const);
  });
}

/**
 * The extent of a fault that occurs in many places, so that a baseline entry for some of them does not forgive the others:
 * nothing if no answer is right, the kinds of answers that are never right, or the words for a fault now and then. Refusals for
 * a limit and server errors come as they come: they count only where no other answer is wrong.
 */
function extentOf({ requirement, members }: Group, { occurrences, bySeq }: SettledRecord): string {
  if (members.every(({ place }) => place === undefined)) return "";
  const right = occurrences.filter((one) => one.requirement === requirement && one.outcome === "pass");
  if (right.length === 0) return "";
  const rightPlaces = new Set(right.map((one) => placeOf(subjectOf(one, bySeq)).name));
  const wrong = members.map((one) => placeOf(subjectOf(one, bySeq))).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  if (wrong.some(({ name }) => rightPlaces.has(name))) return " now and then";
  const planned = wrong.filter(({ isChance }) => !isChance);
  // Of refusals and errors alone it is the kind that counts: which operations meet them is chance.
  const places = planned.length > 0 ? planned.map(({ name }) => name) : wrong.map(({ answer }) => answer);
  return ` in ${[...new Set(places)].join(", ")}`;
}

interface AnswerPlace {
  /** `chat 2xx stream` */
  readonly name: string;
  /** `2xx` */
  readonly answer: string;
  /** A refusal for a limit, or a server error. */
  readonly isChance: boolean;
}

function placeOf(subject: Exchange | undefined): AnswerPlace {
  const status = subject?.response?.status ?? 0;
  const streamed = subject?.response?.stream == null ? "" : " stream";
  const answer = status === 429 ? "429" : `${Math.floor(status / 100)}xx`;
  const name = `${subject?.endpoint ?? "other"} ${answer}${streamed}`;
  return { name, answer, isChance: streamed === "" && (answer === "429" || answer === "5xx") };
}
