import { allJudges } from "../src/conformance/judges/all-judges.ts";
import { createPassiveValidator } from "../src/conformance/passive-validator.ts";
import type { Exchange, RecordedEvent } from "../src/core/exchange.ts";
import { createRandom } from "../src/core/random.ts";
import { measureExchange, notSentRecord, type LoadRecord, type RecordContext } from "../src/load/load-record.ts";
import { readProfile } from "../src/load/read-profile.ts";
import { summarizeLoad } from "../src/load/summarize-load.ts";
import { createValidator } from "../src/schemas/validator.ts";
import { exchangeOf } from "../test/load/exchange-fixture.ts";
import { manifestFor } from "../test/load/load-target.ts";

/** CPU cost of what happens to every response after it arrived, and of the result of a million records. One process, no network. */

const context: RecordContext = {
  endpoint: "chat",
  label: "chat",
  phase: "measure",
  step: 0,
  intendedMs: 0,
  issuedMs: 0,
  slo: { ttftMs: 500, tpotMs: null, userLatencyMs: null },
};
const rateHeaders: Exchange["request"]["headers"] = [
  ["content-type", "application/json"],
  ...["requests", "tokens"].flatMap((kind): [string, string][] => [
    [`x-ratelimit-limit-${kind}`, "600"],
    [`x-ratelimit-remaining-${kind}`, "599"],
    [`x-ratelimit-reset-${kind}`, "1790000060"],
  ]),
];

function streamOf(tokens: number): Exchange {
  const event = (index: number, choice: object): RecordedEvent => ({
    atMs: 100 + 10 * index,
    earliestMs: 100 + 10 * index,
    read: index,
    event: "message",
    data: JSON.stringify({
      id: "c1",
      object: "chat.completion.chunk",
      created: 1_790_000_000,
      model: "m",
      choices: [{ index: 0, ...choice }],
    }),
  });
  const words = Array.from({ length: tokens }, (_, index) =>
    event(index + 1, { delta: { content: " word" }, finish_reason: null }),
  );
  const events = [
    event(0, { delta: { role: "assistant" }, finish_reason: null }),
    ...words,
    event(tokens + 1, { delta: {}, finish_reason: "stop" }),
  ];
  return exchangeOf({
    response: {
      status: 200,
      headers: [["content-type", "text/event-stream"], ...rateHeaders.slice(1)],
      body: null,
      stream: {
        events: [...events, { ...event(tokens + 2, {}), data: "[DONE]" }],
        comments: 0,
        pendingAtEnd: false,
        validUtf8: true,
        bytes: 1,
        sha256: "",
      },
    },
  });
}

function answerOf(): Exchange {
  const text = JSON.stringify({
    id: "c1",
    object: "chat.completion",
    created: 1_790_000_000,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "word ".repeat(20) }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
  });
  return exchangeOf({
    response: {
      status: 200,
      headers: rateHeaders,
      body: { bytes: text.length, sha256: "", text, truncated: false },
      stream: null,
    },
  });
}

/** The same response once more, as a record of its own: what is kept of a body that was read must not help the next. */
function copyOf(exchange: Exchange): Exchange {
  const { response } = exchange;
  if (response === null) return exchange;
  return { ...exchange, response: { ...response, body: response.body === null ? null : { ...response.body } } };
}

/** CPU microseconds of one call, each with a record of its own; the median of seven batches. */
function costOf(exchange: Exchange, batch: number, work: (exchange: Exchange) => void): number {
  work(exchange);
  const costs = Array.from({ length: 7 }, () => {
    const copies = Array.from({ length: batch }, () => copyOf(exchange));
    const before = process.cpuUsage();
    for (const copy of copies) work(copy);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / batch;
  });
  return costs.toSorted((a, b) => a - b)[3] ?? Number.NaN;
}

const manifest = manifestFor("http://127.0.0.1:1");
const validator = createValidator();
const passive = createPassiveValidator({
  judges: allJudges,
  context: { manifest, validate: (schema, value) => validator.validate(schema, value) },
});
const events = 40;
const stream = streamOf(events);
const answer = answerOf();
const parse = costOf(answer, 5000, ({ response }) => void JSON.parse(response?.body?.text ?? "null"));
console.log("| per response | CPU us | beside JSON.parse of the body |\n|---|---|---|");
const row = (what: string, cost: number): void => console.log(`| ${what} | ${cost.toFixed(2)} | ${(cost / parse).toFixed(1)} |`);
row("JSON.parse of a 400-byte completion", parse);
row(
  "figures of an answer",
  costOf(answer, 5000, (one) => void measureExchange(one, context)),
);
row(`figures of a stream, per event of ${events}`, costOf(stream, 1000, (one) => void measureExchange(one, context)) / events);
row(
  "every passive judge on an answer",
  costOf(answer, 2000, (one) => passive.observe(one)),
);
row(`every passive judge on a stream, per event of ${events}`, costOf(stream, 200, (one) => passive.observe(one)) / events);

const many = 1_000_000;
const random = createRandom(1);
const records: LoadRecord[] = Array.from({ length: many }, (_, index) => {
  const atMs = (600_000 * index) / many;
  const endMs = atMs + 20 + 80 * random.next();
  return {
    ...notSentRecord({ ...context, intendedMs: atMs, issuedMs: atMs }),
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
const startedMs = performance.now();
const result = summarizeLoad({
  profile,
  workload: "chat",
  records,
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
  steps: [],
  knee: null,
  stopReason: null,
  random,
  limits: () => null,
});
const { user, system } = process.cpuUsage(before);
console.log(
  `\nresult of ${many} records: ${((user + system) / 1e6).toFixed(2)} s of CPU, ${((performance.now() - startedMs) / 1000).toFixed(2)} s wall, ` +
    `${(process.memoryUsage().rss / 1e6).toFixed(0)} MB resident, ${(JSON.stringify(result).length / 1e6).toFixed(2)} MB of JSON`,
);
