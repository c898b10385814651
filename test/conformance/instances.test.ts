import { describe, expect, it } from "vitest";
import { fisherExact } from "../../src/conformance/judging/refused-by-chance.ts";
import { findInstanceMarks } from "../../src/conformance/verdict/instance-marks.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { Finding } from "../../src/core/result/finding.ts";
import { type ExchangeDraft, makeExchange } from "../make/exchanges/make-exchange.ts";
import { type PassingAnswer, startGateway } from "../make/wire/gateway.ts";
import { type Examined, examineReference } from "./examine-reference.ts";

const differ = "instances behind this address answer differently";
const suites = ["core", "chat", "models"] as const;

describe("instances behind one address", () => {
  /** Of two instances one is older; which of them answers is chance. */
  async function behindGateway(
    older: (answer: PassingAnswer) => Partial<PassingAnswer>,
    mutants: readonly string[] = [],
  ): Promise<Examined> {
    let answers = 0;
    const gateway = await startGateway((answer) => {
      const isOlder = Math.imul((answers += 1), 2_654_435_761) >>> 0 < 2 ** 31;
      return isOlder ? older(answer) : { headers: { ...answer.headers, server: "gateway/2.0" } };
    });
    try {
      return await examineReference({ suites, mutants, manifest: gateway.before });
    } finally {
      await gateway.close();
    }
  }
  const failing = ({ findings }: Examined): readonly Finding[] => findings.filter(({ verdict }) => verdict === "fail");

  it("that are lawful and differ in a field are no finding", async () => {
    const { findings, exchanges } = await behindGateway(({ headers }) => ({ headers: { ...headers, server: "gateway/1.8" } }));
    expect(findings).toEqual([]);
    expect(
      findInstanceMarks(exchanges)
        .map(({ words }) => words)
        .toSorted(),
    ).toEqual(["server: gateway/1.8", "server: gateway/2.0"]);
  });

  it("are named by their field where one of them is wrong, with the share", async () => {
    const { findings } = await examineReference({ mutants: ["transport/older-instance"], suites });
    const completion = findings.find(({ requirement }) => requirement === "CMPL-004");
    const shares = /wrong in (\d+) of (\d+) answers, each with server: gateway\/1\.8, as 0 of the (\d+) right ones: (.*)$/;
    const [, wrong, all, right, words] = shares.exec(completion?.message ?? "") ?? [];
    expect([Number(wrong) + Number(right), words]).toEqual([Number(all), differ]);
    expect(Number(wrong) / Number(all)).toBeGreaterThan(0.2);
    expect(Number(wrong) / Number(all)).toBeLessThan(0.6);
  });

  it("are one finding where one of them refuses with another status everywhere", async () => {
    const examined = await behindGateway(({ status, headers }) => ({
      status: status === 422 ? 400 : status,
      headers: { ...headers, server: "gateway/1.8" },
    }));
    const merged = failing(examined).filter(({ message }) => message.includes(`each with server: gateway/1.8`));
    expect(merged.map(({ message }) => message)).toEqual([expect.stringContaining(differ)]);
    expect(merged[0]?.also.length).toBeGreaterThan(8);
    // A few of which every request met the same instance may stand beside it.
    expect(failing(examined).length).toBeLessThan(6);
  });

  it("are named by their clocks where these differ", async () => {
    const examined = await behindGateway(({ status, headers }) => ({
      status: status === 422 ? 400 : status,
      headers: { ...headers, date: new Date(Date.parse(headers["date"] ?? "") - 20_000).toUTCString() },
    }));
    expect(failing(examined).some(({ message }) => message.includes(`each with a Date 20 s behind that of others`))).toBe(true);
  });

  it("are not blamed for what the request decides", async () => {
    const { findings } = await behindGateway(
      ({ headers }) => ({ headers: { ...headers, server: "gateway/1.8" } }),
      ["chat/temperature-unchecked"],
    );
    expect(findings.length).toBeGreaterThan(0);
    expect(findings.filter(({ message }) => message.includes(differ))).toEqual([]);
  });
});

describe("marks of instances", () => {
  const answer = (seq: number, draft: ExchangeDraft): Exchange => makeExchange({ seq, endpoint: "models", ...draft });
  const namesOf = (...drafts: readonly ExchangeDraft[]): readonly string[] =>
    findInstanceMarks(drafts.map((draft, place) => answer(place + 1, draft))).map(({ words }) => words);
  const times = (count: number, draft: ExchangeDraft): readonly ExchangeDraft[] => Array.from({ length: count }, () => draft);
  const served = (server: string): ExchangeDraft => ({ headers: [["Server", server]] });

  it("are values that equal requests get now and then, each several times", () => {
    expect(namesOf(...times(3, served("a")), ...times(4, served("b")))).toEqual(["server: a", "server: b"]);
    expect(namesOf(...times(3, served("a")), ...times(2, served("b")))).toEqual(["server: a"]);
    expect(namesOf(...times(9, served("a")))).toEqual([]);
  });

  it("are none where the request or the status decides, or each answer has its own", () => {
    const other = { path: "/v1/models?x=1" };
    expect(namesOf(...times(3, served("a")), ...times(3, { ...served("b"), ...other }))).toEqual([]);
    expect(namesOf(...times(3, served("a")), ...times(3, { ...served("b"), status: 404 }))).toEqual([]);
    expect(namesOf(...Array.from({ length: 30 }, (_, place) => served(`id-${Math.floor(place / 3)}`)))).toEqual([]);
    const counted = (value: string): ExchangeDraft => ({ headers: [["x-ratelimit-remaining-requests", value]] });
    expect(namesOf(...times(3, counted("1")), ...times(3, counted("2")))).toEqual([]);
  });

  it("are models in bodies, too", () => {
    const named = (model: string): ExchangeDraft => ({ endpoint: "chat", sent: { model: "m" }, received: { model } });
    expect(namesOf(...times(3, named("m")), ...times(3, named("m-0613")))).toEqual(["model: m", "model: m-0613"]);
  });

  it("have no clock of their own where this machine read their answers late", () => {
    const calm = Array.from({ length: 6 }, (): ExchangeDraft => ({}));
    const late = (lateMs: number): readonly ExchangeDraft[] =>
      Array.from({ length: 4 }, (_, index) => ({ sentMs: 50_000 + 20_000 * index, endMs: 54_000 + 20_000 * index, lateMs }));
    expect(namesOf(...calm, ...late(0))).toContain("a Date 4 s behind that of others");
    expect(namesOf(...calm, ...late(4000))).toEqual([]);
  });

  it("are weighed by Fisher's exact test", () => {
    // Of the tea tasting (Fisher 1935): 17 of 70.
    expect(fisherExact(3, 1, 1, 3)).toBeCloseTo(17 / 70, 12);
    expect(fisherExact(4, 0, 0, 4)).toBeCloseTo(1 / 70, 12);
  });
});
