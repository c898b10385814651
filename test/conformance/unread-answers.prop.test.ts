import { describe, expect, it } from "vitest";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { weightOf } from "../../src/conformance/judging/subjects.ts";
import type { Judge } from "../../src/conformance/judging/judge.ts";
import { judgeExchanges } from "../../src/conformance/verdict/judge-exchanges.ts";
import { PassiveValidator } from "../../src/conformance/verdict/passive-validator.ts";
import { factsOf } from "../../src/core/exchange/exchange-facts.ts";
import type { Exchange, RecordedBody } from "../../src/core/exchange/exchange.ts";
import { sampleOf } from "../make/runner/sample.ts";
import { textBody } from "../make/exchanges/make-exchange.ts";
import { firstOfEachKind, readGolden } from "./judges/read-golden.ts";

const { exchanges, context } = readGolden();
const stages = ["conformance", "limits", "load"] as const;
/** Judges of the record look at the whole of it each time. */
const ofExchanges = allJudges.filter(({ scope }) => scope === "exchange");
const judgesOf = { conformance: allJudges, limits: ofExchanges, load: ofExchanges };

function withBody(exchange: Exchange, change: (body: RecordedBody) => RecordedBody): Exchange {
  const { response } = exchange;
  if (response?.body == null || response.body.bytes === 0) return exchange;
  return { ...exchange, response: { ...response, body: change(response.body) } };
}

/** Ways in which a body cannot be read. */
const ways: readonly (readonly [name: string, change: (body: RecordedBody) => RecordedBody])[] = [
  ["does not fit its coding", ({ bytes }) => ({ bytes, sha256: "", base64: "", truncated: true, unread: { cause: "coding" } })],
  [
    "names a coding that was not asked for",
    ({ bytes }) => ({ bytes, sha256: "", base64: "", truncated: true, unread: { cause: "unknown-coding" } }),
  ],
  [
    "is too long and junk",
    () => ({ bytes: 2e6, sha256: "", text: "xxx", truncated: true, unread: { cause: "length", malformed: "junk" } }),
  ],
  ["is too long", () => ({ bytes: 2e6, sha256: "", text: '{"a', truncated: true, unread: { cause: "length", malformed: null } })],
  ["found no room", ({ bytes }) => ({ bytes, sha256: "", base64: "", truncated: true, unread: { cause: "room" } })],
  ["has no characters", () => ({ bytes: 1e6, sha256: "", base64: "/////w==", truncated: true })],
  ["was cut", ({ text = "" }) => textBody(text.slice(0, -1))],
  ["is empty", () => textBody("")],
];

/** All outcomes of a judge on a record in order, by requirement. */
function sayings(judge: Judge, record: readonly Exchange[]): ReadonlyMap<string, readonly string[]> {
  const said = new Map<string, string[]>();
  for (const { requirement, outcome, unread } of judgeExchanges(record, [judge], context))
    said.set(requirement, [...(said.get(requirement) ?? []), unread === true ? "unread" : outcome]);
  return said;
}

/** Requirements on which a judge says something else, or nothing, when the body holds something else: it reads bodies for them. */
function readsFor(judge: Judge, record: readonly Exchange[]): readonly string[] {
  const lawful = sayings(judge, record);
  const others = ["{}", '{"object":"WRONG","data":"WRONG","error":{"code":1}}', "[7]"].map((text) =>
    sayings(
      judge,
      record.map((exchange) => withBody(exchange, () => textBody(text))),
    ),
  );
  return [...lawful].filter(([row, said]) => others.some((other) => other.get(row)?.join() !== said.join())).map(([row]) => row);
}

describe.each(stages)("an answer of the stage %s whose body", (stage) => {
  const record = exchanges.map((exchange): Exchange => ({ ...exchange, stage }));
  const reads = new Map<Judge, readonly (readonly [record: readonly Exchange[], rows: readonly string[]])[]>();
  /** Records to spoil, with the rows for which the judge reads bodies of them. */
  const readingsOf = (judge: Judge) => {
    // A judge of single answers is asked about one at a time, so that no other hides what it leaves out.
    const records = judge.scope === "exchange" ? kinds.map((one) => [one]) : [record];
    const known = reads.get(judge) ?? records.map((one) => [one, readsFor(judge, one)] as const);
    reads.set(judge, known);
    return known;
  };
  const kinds = [...firstOfEachKind(record).values()].filter((exchange) => (exchange.response?.body?.bytes ?? 0) > 0);

  it.each(stage === "conformance" ? ways : sampleOf(ways, 4))("%s passes in silence nowhere", (name, change) => {
    const silent: string[] = [];
    let asked = 0;
    for (const judge of judgesOf[stage]) {
      for (const [lawful, rows] of readingsOf(judge)) {
        if (rows.length === 0) continue;
        const spoilt = lawful.map((exchange) => withBody(exchange, change));
        if (!spoilt.some((one) => factsOf(one).obstacle !== null && weightOf(factsOf(one)) === "fail")) continue;
        const said = sayings(judge, spoilt);
        for (const row of rows) {
          asked += 1;
          const isHeard = (said.get(row) ?? []).some((one) => one !== "pass" && one !== "observed");
          // An answer arrives whole, and with a stated status, whatever it holds; a failure that it reports is one more end where it can be read.
          if (row === "SVC-021" || row === "SVC-023") continue;
          const isDecided = name === "is too long" && ["SVC-001", "ERR-012", "AUD-019"].includes(row);
          if (!isHeard && !isDecided) silent.push(`${judge.id} ${row}: ${said.get(row)?.join() ?? "nothing"}`);
        }
      }
    }
    expect(asked).toBeGreaterThan(20);
    expect([...new Set(silent)]).toEqual([]);
  });

  it.each(stage === "conformance" ? ways : sampleOf(ways, 4))(
    "%s is in the account under the name of that, and everything adds up",
    (_name, change) => {
      const validator = new PassiveValidator({ judges: allJudges, context });
      for (const exchange of record) validator.observe(withBody(exchange, change));
      const { account, responsesSeen } = validator.summary();
      for (const { sent, judged, unreadable, excused } of account)
        expect([...unreadable, ...excused].reduce((sum, { count }) => sum + count, judged)).toBe(sent);
      expect(account.reduce((sum, { sent }) => sum + sent, 0)).toBe(responsesSeen);
      const named = account.flatMap(({ unreadable, excused }) => [...unreadable, ...excused]);
      expect(named.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(record.length / 4);
    },
  );
});
