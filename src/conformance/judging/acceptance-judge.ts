import { type EndpointId, endpoints } from "../../core/exchange/endpoint.ts";
import { isOperationDeclared } from "../../core/is-operation-declared.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "./describe-answer.ts";
import { expectsContinue, isChunked, isFramingRefusalAmong } from "./is-framing-refusal.ts";
import { headerValues } from "../../core/exchange/headers/header-list.ts";
import { nameUnseen } from "../../core/name-unseen.ts";
import { showAnswer } from "./show-answer.ts";
import { type ChanceRefusal, refusedByChance } from "./refused-by-chance.ts";
import { findUnlistedModel } from "./unlisted-model.ts";
import { isUnplannedTrouble, troubleOf } from "./trouble.ts";
import type { Occurrence, RunJudge } from "./judge.ts";
import type { JsonObject } from "./json-value.ts";
import { isNotServed } from "./is-not-served.ts";
import { optionLabels } from "./option-labels.ts";

export interface AcceptanceRow {
  readonly requirement: string;
  /** The request that has to be accepted, for the reader: `temperature 0`. */
  readonly what: string;
  /** Whether this request shows it; `body` is the JSON request, empty for requests without one. */
  readonly when: (body: JsonObject, exchange: ExchangeFacts) => boolean;
  /** A refusal has its defenders, although the row binds in another respect. */
  readonly refusalIsAdvisory?: boolean;
  /** Other operations show it too: one that accepts nothing leaves no doubt about it. */
  readonly isShared?: true;
}

/** Of each operation that takes a body: a request in another framing. */
export const framingRows: readonly AcceptanceRow[] = [
  {
    requirement: "REQ-006",
    isShared: true,
    what: "a body in chunks, without a length",
    when: (_body, exchange) => isChunked(exchange),
  },
  {
    requirement: "REQ-007",
    isShared: true,
    what: "a request that expects 100 Continue",
    when: (_body, exchange) => expectsContinue(exchange),
  },
];

export interface AcceptanceOptions {
  readonly id: string;
  readonly endpoint: EndpointId;
  /** Requirement that the operation exists at all, failed when nothing was ever accepted. */
  readonly capability: string;
  /** The first is that of the plainest request: it fails along with the capability. */
  readonly rows: readonly [AcceptanceRow, ...AcceptanceRow[]];
}

/**
 * Valid requests have to be accepted. A refusal is blamed on what the request shows and no accepted request shows, so that
 * one refused feature is one finding; where the operation accepts nothing at all only its capability row fails. Trouble
 * (429, 5xx, transport) never accuses, and a refusal of the credential is the business of other rows.
 */
export function createAcceptanceJudge(options: AcceptanceOptions): RunJudge {
  const { id, endpoint, capability, rows } = options;
  return {
    scope: "run",
    id,
    covers: [capability, ...rows.map((row) => row.requirement)],
    *judge(exchanges, { manifest }): Iterable<Occurrence> {
      // The owner says that it is not there: a request that met its path all the same proves nothing about the service.
      if (!isOperationDeclared(endpoint, manifest)) return;
      const subjects = exchanges
        .filter(
          (exchange) =>
            exchange.endpoint === endpoint &&
            exchange.keyName !== null &&
            exchange.intent.kind === "valid" &&
            exchange.stage === "conformance" &&
            !isFramingRefusalAmong(exchange, exchanges),
        )
        .map((exchange): Subject => ({
          exchange,
          rows: rows.filter((row) => row.when(exchange.requestObject ?? {}, exchange)),
        }));
      const accepted = subjects.filter(({ exchange }) => exchange.isSuccess);
      const acceptedRows = new Set(accepted.flatMap((subject) => subject.rows));
      const unlisted = accepted.length > 0 ? null : findUnlistedModel(endpoint, manifest, exchanges);
      yield* judgeCapability({ requirement: capability, endpoint, unlisted }, subjects, accepted[0]);
      const [plainest] = rows;
      if (accepted.length === 0) {
        yield* judgeCapability(
          { requirement: plainest.requirement, endpoint, unlisted },
          subjects.filter((subject) => subject.rows.includes(plainest)),
          undefined,
        );
      }
      for (const { exchange, rows: shown } of accepted) {
        for (const { requirement } of shown) yield { requirement, outcome: "pass", exchanges: [exchange.seq] };
      }
      const chance = refusedByChance(subjects);
      for (const { exchange, rows: shown } of subjects) {
        if (chance?.refused.has(exchange) === true) yield refusedNowAndThen(capability, exchange, chance);
        else if (!exchange.isSuccess)
          yield* judgeRefused(exchange, shown, { acceptedRows, endpointWorks: accepted.length > 0, subjects });
      }
    },
  };
}

/** The content of refused requests is not to blame where equal ones are accepted. */
function refusedNowAndThen(requirement: string, exchange: ExchangeFacts, { words }: ChanceRefusal): Occurrence {
  return {
    requirement,
    outcome: "fail",
    exchanges: [exchange.seq],
    kind: "valid requests are refused now and then",
    message: words,
    expected: "a 2xx answer to each valid request",
    observed: showAnswer(exchange),
    conclusive: true,
  };
}

interface Subject {
  readonly exchange: ExchangeFacts;
  /** Rows that the request shows. */
  readonly rows: readonly AcceptanceRow[];
}

interface Capability {
  readonly requirement: string;
  readonly endpoint: EndpointId;
  /** The manifest may have named a model that the target does not have. */
  readonly unlisted: string | null;
}

/** A service that fails on so many valid requests and serves none has not the capability. */
const failuresNeeded = 3;

function* judgeCapability(
  { requirement, endpoint, unlisted }: Capability,
  subjects: readonly Subject[],
  accepted: Subject | undefined,
): Iterable<Occurrence> {
  if (accepted !== undefined) {
    yield { requirement, outcome: "pass", exchanges: [accepted.exchange.seq] };
    return;
  }
  const crashes = new Set(
    subjects.filter(({ exchange }) => (exchange.status ?? 0) >= 500).map(({ exchange }) => exchange.retryOf ?? exchange.seq),
  ).size;
  const isFound = !subjects.every(({ exchange }) => isNotServed(exchange));
  const remedy = isFound ? "" : `; if it is not offered on purpose, declare features: { ${endpoint}: false } in the manifest`;
  const accuse = (operation: string): string =>
    `no valid request to ${operation} was ever accepted${remedy}${isFound ? explainPages(subjects) : ""}`;
  const { method, path } = endpoints[endpoint];
  // Two findings of this kind stand one below the other: the message says of which operation.
  const message = accuse(`${method} ${path}`);
  for (const { exchange } of subjects) {
    const address = (exchange.status ?? 0) >= 400 ? undefined : headerValues(exchange.response?.headers ?? [], "location")[0];
    const isCrash = (exchange.status ?? 0) >= 500 && crashes >= failuresNeeded;
    if (unlisted !== null && isRefusalOfModel(exchange)) {
      yield { requirement, outcome: "inconclusive", exchanges: [exchange.seq], message: unlisted };
      continue;
    }
    yield isUnplannedTrouble(exchange) && !isCrash
      ? { requirement, outcome: "inconclusive", exchanges: [exchange.seq], message: troubleOf(exchange) }
      : {
          requirement,
          outcome: "fail",
          exchanges: [exchange.seq],
          kind: accuse("this operation"),
          message: address === undefined ? message : redirected(message, address),
          expected: "a 2xx answer",
          observed: showAnswer(exchange),
        };
  }
}

/** An answer that an unknown model may have: a 404 that is not that of any unknown path has the shape of an error, or speaks of a model. */
function isRefusalOfModel({ status, mediaType, errorCode, response }: ExchangeFacts): boolean {
  if (mediaType === "text/html") return false;
  if (status === 400 || status === 422) return true;
  return status === 404 && (errorCode !== null || /model/i.test(response?.body?.text ?? ""));
}

/** A page to a client that asks for JSON is not written by the service itself. */
function explainPages(subjects: readonly Subject[]): string {
  if (subjects.length === 0 || !subjects.every(({ exchange }) => exchange.mediaType === "text/html")) return "";
  return subjects.every(({ exchange }) => (exchange.status ?? 0) >= 500)
    ? "; an HTML page answers in its place: is the service behind the proxy up?"
    : "; an HTML page answers in its place: does something in front of the service refuse this client?";
}

/** Redirects are not followed: a key would go to an address that nobody named. */
function redirected(kind: string, address: string): string {
  return `${kind}: it is redirected to ${nameUnseen(address.slice(0, 120))}, and the specification states the path without a redirect`;
}

interface Refusal {
  readonly acceptedRows: ReadonlySet<AcceptanceRow>;
  readonly endpointWorks: boolean;
  readonly subjects: readonly Subject[];
}

function* judgeRefused(exchange: ExchangeFacts, shown: readonly AcceptanceRow[], refusal: Refusal): Iterable<Occurrence> {
  const doubt = findDoubt(exchange, refusal.endpointWorks);
  for (const row of findCulprits(exchange, shown, refusal)) {
    if (row.isShared === true && !refusal.endpointWorks) continue;
    const subject = { requirement: row.requirement, exchanges: [exchange.seq] };
    yield doubt === null
      ? {
          ...subject,
          outcome: row.refusalIsAdvisory === true ? "advisory" : "fail",
          kind: "refused",
          message: `a valid request is refused: ${row.what}`,
          expected: `a 2xx answer to ${row.what}`,
          observed: describeAnswer(exchange),
        }
      : { ...subject, outcome: "inconclusive", message: doubt };
  }
}

function findDoubt(exchange: ExchangeFacts, endpointWorks: boolean): string | null {
  if (isUnplannedTrouble(exchange)) return troubleOf(exchange);
  if (!endpointWorks) return "the operation accepted no request at all, so this one proves nothing";
  const status = exchange.status;
  return status === 401 || status === 403 ? `the credential was refused (${status})` : null;
}

/**
 * Rows that no accepted request shows; if there are none, those of another refused request, all of whose members that no accepted
 * request has are in this one too; else those that the fewest requests show; none where the size alone may be what is refused.
 */
function findCulprits(
  exchange: ExchangeFacts,
  shown: readonly AcceptanceRow[],
  { acceptedRows, subjects }: Refusal,
): readonly AcceptanceRow[] {
  const never = mostGeneral(
    shown.filter((row) => !acceptedRows.has(row)),
    subjects,
  );
  // A generated request holds so much at once that nothing else can be blamed; options together have a judge of their own.
  if (never.length > 0 || optionLabels.has(exchange)) return never;
  const accepted = new Set(subjects.filter((one) => one.exchange.isSuccess).flatMap((one) => membersOf(one.exchange)));
  const novelIn = (one: ExchangeFacts): readonly string[] => membersOf(one).filter((member) => !accepted.has(member));
  const novel = novelIn(exchange);
  const cause = subjects.find(
    (one) =>
      !one.exchange.isSuccess &&
      one.rows.some((row) => !acceptedRows.has(row)) &&
      novel.length > 0 &&
      novelIn(one.exchange).length > 0 &&
      novelIn(one.exchange).every((member) => novel.includes(member)),
  );
  if (cause !== undefined) return cause.rows.filter((row) => !acceptedRows.has(row));
  if (isLongerThanAccepted(exchange, subjects)) return [];
  const counts = shown.map((row) => subjects.filter((subject) => subject.rows.includes(row)).length);
  const least = Math.min(...counts);
  return shown.filter((_, index) => counts[index] === least);
}

/** The wider row is to blame: all that shows the narrow one shows it as well, and some more does. */
function mostGeneral(rows: readonly AcceptanceRow[], subjects: readonly Subject[]): readonly AcceptanceRow[] {
  if (rows.length < 2) return rows;
  const showing = new Map(rows.map((row) => [row, subjects.filter((one) => one.rows.includes(row))]));
  const isPartOf = (row: AcceptanceRow, other: AcceptanceRow): boolean => {
    const [part = [], whole = []] = [showing.get(row), showing.get(other)];
    return part.length < whole.length && part.every((one) => whole.includes(one));
  };
  return rows.filter((row) => !rows.some((other) => isPartOf(row, other)));
}

const leastLongBytes = 2_000;

/** A size that nothing states may be too large for the model: every other feature of the request was accepted in shorter ones. */
function isLongerThanAccepted({ request, status }: ExchangeFacts, subjects: readonly Subject[]): boolean {
  if (status !== 400 && status !== 413 && status !== 422) return false;
  const lengths = subjects.filter(({ exchange }) => exchange.isSuccess).map(({ exchange }) => exchange.request.body?.bytes ?? 0);
  return (request.body?.bytes ?? 0) > Math.max(leastLongBytes, ...lengths.map((length) => 2 * length));
}

/** `"quality":"hd"` */
function membersOf({ requestObject }: ExchangeFacts): readonly string[] {
  return Object.entries(requestObject ?? {}).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
}
