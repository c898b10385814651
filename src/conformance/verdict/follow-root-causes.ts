import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { AttributedViolation, Defect } from "./attributed-violation.ts";
import { rootOf } from "./root-of.ts";

/** Rows on what an operation offers at all. */
const capabilities: ReadonlySet<string> = new Set(["SVC-003", "SVC-004", "SVC-005", "SVC-006", "SVC-007", "SVC-008", "SVC-009"]);

/** Rows that say of any answer that it is none that may come: what is wrong with it in particular is the defect, where a row says so. */
const generalRows: ReadonlySet<string> = new Set(["SVC-023", "RATE-045"]);

/** Of credentials, payment, validation and limits other rows speak, with an answer of their own. */
const stated: ReadonlySet<number> = new Set([401, 402, 403, 422, 429]);

/**
 * One root cause is one finding: what else is wrong with the answers of an operation that is not there, with refusals that come now and then, or with content that cannot
 * be read, stands below that.
 */
export function followRootCauses(
  violations: readonly AttributedViolation[],
  unchecked: ReadonlyMap<string, Defect>,
): readonly AttributedViolation[] {
  const refused = refusals(violations);
  const unread = defectsOf(violations.filter(({ row }) => row.requirement.id === "SVC-001"));
  const caused = violations.map((violation) => {
    const defect = refusedAs(violation, refused) ?? unreadOf(violation, unread);
    return defect === undefined ? violation : { ...violation, defect };
  });
  return withGeneral(caused, unchecked);
}

/** Answers of operations that are not there, or that refuse valid requests now and then, with that defect. */
function refusals(violations: readonly AttributedViolation[]): ReadonlyMap<string, Defect> {
  return new Map(
    violations.flatMap(({ row, subject, defect }) => {
      const answer = capabilities.has(row.requirement.id) ? refusalOf(subject) : null;
      return answer === null ? [] : [[answer, defect] as const];
    }),
  );
}

/** Operation, status and code of a refusal that no row states for a wrong request; null: any other answer. */
function refusalOf(subject: AttributedViolation["subject"]): string | null {
  const status = subject?.response?.status ?? 0;
  if (subject?.endpoint == null || status < 300 || (status >= 500 && status !== 501) || stated.has(status)) return null;
  return `${subject.endpoint} ${status} ${factsOf(subject).errorCode}`;
}

function refusedAs({ row, subject }: AttributedViolation, refused: ReadonlyMap<string, Defect>): Defect | undefined {
  const answer = row.requirement.suite === "convention" ? null : refusalOf(subject);
  return answer === null ? undefined : refused.get(answer);
}

function unreadOf({ row, subject, occurrence }: AttributedViolation, unread: ReadonlyMap<number, Defect>): Defect | undefined {
  if (subject === undefined || occurrence.followsUnread !== true || row.requirement.suite === "convention") return undefined;
  return unread.get(rootOf(subject));
}

function withGeneral(
  violations: readonly AttributedViolation[],
  unchecked: ReadonlyMap<string, Defect>,
): readonly AttributedViolation[] {
  const particular = defectsOf(violations.filter(({ row }) => !generalRows.has(row.requirement.id)));
  return violations.map((violation) => {
    const { row, subject } = violation;
    if (!generalRows.has(row.requirement.id) || subject === undefined) return violation;
    return { ...violation, defect: particular.get(rootOf(subject)) ?? uncheckedIn(subject, unchecked) ?? violation.defect };
  });
}

function defectsOf(violations: readonly AttributedViolation[]): ReadonlyMap<number, Defect> {
  return new Map(
    violations.flatMap(({ subject, defect }) => (subject === undefined ? [] : [[rootOf(subject), defect] as const])),
  );
}

/** A request of another case with a member that is known not to be checked is accepted for the same reason. */
function uncheckedIn(
  subject: NonNullable<AttributedViolation["subject"]>,
  unchecked: ReadonlyMap<string, Defect>,
): Defect | undefined {
  const { intent, endpoint, response } = subject;
  if (intent.kind !== "housekeeping" || intent.field === undefined || (response?.status ?? 400) >= 300) return undefined;
  return unchecked.get(`${endpoint} ${intent.field}`);
}
