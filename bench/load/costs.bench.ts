import { openJudgeContext } from "../../src/run/judge-context.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { PassiveValidator } from "../../src/conformance/verdict/passive-validator.ts";
import type { Exchange, RecordedBody } from "../../src/core/exchange/exchange.ts";
import { createRandom } from "../../src/core/random.ts";
import type { LoadRecord, RecordContext } from "../../src/load/samples/load-record.ts";
import { measureExchange } from "../../src/load/samples/measure-exchange.ts";
import { givenUpRecord } from "../../src/load/samples/unanswered-record.ts";
import { readProfile } from "../../src/load/plan/read-profile.ts";
import { summarizeLoad } from "../../src/load/judge/summarize-load.ts";
import type { Result } from "../../src/core/result/result.ts";
import { reporters } from "../../src/report/reporters/reporters.ts";
import { manifestFor } from "../../test/make/load/load-target.ts";
import { loadAnswers } from "./answers.ts";
import { median } from "./median.ts";

/** CPU cost of what happens to every response after it arrived, and of the report of a million. One process, no network. */

export interface CostFigures {
  readonly rows: readonly { readonly what: string; readonly microseconds: number }[];
  /** Of the body of an answer. */
  readonly parseMicroseconds: number;
  readonly answerMicroseconds: number;
  /** Of all judges, what parsing costs left out. */
  readonly eventMicroseconds: number;
  /** From records to `result.json` and `report.html`. */
  readonly report: { readonly records: number; readonly seconds: number; readonly megabytes: number };
}

const context: RecordContext = {
  endpoint: "chat",
  label: "chat",
  phase: "measure",
  step: 0,
  intendedMs: 0,
  issuedMs: 0,
  slo: { ttftMs: 500, tpotMs: null, userLatencyMs: null },
};

/** The same response once more, as a record of its own with texts of its own: what is kept of one must not help the next. */
function copyOf(exchange: Exchange): Exchange {
  const { response, request } = exchange;
  if (response === null) return exchange;
  const { body, stream, headers } = response;
  return {
    ...exchange,
    request: { ...request, body: copyBody(request.body) },
    response: {
      ...response,
      headers: headers.map(([name, value]) => [name, value]),
      body: copyBody(body),
      stream:
        stream === null ? null : { ...stream, events: stream.events.map((event) => ({ ...event, data: ownText(event.data) })) },
    },
  };
}

function copyBody(body: RecordedBody | null): RecordedBody | null {
  return body?.text === undefined ? body : { ...body, text: ownText(body.text) };
}

let copies = 0;

function ownText(text: string): string {
  copies = (copies + 1) % 10;
  return Buffer.from(text.replace("word", `wor${copies}`)).toString();
}

/** CPU microseconds of one call, each with a record of its own; the median of seven batches, which are let go piece by piece. */
function costOf(exchange: Exchange, batch: number, work: (exchange: Exchange) => void): number {
  return median(batchCosts(exchange, batch, [work]).map(([cost = Number.NaN]) => cost));
}

/** How much more the first work costs than the second. They take turns: the machine may be slower a moment later. */
function costBeyond(exchange: Exchange, batch: number, works: readonly [Work, Work]): number {
  return median(batchCosts(exchange, batch, works).map(([cost = Number.NaN, base = Number.NaN]) => cost - base));
}

type Work = (exchange: Exchange) => void;

function batchCosts(exchange: Exchange, batch: number, works: readonly Work[]): readonly (readonly number[])[] {
  const pieces = 50;
  return Array.from({ length: 7 }, () => {
    const spent = works.map(() => 0);
    for (let piece = 0; piece < pieces; piece += 1) {
      for (const [turn, work] of works.entries()) {
        const copiesOfPiece = Array.from({ length: batch / pieces }, () => copyOf(exchange));
        const before = process.cpuUsage();
        for (const copy of copiesOfPiece) work(copy);
        const { user, system } = process.cpuUsage(before);
        spent[turn] = (spent[turn] ?? 0) + user + system;
      }
    }
    return spent.map((microseconds) => microseconds / batch);
  });
}

const manifest = manifestFor("http://127.0.0.1:1");
const judgeAll = (): PassiveValidator =>
  new PassiveValidator({
    judges: allJudges,
    context: openJudgeContext(manifest),
  });
const passive = judgeAll();
const events = 40;
const { answer, bare, refused, stream, kinds } = loadAnswers(events);
/** Accusing costs more than passing: what is accused by mistake would be measured as something else. */
const lawful = judgeAll();
for (const one of [answer, refused, stream, ...Object.values(kinds)]) lawful.observe(one);
if (lawful.summary().violations.length > 0) throw new Error(JSON.stringify(lawful.summary().violations[0]));
const parseBody = ({ response }: Exchange): void => void JSON.parse(response?.body?.text ?? "null");
const parse = costOf(answer, 5000, parseBody);
const parseEvents = costOf(stream, 500, ({ response }) => {
  for (const { data } of response?.stream?.events ?? []) if (data !== "[DONE]") JSON.parse(data);
});
const observe = (exchange: Exchange): void => passive.observe(exchange);
const figures = (exchange: Exchange): void => void measureExchange(exchange, context);
const answerMicroseconds = costOf(answer, 5000, observe);
const streamMicroseconds = costOf(stream, 500, observe);
const rows: CostFigures["rows"] = [
  { what: "JSON.parse of a 400-byte completion", microseconds: parse },
  { what: "figures of an answer, its parsing included", microseconds: costOf(answer, 5000, figures) },
  { what: "all judges on an answer, its parsing and that of the request included", microseconds: answerMicroseconds },
  { what: "all judges on an answer without fields of rate limits", microseconds: costOf(bare, 2000, observe) },
  { what: "all judges on a 429", microseconds: costOf(refused, 2000, observe) },
  { what: `JSON.parse of an event, of ${events} in a stream`, microseconds: parseEvents / events },
  { what: "figures of a stream, per event, its parsing included", microseconds: costOf(stream, 500, figures) / events },
  { what: "all judges on a stream, per event, its parsing included", microseconds: streamMicroseconds / events },
  {
    what: "both on a stream, per event, its parsing included",
    microseconds:
      costOf(stream, 500, (one) => {
        observe(one);
        figures(one);
      }) / events,
  },
  ...Object.entries(kinds).map(([what, kind]) => ({
    what: `all judges on ${what}, above JSON.parse of its body`,
    microseconds: costBeyond(kind, 2000, [observe, parseBody]),
  })),
];

const many = 1_000_000;
const random = createRandom(1);
const records: LoadRecord[] = Array.from({ length: many }, (_, index) => {
  const atMs = (600_000 * index) / many;
  const endMs = atMs + 20 + 80 * random.next();
  return {
    ...givenUpRecord({ ...context, intendedMs: atMs, issuedMs: atMs }, atMs),
    outcome: "ok",
    status: 200,
    good: true,
    answeredMs: endMs,
    endMs,
  };
});
const profile = readProfile(
  JSON.stringify({
    id: "m",
    title: "M",
    arrivals: { kind: "constant", ratePerSecond: 1667 },
    durationSeconds: 600,
    workload: [{ endpoint: "chat" }],
    gates: ["user_latency.p99 < 1s"],
  }),
  "m",
);
const before = process.cpuUsage();
const result = summarizeLoad({
  profile,
  workload: "chat",
  records,
  overflow: null,
  seconds: [],
  areaMs: 0,
  health: [],
  planned: many,
  retried: 0,
  races: { count: 0, outOf: many },
  startMs: 0,
  fromMs: 0,
  toMs: 600_000,
  endMs: 600_000,
  rates: [],
  stopReason: null,
  random,
  limits: null,
  calibration: null,
});
const sample = JSON.parse(gunzipSync(readFileSync(join(process.cwd(), "reports/sample/result.json.gz"))).toString()) as Result;
/** A whole run whose load is this profile. */
const whole: Result = { ...sample, load: { calibration: null, ...sample.load, profiles: [result] } };
const texts = [reporters.json.render(whole, []), reporters.html.render(whole, [])];
if (texts.some((text) => typeof text !== "string" || text.length < 10_000)) throw new Error("a report is missing");
const { user, system } = process.cpuUsage(before);
const figuresOfCosts: CostFigures = {
  rows,
  parseMicroseconds: parse,
  answerMicroseconds,
  eventMicroseconds: (streamMicroseconds - parseEvents) / events,
  report: { records: many, seconds: (user + system) / 1e6, megabytes: process.memoryUsage.rss() / 1e6 },
};
process.send?.(figuresOfCosts);
process.disconnect?.();
