import { openJudgeContext } from "../../src/run/record/judge-context.ts";
import { describe, expect, it } from "vitest";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { judgeExchanges } from "../../src/conformance/verdict/judge-exchanges.ts";
import type { EndpointId } from "../../src/core/exchange/endpoint.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { mutateJson } from "./mutate-json.ts";
import { examineHealthy } from "../conformance/examine-healthy.ts";

const endpoints: ReadonlySet<EndpointId> = new Set(["embeddings", "images", "transcriptions", "models", "usage"]);

const run = await examineHealthy();
const context = openJudgeContext(run.manifest);
const golden = run.exchanges.filter(
  ({ endpoint, intent, response }) =>
    endpoint !== null && endpoints.has(endpoint) && intent.kind === "valid" && response?.status === 200,
);

/** One exchange for each endpoint and kind of answer, so that the matrix stays small. */
const chosen: readonly (readonly [EndpointId, string, string])[] = [
  ["embeddings", "embeddings/encodings", "float"],
  ["embeddings", "embeddings/encodings", "base64"],
  ["embeddings", "embeddings/inputs", "batch"],
  ["images", "images/number", "two"],
  ["transcriptions", "audio/formats", "format-wav"],
  ["models", "models/list", "list"],
  ["usage", "usage/windows", "frame-4"],
];

/** Changes that nothing may be said about, with the reason. A survivor that is not listed here is a hole in a judge. */
const explained: Readonly<Record<string, readonly string[]>> = {
  "images/number two": [
    // Another absolute address; whether it leads to an image shows when it is fetched, and that happened already.
    "other-constant /data/0/url",
    // Any text is a prompt that was used, the empty one included: only the type is described.
    "other-constant /data/0/revised_prompt",
    "empty /data/0/revised_prompt",
    "other-constant /data/1/url",
    "other-constant /data/1/revised_prompt",
    "empty /data/1/revised_prompt",
  ],
  // What was said cannot be known, and silence has no words.
  "audio/formats format-wav": ["other-constant /text", "empty /text"],
  "models/list list": [
    // Another model, or one less: which models exist is up to the service. `models-are-listed` needs requests that name one.
    "drop /data/0",
    "other-constant /data/0/id",
    // Any string is an owner.
    "other-constant /data/0/owned_by",
    "empty /data/0/owned_by",
    "drop /data/1",
    "other-constant /data/1/id",
    "other-constant /data/1/owned_by",
    "empty /data/1/owned_by",
  ],
  // The bucket of yesterday, which is empty: whether it is listed is left open (USG-034).
  "usage/windows frame-4": ["drop /data/0"],
};

function withBody(exchange: Exchange, value: unknown): Exchange {
  const text = JSON.stringify(value);
  const body = { bytes: text.length, sha256: "", text, truncated: false };
  return { ...exchange, response: { ...exchange.response!, body } };
}

/** Complaints of all judges about the record with this exchange, as one comparable text each. */
function complaints(exchange: Exchange, record: readonly Exchange[]): readonly string[] {
  return judgeExchanges(
    record.map((one) => (one.seq === exchange.seq ? exchange : one)),
    allJudges,
    context,
  )
    .filter(({ outcome }) => outcome !== "pass" && outcome !== "observed")
    .map(({ requirement, judge, message }) => `${requirement} ${judge} ${message}`);
}

describe("generated mutants of answers", () => {
  it.each(chosen)(
    "every change of an answer of %s (%s, %s) is complained about, but for what the specification leaves open",
    (endpoint, caseId, label) => {
      const exchange = golden.find((one) => one.endpoint === endpoint && one.caseId === caseId && one.label === label)!;
      const record = golden.filter((one) => one.endpoint === endpoint && one.caseId === caseId);
      expect(complaints(exchange, record)).toEqual([]);
      const mutations = mutateJson(JSON.parse(exchange.response!.body!.text!));
      const survivors = mutations
        .filter(({ value }) => complaints(withBody(exchange, value), record).length === 0)
        .map(({ operator, path }) => `${operator} ${path}`);
      expect(mutations.length).toBeGreaterThan(4);
      expect(survivors).toEqual(explained[`${caseId} ${label}`] ?? []);
    },
  );
});

describe("rows on shapes", () => {
  it("are each reported by some generated mutant, or by a body of another kind", () => {
    const stated = new Set<string>();
    for (const [endpoint, caseId, label] of chosen) {
      const exchange = golden.find((one) => one.endpoint === endpoint && one.caseId === caseId && one.label === label)!;
      const changes = mutateJson(JSON.parse(exchange.response!.body!.text!)).map(({ value }) => value);
      for (const value of [...changes, [], "text", null]) {
        for (const complaint of complaints(withBody(exchange, value), [exchange])) stated.add(complaint.split(" ")[0]!);
      }
    }
    const rows = allJudges.filter(({ id }) => id.endsWith("-shape") && shapes.has(id)).flatMap(({ covers }) => covers);
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter((row) => !stated.has(row))).toEqual([]);
  });
});

const shapes: ReadonlySet<string> = new Set([
  "embedding-list-float-shape",
  "embedding-list-base64-shape",
  "image-result-shape",
  "transcription-shape",
  "model-list-shape",
  "usage-report-shape",
]);
