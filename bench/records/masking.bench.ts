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
