import { describe, expect, it } from "vitest";
import type { Sender, SendRequest } from "../../../src/core/exchange/send-request.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { boundPrice } from "../../../src/limits/history/price-bounds.ts";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { isWhole } from "../../make/runner/sample.ts";
import { recordSwitch, type SwitchExam } from "../sockets/examine-switch.ts";

type Model = keyof Manifest["models"];

/** Names these models only, and offers no pictures unless they are declared. */
const naming =
  (models: readonly Model[], images = false): NonNullable<SwitchExam["declare"]> =>
  (manifest) => ({
    ...manifest,
    features: { ...manifest.features, images },
    models: Object.fromEntries(
      Object.entries(manifest.models).map(([name, id]) => [name, models.includes(name as Model) ? id : null]),
    ) as unknown as Manifest["models"],
  });

/** The endpoint of pictures is not there. */
function withoutPictures(sender: Sender): Sender {
  const elsewhere = (request: SendRequest): SendRequest =>
    request.endpoint === "images" ? { ...request, path: "/v1/images/elsewhere" } : request;
  return { send: (request) => sender.send(elsewhere(request)), burst: (requests) => sender.burst(requests.map(elsewhere)) };
}

interface Outcome {
  readonly bought: readonly (string | null)[];
  readonly verdicts: Readonly<Record<string, string>>;
  readonly against: readonly string[];
  readonly left: readonly string[];
}

async function examine(id: string | null, options: SwitchExam): Promise<Outcome> {
  const one = id === null ? null : findSwitch(id);
  const record = await recordSwitch("spend", one, { time: "blind", ...options });
  const { policies, spent } = judgeLimits({ ...record, strict: false }).result;
  expect(spent.cents).toBeLessThanOrEqual(record.promisedCents);
  const checks = policies.flatMap((policy) => policy.checks);
  const raised = record.exchanges.filter(({ intent }) => intent.kind === "limit" && intent.phase === "raised");
  return {
    bought: [...new Set(raised.map(({ endpoint }) => endpoint))],
    verdicts: Object.fromEntries(policies.map(({ kind, verdict }) => [kind, verdict])),
    against: checks.filter(({ verdict }) => verdict === "fail" || verdict === "advisory").map((check) => check.id),
    left: record.notJudged.filter(({ policy }) => policy === "spend caps").map(({ text }) => text),
  };
}

const kinds = [
  ["embedding", "embeddings"],
  ["chat", "chat"],
  ["transcription", "transcriptions"],
] as const;

/** Each of the models in the whole run, one of them otherwise. */
const someOf = (index: number): typeof kinds | readonly (typeof kinds)[number][] => (isWhole ? kinds : [kinds[index % 3]!]);

const whole = { "key-cap": "pass", "account-cap": "pass" };

describe("caps of a target without pictures", () => {
  it.each(kinds)("are examined with what a model of %s costs", async (model, endpoint) => {
    for (const seed of isWhole ? [1, 2, 3] : [1]) {
      const found = await examine(null, { seed, declare: naming([model]) });
      expect(found).toEqual({ bought: [endpoint], verdicts: whole, against: [], left: [] });
    }
  });

  it("are examined with it where the key is served no pictures, too", async () => {
    const found = await examine(null, { through: withoutPictures });
    expect(found).toEqual({ bought: ["embeddings"], verdicts: whole, against: [], left: [] });
  });

  const mutants = [
    ["spend/raising-ignored", "spend.raise-ignored"],
    ["spend/never-charged", "spend.admitted-at-cap"],
    ["spend/cap-in-dollars", "spend.admitted-at-cap"],
    ["spend/lowering-ignored", "spend.lower-ignored"],
    ["spend/account-cap-ignored", "spend.account-cap-ignored"],
    ["spend/key-cap-hits-account", "spend.keys-share-cap"],
    ["spend/recovers", "spend.reopened"],
    ["spend/rate-error-shape", "spend.refusal-shape"],
  ] as const;
  it.each(mutants.map(([mutant, check], index) => [mutant, check, someOf(index)] as const))(
    "fail %s as with pictures (%s)",
    async (mutant, check, some) => {
      for (const [model] of some) expect((await examine(mutant, { declare: naming([model]) })).against).toContain(check);
    },
  );

  const lawful = [
    "spend/after-crossing",
    "spend/account-first",
    "usage/report-lags",
    "usage/report-in-steps",
    "spend/check-then-charge",
  ];
  it.each(lawful.map((id, index) => [id, someOf(index + 1)] as const))(
    "accuse no %s, which is lawful where costs are known when an answer has ended",
    async (id, some) => {
      for (const [model] of some) expect((await examine(id, { declare: naming([model]) })).against).toEqual([]);
    },
  );

  it("are left out by name where nothing can be bought", async () => {
    expect(await examine(null, { declare: naming([]) })).toMatchObject({
      verdicts: {},
      left: ["the manifest names nothing that costs money (models, features.images)"],
    });
    const { verdicts, left } = await examine(null, { declare: naming([], true), through: withoutPictures });
    expect([verdicts, left]).toEqual([{}, ["none of 1 purchases was served: the first was answered 404 (images)"]]);
  });
});

describe("the price of alike texts", () => {
  const report = (sentMs: number, cents: number): Parameters<typeof boundPrice>[0][number] => ({
    sentMs,
    headersMs: sentMs + 1,
    cents,
  });
  const bought = (usedTokens: number | null): Parameters<typeof boundPrice>[1][number] => ({
    sentMs: 5,
    endMs: 6,
    outcome: "admitted",
    endpoint: "chat",
    usedTokens,
  });

  it("leaves room for marks and short answers, and is not known where tokens differ by more", () => {
    const reports = [report(0, 0), report(20, 10)];
    const { lowCents, highCents } = boundPrice(reports, [bought(1000), bought(1040)]);
    expect([lowCents, highCents].map((cents) => cents.toFixed(2))).toEqual(["4.29", "5.78"]);
    expect(boundPrice(reports, [bought(1000), bought(1100)])).toEqual({ lowCents: 0, highCents: Number.POSITIVE_INFINITY });
  });
});
