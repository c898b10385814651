import { describe, expect, it } from "vitest";
import type { Finding } from "../../../src/core/result/finding.ts";
import { joinLoadFindings } from "../../../src/run/verdict/find-load-findings.ts";
import { makeFinding } from "../../make/results/make-finding.ts";

const form = (sent: string, exchange: number): Finding["forms"][number] => ({ sent, observed: "o", exchange, count: 1 });
const underLoad = (sent: string, exchange: number, changes: Partial<Finding> = {}): Finding =>
  makeFinding({ stage: "load", id: "X", exchanges: [exchange], forms: [form(sent, exchange)], ...changes });

describe("one defect that shows several times", () => {
  it("lists where each probe and the load saw it", () => {
    const places = [
      "under load, 200 chat",
      "load p, run 1, probe with key probe, 200 chat",
      "load q, probe with key other, 200 chat",
    ];
    const found = joinLoadFindings(
      [],
      places.map((place, at) => underLoad(place, at + 1)),
    );
    expect(found).toHaveLength(1);
    expect(found[0]?.forms.map(({ sent, exchange }) => [sent, exchange])).toEqual(places.map((place, at) => [place, at + 1]));
    expect(found[0]).toMatchObject({ exchanges: [1], more: 2 });
  });

  it("is headed by a failure, whichever came first, and never stands twice", () => {
    const found = joinLoadFindings(
      [],
      [underLoad("load", 1, { verdict: "advisory" }), underLoad("probe of run 1", 2), underLoad("probe of run 2", 3)],
    );
    expect(found.map(({ verdict, forms }) => [verdict, forms.map(({ sent }) => sent)])).toEqual([
      ["fail", ["probe of run 1", "load", "probe of run 2"]],
    ]);
  });

  it("names the stage of a finding that lists no forms", () => {
    const [conformance] = joinLoadFindings([makeFinding({ id: "X" })], [underLoad("probe", 2)]);
    expect(conformance?.forms.map(({ sent }) => sent)).toEqual(["in conformance", "probe"]);
    const [load] = joinLoadFindings([], [underLoad("", 1, { forms: [] }), underLoad("probe", 2)]);
    expect(load?.forms.map(({ sent }) => sent)).toEqual(["under load", "probe"]);
  });

  it("leaves an advisory of conformance as it is, and a failure under load beside it", () => {
    const advisory = makeFinding({ id: "X", verdict: "advisory" });
    const failure = underLoad("probe", 2);
    expect(joinLoadFindings([advisory], [failure])).toEqual([advisory, failure]);
  });

  it("has at most twelve forms", () => {
    const many = Array.from({ length: 30 }, (_, at) => underLoad(`run ${at}`, at + 1));
    const [found] = joinLoadFindings([], many);
    expect([found?.forms.length, found?.more]).toEqual([12, 29]);
  });
});
