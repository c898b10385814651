import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { groupBy } from "../../core/group-by.ts";
import { describeAnswer } from "./describe-answer.ts";
import { isUnplannedTrouble } from "./trouble.ts";

/** A valid request with the rows that it shows. */
interface Shown<Row> {
  readonly exchange: ExchangeFacts;
  readonly rows: readonly Row[];
}

/** A refusal that meets some valid requests whatever they hold. */
export interface ChanceRefusal {
  readonly refused: ReadonlySet<ExchangeFacts>;
  /** `38 of 114 valid chat requests were answered 404 (model_not_found); what they held plays no part` */
  readonly words: string;
}

const refusalsNeeded = 3;
/** Of each row by itself, divided by their number: a row that does play a part is not often taken for one that does not. */
const significance = 0.05;

/**
 * Equal requests that are accepted and refused show a fault that comes now and then. It is blamed on nothing that requests hold unless
 * refused ones hold it more often than chance explains (Fisher's exact test); null: no such fault.
 */
export function refusedByChance<Row>(subjects: readonly Shown<Row>[]): ChanceRefusal | null {
  const accepted = subjects.filter(({ exchange }) => exchange.isSuccess);
  const refused = subjects.filter(({ exchange }) => isRefusal(exchange));
  const byAnswer = [...groupBy(refused, ({ exchange }) => describeAnswer(exchange))];
  const [often] = byAnswer.toSorted(([, one], [, other]) => other.length - one.length);
  if (often === undefined) return null;
  const [answer, alike] = often;
  const acceptedBodies = new Set(accepted.map(({ exchange }) => bodyOf(exchange)));
  const both = new Set(alike.map(({ exchange }) => bodyOf(exchange)).filter((body) => acceptedBodies.has(body)));
  if (alike.length < refusalsNeeded || both.size === 0) return null;
  const rows = [...new Set(alike.flatMap((one) => one.rows))];
  const playsPart = (row: Row): boolean => {
    const count = (some: readonly Shown<Row>[]): number => some.filter((one) => one.rows.includes(row)).length;
    const [bad, good] = [count(alike), count(accepted)];
    return fisherExact(bad, alike.length - bad, good, accepted.length - good) < significance / rows.length;
  };
  if (rows.some(playsPart)) return null;
  const endpoint = alike[0].exchange.endpoint ?? "";
  return {
    refused: new Set(alike.map(({ exchange }) => exchange)),
    words: `${alike.length} of ${alike.length + accepted.length} valid ${endpoint} requests were answered ${answer}; what they held plays no part`,
  };
}

/** Of the credential and of limits other rows speak. */
function isRefusal(exchange: ExchangeFacts): boolean {
  const status = exchange.status ?? 0;
  return !isUnplannedTrouble(exchange) && status >= 400 && status !== 401 && status !== 402 && status !== 403;
}

function bodyOf({ request }: ExchangeFacts): string {
  return `${request.path} ${request.body?.sha256 ?? request.body?.text ?? ""}`;
}

/**
 * One-sided p value of Fisher's exact test: the probability that of the first row of a table of two by two as many as `a`, or more, fall
 * into the first column by chance, all margins given.
 */
export function fisherExact(a: number, b: number, c: number, d: number): number {
  const [row, column, all] = [a + b, a + c, a + b + c + d];
  const most = Math.min(row, column);
  const allWays = logChoose(all, row);
  let sum = 0;
  for (let count = a; count <= most; count += 1) {
    sum += Math.exp(logChoose(column, count) + logChoose(all - column, row - count) - allWays);
  }
  return Math.min(1, sum);
}

function logChoose(from: number, take: number): number {
  if (take < 0 || take > from) return Number.NEGATIVE_INFINITY;
  let sum = 0;
  for (let index = 1; index <= take; index += 1) sum += Math.log((from - take + index) / index);
  return sum;
}
