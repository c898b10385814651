import { answerFailure } from "../../core/exchange/answer-failure.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { type JudgedViolation, rootOf, subjectOf } from "./judged-occurrence.ts";
import { isOverlay, type SettledRecord } from "./settled-record.ts";

/** A defect of a target. Each is one finding, whatever requirements it violates. Both parts are the same in every run that shows it. */
export interface Defect {
  /** The requirement that it is reported under. */
  readonly owner: string;
  readonly kind: string;
}

/** Rows on what an operation offers at all. */
const capabilities: ReadonlySet<string> = new Set(["SVC-003", "SVC-004", "SVC-005", "SVC-006", "SVC-007", "SVC-008", "SVC-009"]);

/** Rows that say of any answer that it is none that may come: what is wrong with it in particular is the defect, where a row says so. */
const generalRows: ReadonlySet<string> = new Set(["SVC-023", "RATE-045"]);

/** Rows whose violation follows from that of another one by the same answer: a member of what is not there, the rest of a stream without events, one place for a wait of two. */
const followers: Readonly<Record<string, string>> = { "ERR-005": "ERR-001", "STRM-004": "STRM-003", "RATE-020": "RATE-021" };

/** Of credentials, payment, validation and limits other rows speak, with an answer of their own. */
const stated: ReadonlySet<number> = new Set([401, 402, 403, 422, 429]);

type Defects = ReadonlyMap<JudgedViolation, Defect>;

interface Causes {
  readonly record: SettledRecord;
  /** Members that are known not to be checked, by endpoint. */
  readonly unchecked: ReadonlyMap<string, Defect>;
}

/**
 * One root cause is one finding: what else is wrong with the answers of an operation that is not there, with refusals that come now and then, or with content that cannot
 * be read, stands below that.
 */
export function followRootCauses(defects: Defects, { record, unchecked }: Causes): Defects {
  const { bySeq } = record;
  const refused = refusals(defects, bySeq);
  const unread = byRoot(defects, bySeq, ({ requirement }) => requirement === "SVC-001");
  const never = byRoot(defects, bySeq, ({ requirement }) => capabilities.has(requirement));
  const leading = new Map(
    Object.values(followers).map((id) => [id, byRoot(defects, bySeq, ({ requirement }) => requirement === id)]),
  );
  const failed = failedWithin(defects);
  const caused = change(defects, (violation) => {
    const subject = subjectOf(violation, bySeq);
    const answer = refusalOf(subject);
    if (subject === undefined || isOverlay(record, violation)) return undefined;
    const root = rootOf(subject);
    return (
      never.get(root) ??
      (answer === null ? undefined : refused.get(answer)) ??
      (violation.aspect === "body" && answerFailure(factsOf(subject)) === "error" ? failed.get(subject.seq) : undefined) ??
      (violation.followsUnread === true ? unread.get(root) : undefined) ??
      leading.get(followers[violation.requirement] ?? "")?.get(root)
    );
  });
  const particular = byRoot(caused, bySeq, ({ requirement }) => !generalRows.has(requirement));
  return change(caused, (violation) => {
    const subject = generalRows.has(violation.requirement) ? subjectOf(violation, bySeq) : undefined;
    return subject === undefined ? undefined : (particular.get(rootOf(subject)) ?? uncheckedIn(subject, unchecked));
  });
}

/** Each violation with the defect that it follows from, or its own where it follows from none. */
function change(defects: Defects, causeOf: (violation: JudgedViolation) => Defect | undefined): Defects {
  return new Map([...defects].map(([violation, defect]) => [violation, causeOf(violation) ?? defect]));
}

/** The defect of requests that are left without a whole answer (SVC-021), by each of their attempts. */
function failedWithin(defects: Defects): ReadonlyMap<number, Defect> {
  const unanswered = [...defects].filter(([{ requirement }]) => requirement === "SVC-021");
  return new Map(unanswered.flatMap(([{ exchanges }, defect]) => exchanges.map((seq) => [seq, defect] as const)));
}

/** Answers of operations that are not there, or that refuse valid requests now and then, with that defect. */
function refusals(defects: Defects, bySeq: SettledRecord["bySeq"]): ReadonlyMap<string, Defect> {
  return new Map(
    [...defects].flatMap(([violation, defect]) => {
      const answer = capabilities.has(violation.requirement) ? refusalOf(subjectOf(violation, bySeq)) : null;
      return answer === null ? [] : [[answer, defect] as const];
    }),
  );
}

/** Operation, status and code of a refusal that no row states for a wrong request; null: any other answer. */
function refusalOf(subject: Exchange | undefined): string | null {
  const status = subject?.response?.status ?? 0;
  if (subject?.endpoint == null || status < 300 || (status >= 500 && status !== 501) || stated.has(status)) return null;
  return `${subject.endpoint} ${status} ${factsOf(subject).errorCode}`;
}

/** The defects of some violations, by the first attempt of the request that they are about. */
function byRoot(
  defects: Defects,
  bySeq: SettledRecord["bySeq"],
  isMeant: (violation: JudgedViolation) => boolean,
): ReadonlyMap<number, Defect> {
  return new Map(
    [...defects].flatMap(([violation, defect]) => {
      const subject = isMeant(violation) ? subjectOf(violation, bySeq) : undefined;
      return subject === undefined ? [] : [[rootOf(subject), defect] as const];
    }),
  );
}

/** A request of another case with a member that is known not to be checked is accepted for the same reason. */
function uncheckedIn({ intent, endpoint, response }: Exchange, unchecked: Causes["unchecked"]): Defect | undefined {
  if (intent.kind !== "housekeeping" || intent.field === undefined || (response?.status ?? 400) >= 300) return undefined;
  return unchecked.get(`${endpoint} ${intent.field}`);
}
