import { describe, expect, it } from "vitest";
import { transcriptionAcceptance } from "../../../src/conformance/judges/audio/transcription-acceptance.ts";
import { transcriptionIsJson } from "../../../src/conformance/judges/audio/transcription-is-json.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange } from "../../make/exchanges/make-exchange.ts";
import { printJudge } from "./print-occurrences.ts";

function transcription(label: string, draft: ExchangeDraft = {}): Exchange {
  return makeExchange({ endpoint: "transcriptions", label, received: { text: "t" }, ...draft });
}

describe("transcription-acceptance", () => {
  const refused = (label: string): readonly string[] =>
    printJudge(transcriptionAcceptance, [transcription("other"), transcription(label, { seq: 2, status: 422 })]).slice(1);
  const reported = (requirement: string, what: string): string =>
    `${requirement} fail #2: a valid request is refused: ${what} [expected a 2xx answer to ${what}] [observed 422]`;

  it.each([
    ["mp3", "AUD-005"],
    ["mp4", "AUD-006"],
    ["mpeg", "AUD-007"],
    ["mpga", "AUD-008"],
    ["m4a", "AUD-009"],
    ["webm", "AUD-011"],
  ] as const)("blames a refusal on the format %s", (format, requirement) => {
    expect(refused(`format-${format}`)).toEqual([reported(requirement, `a recording in ${format}`)]);
  });

  it("blames it on the language, or on all that the plainest request shows", () => {
    expect(refused("language")).toEqual([reported("AUD-014", "the language en")]);
    expect(refused("format-wav")).toEqual([
      reported("AUD-001", "a WAV file and a model"),
      reported("AUD-016", "a form without a language"),
      reported("AUD-010", "a recording in wav"),
    ]);
    expect(refused("format-flac")).toEqual([]);
  });
});

describe("transcription-is-json", () => {
  const announced = (type: string, received?: string): readonly string[] => {
    const exchange = transcription("format-wav", received === undefined ? {} : { received });
    const { response } = exchange;
    return printJudge(transcriptionIsJson, [{ ...exchange, response: { ...response!, headers: [["content-type", type]] } }]);
  };
  const reported = (outcome: string, observed: string): readonly string[] => [
    `AUD-019 ${outcome} #1: a transcription is not delivered as JSON [expected a JSON body with the media type application/json] [observed ${observed}]`,
  ];

  it("wants JSON that is announced as JSON", () => {
    expect(announced("application/json")).toEqual(["AUD-019 pass #1"]);
    expect(announced("text/plain")).toEqual(reported("fail", "text/plain"));
    expect(announced("application/vnd.api+json")).toEqual(reported("advisory", "application/vnd.api+json"));
    expect(announced("application/vnd.api+json", "text")).toEqual(
      reported("fail", "200, application/vnd.api+json, 4 bytes: text"),
    );
    expect(announced("application/json", "text")).toEqual(reported("fail", "200, application/json, 4 bytes: text"));
  });
});
