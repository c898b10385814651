import { describe, expect, it } from "vitest";
import {
  recordingLabels,
  recordingsAtOnce,
  recordingsTogether,
} from "../../../../src/conformance/judges/concurrency/recordings-at-once.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

const places = Array.from({ length: recordingsTogether }, (_, place) => place);

/** The texts of each recording: the first and the second time alone, then in flight with the others. */
function verdicts(texts: readonly (readonly [first: string, second: string, together: string])[]): readonly string[] {
  const upload = (seq: number, label: string, text: string): Exchange =>
    makeExchange({ seq, caseId: "audio/recordings-at-once", label, endpoint: "transcriptions", received: { text } });
  const exchanges = [
    ...places.map((place) => upload(place, recordingLabels.alone(place).label(1), texts[place]![0])),
    ...places.map((place) => upload(10 + place, recordingLabels.alone(place).label(2), texts[place]![1])),
    ...places.map((place) => upload(20 + place, recordingLabels.together.label(place), texts[place]![2])),
  ];
  return printJudge(recordingsAtOnce, exchanges).map((line) => line.split(":")[0] ?? "");
}

describe("recordings-at-once", () => {
  it("passes where each recording gets the text that it gets alone", () => {
    const own = ["a", "b", "c"].map((text) => [text, text, text] as const);
    expect(verdicts(own)).toEqual(places.map((place) => `SVC-022 pass #${20 + place}`));
  });

  it("fails where recordings get the text of another one", () => {
    const shared = ["a", "b", "c"].map((text) => [text, text, "c"] as const);
    expect(verdicts(shared)).toEqual([...[20, 21].map((seq) => `SVC-022 fail #${seq}`), "SVC-022 pass #22"]);
  });

  it("says nothing of one text by chance, of a text of its own, and of a model that hears something else each time", () => {
    const chance = ["a", "b", "c"].map((text, place) => [text, text, place === 0 ? "b" : text] as const);
    expect(verdicts(chance)).toEqual([21, 22].map((seq) => `SVC-022 pass #${seq}`));
    expect(verdicts(["a", "b", "c"].map((text) => [text, text, `${text} once more`]))[0]).toBe("SVC-022 pass #20");
    expect(verdicts(["a", "b", "c"].map((text) => [text, `${text}!`, "c"]))).toEqual([]);
    expect(verdicts(places.map(() => ["", "", ""]))).toEqual([]);
  });
});
