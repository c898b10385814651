import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExchangeJudge } from "../../../src/conformance/judging/judge.ts";
import { createPassiveValidator } from "../../../src/conformance/verdict/passive-validator.ts";
import { judgeExchange } from "../../../src/conformance/verdict/judge-exchanges.ts";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import { allJudges } from "../../../src/conformance/judges/all-judges.ts";
import type { Exchange, RecordedBody } from "../../../src/core/exchange/exchange.ts";
import { firstOfEachKind, readGolden } from "../judges/read-golden.ts";

const { exchanges, context } = readGolden();
const judges = allJudges.filter((judge): judge is ExchangeJudge => judge.scope === "exchange");

/** One answer of each kind that load meets, meant as load means it. */
const answers = [...firstOfEachKind(exchanges).values()]
  .filter(({ response }) => response !== null)
  .map((exchange): Exchange => ({ ...exchange, intent: { kind: "load", profile: "steady", phase: "measure" } }));

/** What answers hold, and what they should not. */
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, "", " ", 0, -1, 0.5, 1e12, true, "0", "quota_exceeded", "monthly_spend", "<key:primary>"),
  fc.constantFrom(
    [],
    {},
    [0.5],
    ["x"],
    [null],
    "AACAPw==",
    "AACAfw==",
    "AACAP",
    "https://a.example",
    "https://",
    "https://a b",
    "a.png",
    "2026-01-31T24:00:00Z",
  ),
  fc.constantFrom(1_790_000_000, 1_790_000_030, 12, 60, 86_400, 86_401, 600_000_000_000),
  fc.jsonValue({ maxDepth: 1 }),
);

/** A place of a value: the numbers choose a member or an item at each level, as far as there are any. */
const path = fc.array(fc.nat(50), { minLength: 1, maxLength: 5 });

type Change = (value: unknown, path: readonly number[]) => unknown;

function changeAt(value: unknown, [first = 0, ...rest]: readonly number[], change: Change): unknown {
  if (typeof value !== "object" || value === null) return change(value, []);
  const names = Object.keys(value);
  const name = names[first % Math.max(1, names.length)];
  if (name === undefined) return change(value, []);
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
  if (rest.length > 0) copy[name] = changeAt(copy[name], rest, change);
  else copy[name] = change(copy[name], []);
  return copy;
}

const change: fc.Arbitrary<(value: unknown) => unknown> = fc.oneof(
  fc.tuple(path, odd).map(
    ([at, put]) =>
      (value: unknown) =>
        changeAt(value, at, () => put),
  ),
  path.map((at) => (value: unknown) => changeAt(value, at, () => undefined)),
  // The last item once more: repeated identifiers, wrong numbers of items.
  path.map(
    (at) => (value: unknown) => changeAt(value, at, (one) => (Array.isArray(one) ? [...(one as unknown[]), one.at(-1)] : one)),
  ),
  fc.tuple(fc.constantFrom("retry-after", "retry_after_ms", "cap_type", "error", "usage", "n"), odd).map(
    ([name, put]) =>
      (value: unknown) =>
        typeof value === "object" && value !== null ? { ...value, [name]: put } : value,
  ),
);

const field = fc.tuple(
  fc.constantFrom(
    "retry-after",
    "www-authenticate",
    "content-type",
    "date",
    "ratelimit-limit",
    ...["limit", "remaining", "reset"].flatMap((member) => [`x-ratelimit-${member}-requests`, `x-ratelimit-${member}-tokens`]),
  ),
  fc.array(fc.constantFrom("0", "1", " 1", "12", "60", "1.5", "-1", "", "1790000030", "86401", "application/json; x=y", "soon"), {
    maxLength: 2,
  }),
);

function withText(body: RecordedBody | null, edit: (value: unknown) => unknown): RecordedBody | null {
  if (body?.text === undefined || body.bytes === 0) return body;
  let value: unknown;
  try {
    value = JSON.parse(body.text);
  } catch {
    return body;
  }
  const text = JSON.stringify(edit(value)) ?? "";
  return { ...body, text, bytes: Buffer.byteLength(text) };
}

interface Edit {
  readonly bodies: readonly ((value: unknown) => unknown)[];
  readonly requests: readonly ((value: unknown) => unknown)[];
  readonly fields: readonly (readonly [string, readonly string[]])[];
  readonly status: number | null;
}

function edited(exchange: Exchange, { bodies, requests, fields, status }: Edit): Exchange {
  const { request, response } = exchange;
  if (response === null) return exchange;
  const all = (changes: Edit["bodies"]) => (value: unknown) => changes.reduce((held, one) => one(held), value);
  let { headers } = response;
  for (const [name, values] of fields) {
    headers = [
      ...headers.filter(([known]) => known.toLowerCase() !== name),
      ...values.map((value): [string, string] => [name, value]),
    ];
  }
  return {
    ...exchange,
    request: { ...request, body: withText(request.body, all(requests)) },
    response: { ...response, status: status ?? response.status, headers, body: withText(response.body, all(bodies)) },
  };
}

const edit: fc.Arbitrary<Edit> = fc.record({
  bodies: fc.array(change, { maxLength: 2 }),
  requests: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(change, { maxLength: 1 }) }),
  fields: fc.array(field, { maxLength: 2 }),
  status: fc.option(fc.constantFrom(200, 401, 429, 500, 503), { freq: 4 }),
});

/** What is counted of one answer under load, beside a plain count of what the judges say about it. */
function countBoth(exchange: Exchange): readonly [counted: unknown, said: unknown] {
  const passive = createPassiveValidator({ judges, context });
  passive.observe({ ...exchange, stage: "load" });
  const [counted = new Map<string, number>()] = [...passive.counts().considered.values()];
  const said = new Map<string, number>();
  for (const { requirement } of judgeExchange(factsOf({ ...exchange, stage: "load" }), judges, context)) {
    said.set(requirement, (said.get(requirement) ?? 0) + 1);
  }
  const inOrder = (counts: ReadonlyMap<string, number>): unknown => [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return [inOrder(counted), inOrder(said)];
}

describe("what is counted under load is what the judges say", () => {
  it.each(["https://", "https://a b", "https://[", "//a.example", " https://a.example", "ftp://a.example", "data:,"])(
    "about an image at %j",
    (url) => {
      const images = answers.filter(({ endpoint }) => endpoint === "images");
      expect(images.length).toBeGreaterThan(0);
      for (const answer of images) {
        const put = (value: unknown): unknown => changeAt(value, [1], () => [{ url }]);
        const [counted, said] = countBoth(edited(answer, { bodies: [put], requests: [], fields: [], status: null }));
        expect(counted).toEqual(said);
      }
    },
  );

  it("about answers with a few things changed", () => {
    fc.assert(
      fc.property(fc.constantFrom(...answers), edit, (answer, change) => {
        const [counted, said] = countBoth(edited(answer, change));
        expect(counted).toEqual(said);
      }),
      { numRuns: 1000 },
    );
  });
});
