/**
 * Measures the cost of masking keys under load: `npm run bench:masking`. CPU of recording one answer (capture, judges, figures)
 * with the mask of load and without any, in turns; prints both and their ratio.
 */
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { PassiveValidator } from "../../src/conformance/verdict/passive-validator.ts";
import { BodyCapture } from "../../src/wire/capture/body-capture.ts";
import { createRedactor, type Redactor } from "../../src/wire/redaction/redaction.ts";
import { measureExchange } from "../../src/load/samples/measure-exchange.ts";
import { openJudgeContext } from "../../src/run/judge-context.ts";
import { manifestFor } from "../../test/make/load/load-target.ts";
import { loadAnswers } from "../load/answers.ts";
import { findWorstTexts } from "./worst-texts.ts";

const manifest = manifestFor("http://127.0.0.1:1");
const redactor = createRedactor(manifest);
const open: Redactor = { ...redactor, mask: (text) => text, maskBytes: (bytes) => bytes };
const { answer } = loadAnswers(40);
const bytes = Buffer.from(answer.response?.body?.text ?? "");
const passive = new PassiveValidator({ judges: allJudges, context: openJudgeContext(manifest) });
const policy = { textBytes: 1_048_576, binaryBytes: 65_536, digests: false };
const about = { endpoint: "chat", label: "chat", phase: "measure", step: 0, intendedMs: 0, issuedMs: 0 } as const;
const slo = { ttftMs: 500, tpotMs: null, userLatencyMs: null };

/** As the wire records an answer of load: its head and body masked, then judged and measured. */
function record(mask: Redactor): void {
  const response = answer.response;
  if (response === null) throw new Error("the sample has no answer");
  const body = new BodyCapture(policy, mask, [], () => true);
  body.write(bytes);
  const headers = response.headers.map(([name, value]) => [mask.mask(name), mask.mask(value)] as const);
  const exchange = { ...answer, response: { ...response, headers, body: body.end() } };
  passive.observe(exchange);
  measureExchange(exchange, { ...about, slo });
}

const batch = 20_000;
function cost(mask: Redactor): number {
  const before = process.cpuUsage();
  for (let count = 0; count < batch; count += 1) record(mask);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / batch;
}

cost(redactor);
cost(open);
const pairs = Array.from({ length: 7 }, () => [cost(redactor), cost(open)] as const);
const median = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[3] ?? Number.NaN;
const [masked, plain] = [median(pairs.map(([one]) => one)), median(pairs.map(([, other]) => other))];
const ratio = median(pairs.map(([one, other]) => one / other));
process.stdout.write(
  `${bytes.length} bytes: ${masked.toFixed(1)} µs an answer with masking, ${plain.toFixed(1)} without, ratio ${ratio.toFixed(2)} (median of 7 pairs)\n`,
);

const tries = 300;
const [tried, whole] = [45_000, 900_000];

function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const prose = "The quick brown fox jumps over the lazy dog, and answers 42 questions. ";
for (const name of ["mask", "maskDeep"] as const) {
  // A text of less than 4 KiB is remembered: these are longer.
  const costOf = (text: string): number => cpuOf(() => redactor[name](text));
  costOf(prose.repeat(10_000));
  const worst = findWorstTexts(costOf, tries, tried).slice(0, 5);
  const shown = [{ unit: prose }, { unit: "\\" }, ...worst].map(({ unit }) => {
    const text = unit.repeat(Math.ceil(whole / unit.length)).slice(0, whole);
    const costs = [costOf(text), costOf(text), costOf(text)].toSorted((one, other) => one - other);
    // Costs that rise by more than the length show that the time is not linear.
    const growth = (costs[0] ?? 0) / Math.max(1, Math.min(...[1, 2, 3].map(() => costOf(text.slice(0, whole / 10)))));
    return `  ${((costs[0] ?? 0) / 1000).toFixed(0).padStart(5)} ms, ${growth.toFixed(1)} times a tenth of it: ${JSON.stringify(unit.slice(0, 60))}`;
  });
  process.stdout.write(
    `${name}, ${whole} characters of repeated text, least CPU of 3 (prose, backslashes, worst of ${tries}):\n${shown.join("\n")}\n`,
  );
}
