import { describe, expect, it } from "vitest";
import { imageAcceptance } from "../../../src/conformance/judges/images/image-acceptance.ts";
import { fetchLabel, imageFetch } from "../../../src/conformance/judges/images/image-fetch.ts";
import { imageNeedsNoModel } from "../../../src/conformance/judges/images/image-needs-no-model.ts";
import { imageResult } from "../../../src/conformance/judges/images/image-result.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange } from "../../make/exchanges/make-exchange.ts";
import { printJudge } from "./print-occurrences.ts";

const address = "https://images.example/1.png";

/** One image behind an address. */
function generation(sent: unknown, url: unknown = address, draft: ExchangeDraft = {}): Exchange {
  return makeExchange({ endpoint: "images", label: "made", sent, received: { data: [{ url }] }, ...draft });
}

function fetched(receivedBytes: Uint8Array | undefined, draft: ExchangeDraft = {}): Exchange {
  const intent = { kind: "housekeeping", purpose: "fetch an image" } as const;
  const usual = { seq: 2, endpoint: null, keyName: null, label: fetchLabel("made", 0), path: address, intent } as const;
  return makeExchange({ ...usual, ...(receivedBytes === undefined ? {} : { receivedBytes }), ...draft });
}

/** The header of a WebP image is ASCII for some sizes: 1024 x 1024 is not. */
function webp(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(30);
  bytes.write("RIFF0000WEBPVP8X", "latin1");
  bytes.writeUIntLE(width - 1, 24, 3);
  bytes.writeUIntLE(height - 1, 27, 3);
  return bytes;
}

const square = webp(1024, 1024);
const outcomes = (...exchanges: readonly Exchange[]): readonly string[] => printJudge(imageFetch, exchanges);

describe("IMG-023: what an address leads to", () => {
  const accused = (seqs: string, observed: string): string =>
    `IMG-023 fail ${seqs}: the address of an image does not lead to an image [expected an image behind the address] [observed ${observed}]`;

  it("is an image, fetched or inside the address", () => {
    const passed = "[expected an image behind the address]";
    expect(outcomes(generation({}), fetched(square))).toEqual([`IMG-023 pass #1 #2 ${passed}`, "IMG-012 pass #1 #2"]);
    const inline = `data:image/webp;base64,${square.toString("base64")}`;
    expect(outcomes(generation({}, inline))).toEqual([`IMG-023 pass #1 ${passed}`, "IMG-012 pass #1"]);
    const text = fetched(undefined, { received: webp(1, 1).toString("latin1") });
    expect(outcomes(generation({ size: "1x1" }), text)).toEqual([`IMG-023 pass #1 #2 ${passed}`, "IMG-024 pass #1 #2"]);
  });

  it("is an image also where a bound of ours cut it, and unknown where that shows none", () => {
    const ends = [
      { kind: "too-large", message: "the response body exceeds 9 bytes" },
      { kind: "stream-timeout", message: "it took longer", bound: { until: "end", ms: 9 } },
    ] as const;
    for (const failure of ends) {
      expect(outcomes(generation({}), fetched(square, { failure }))[0]).toContain("IMG-023 pass");
      expect(outcomes(generation({}), fetched(undefined, { received: "<html>", failure }))[0]).toContain("IMG-023 inconclusive");
    }
  });

  it("is not shown by an address that needs credentials", () => {
    const closed = (requirement: string): string => `${requirement} observed #1 #2: an image was fetched`;
    for (const status of [401, 403]) {
      const refused = fetched(undefined, { received: "{}", status });
      const heads = outcomes(generation({}), refused).map((line) => line.split(" [")[0]!);
      expect(heads.map((line) => line.slice(0, closed("IMG-023").length))).toEqual([closed("IMG-023"), closed("IMG-012")]);
      expect(outcomes(generation({ size: "1x1" }), refused)[1]).toContain("IMG-024 observed");
    }
  });

  it("is reported where it is none", () => {
    const something = `something else behind "${address}"`;
    expect(outcomes(generation({}), fetched(undefined, { received: "<html>" }))).toEqual([accused("#1 #2", something)]);
    expect(outcomes(generation({}), fetched(square, { status: 404 }))[0]).toBe(
      accused("#1 #2", `answered 404 from "${address}"`),
    );
    expect(outcomes(generation({}, "data:image/png;base64,AAAA"))).toEqual([
      accused("#1", 'something else behind "data:image/png;base64,AAAA"'),
    ]);
    const failure = { kind: "connect-refused", message: "refused" } as const;
    expect(outcomes(generation({}), fetched(undefined, { status: null, failure }))).toEqual([
      "IMG-023 inconclusive #1 #2: the address of an image could not be reached: no complete answer (connect-refused) [expected an image behind the address]",
    ]);
  });

  it("is not known of a format that is not recognised", () => {
    const typed = (type: string, bytes: string): readonly string[] => {
      const answer = fetched(Buffer.from(bytes));
      const response = { ...answer.response!, headers: [["content-type", type]] as const };
      return outcomes(generation({}), { ...answer, response }).map((line) => line.split(" [")[0]!);
    };
    const unknown = (seqs: string, type: string): string =>
      `IMG-023 inconclusive ${seqs}: images of type "${type}" are not recognised`;
    expect(typed("image/jxl", "??")).toEqual([unknown("#1 #2", "image/jxl")]);
    expect(typed("image/HEIC; a=b", "??")).toEqual([unknown("#1 #2", "image/heic")]);
    expect(outcomes(generation({}, "data:image/jxl;base64,AAAA"))[0]).toContain(unknown("#1", "image/jxl"));
    for (const [type, bytes] of [
      ["image/png", "??"],
      ["image/x-png", "??"],
      ["image/jxl", ""],
      ["text/html", "??"],
    ] as const)
      expect(typed(type, bytes)).toEqual(["IMG-023 fail #1 #2: the address of an image does not lead to an image"]);
  });

  it.each(["data:image/png;base64,AA=", "data:image/png;base64,AA", "data:image/png;base64,AAA=="])(
    "can be read from %s in spite of its padding",
    (url) => {
      expect(outcomes(generation({}, url))).toEqual([accused("#1", `something else behind "${url}"`)]);
    },
  );

  it.each([
    "data:image/png;base64,AAAAA",
    "data:image/png;base64,AAAA===",
    "data:image/png;base64,AAAA*",
    "data:text/plain;base64,AAAA",
    "xdata:image/png;base64,AAAA",
  ])("is not looked for inside %s", (url) => {
    expect(outcomes(generation({}, url))).toEqual([]);
  });

  it("is looked for in successful answers to valid requests of the conformance stage", () => {
    const after = fetched(square);
    expect(outcomes(generation({}, address, { stage: "load" }), after)).toEqual([]);
    expect(outcomes(generation({}, address, { keyName: null }), after)).toEqual([]);
    expect(outcomes(generation({}, address, { status: 500 }), after)).toEqual([]);
    expect(outcomes(generation({}, 7), after)).toEqual([]);
    expect(outcomes(generation({}, address, { received: { data: [null] } }), after)).toEqual([]);
    expect(outcomes(generation({}, address, { received: { data: "x" } }), after)).toEqual([]);
  });

  it("is the last fetch of the same case after the request, a successful one before others", () => {
    expect(outcomes(generation({}), fetched(square, { caseId: "other/case" }))).toEqual([]);
    expect(outcomes(generation({}), fetched(square, { label: fetchLabel("made", 1) }))).toEqual([]);
    expect(outcomes(generation({}, address, { seq: 2 }), fetched(square, { seq: 1 }))).toEqual([]);
    expect(outcomes(generation({}, address, { seq: 2 }), fetched(square, { seq: 2 }))).toEqual([]);
    const missed = fetched(undefined, { status: 503 });
    expect(outcomes(generation({}), missed, fetched(square, { seq: 3 }))[0]).toContain("IMG-023 pass #1 #3");
    expect(outcomes(generation({}), missed, fetched(square, { seq: 3, status: 404 }))[0]).toContain("IMG-023 fail #1 #3");
    const again = generation({}, address, { seq: 3 });
    expect(outcomes(generation({}), missed, again, fetched(square, { seq: 4 }))[0]).toContain("IMG-023 fail #1 #2");
  });
});

describe("IMG-012 and IMG-024: the size of an image", () => {
  const size = (sent: unknown, image: Uint8Array): readonly string[] => outcomes(generation(sent), fetched(image)).slice(1);

  it("is square unless another was requested", () => {
    const plain =
      "IMG-012 fail #1 #2: an image without a requested size is not square with 1024 pixels [expected 1024 x 1024 pixels]";
    expect(size({}, webp(1024, 512))).toEqual([`${plain} [observed 1024 x 512 pixels]`]);
    expect(size({}, webp(512, 1024))).toEqual([`${plain} [observed 512 x 1024 pixels]`]);
    expect(size(undefined, square)).toEqual(["IMG-012 pass #1 #2"]);
    expect(size({ size: "1792x1024" }, webp(1792, 1024))).toEqual(["IMG-024 pass #1 #2"]);
    expect(size({ size: "1792x1024" }, square)).toEqual([
      "IMG-024 fail #1 #2: the image has another size than requested [expected 1792 x 1024 pixels] [observed 1024 x 1024 pixels]",
    ]);
  });

  it("is not judged against a size that is none", () => {
    for (const wrong of ["large", "1024x1024x", "x1024x1024", "1024x"]) expect(size({ size: wrong }, square)).toEqual([]);
    expect(size({ size: 7 }, square)).toEqual(["IMG-024 pass #1 #2"]);
  });

  it("stays open where the header is cut", () => {
    expect(size({}, square.subarray(0, 29))).toEqual([
      "IMG-012 inconclusive #1 #2: the header of the webp image could not be read",
    ]);
  });
});

describe("image-needs-no-model", () => {
  const refused = (error: unknown): Exchange => generation({ prompt: "p" }, "", { status: 422, received: { error } });
  const stated = (...exchanges: readonly Exchange[]): readonly string[] => printJudge(imageNeedsNoModel, exchanges);
  const accused = (seqs: string): readonly string[] => [
    `IMG-001 fail ${seqs}: the service insists on a model, which the specification does not list for images [expected a 2xx answer to a prompt alone] [observed 422]`,
  ];

  it("names a refusal that speaks of a model", () => {
    expect(stated(refused({ details: [{ field: "model" }] }))).toEqual(accused("#1"));
    expect([...stated(refused({ message: "remodelling" })), ...stated(refused(undefined))]).toEqual([]);
  });

  it("names the request that a model helped", () => {
    const helped = generation({ prompt: "p", model: "m" }, address, { seq: 2 });
    expect(stated(refused({}), helped)).toEqual(accused("#1 #2"));
    expect(stated(refused({}), generation({ prompt: "p", model: "m" }, address, { seq: 2, status: 422 }))).toEqual([]);
    expect(stated(refused({}), generation({ prompt: "p", n: 1 }, address, { seq: 2 }))).toEqual([]);
    expect(stated(refused({}), makeExchange({ seq: 2, endpoint: "chat", sent: { model: "m" } }))).toEqual([]);
  });
});

describe("image-acceptance", () => {
  it("shows a size or a quality only beside a prompt", () => {
    const rows = (sent: unknown): readonly string[] =>
      printJudge(imageAcceptance, [generation(sent)]).map((line) => line.replace(" pass #1", ""));
    expect(rows({ prompt: "p", size: "1024x1024" })).toEqual(["SVC-005", "IMG-009"]);
    expect(rows({ prompt: "p", size: "1024x1024", user: "u" })).toEqual(["SVC-005"]);
    expect(rows({ prompt: "p", quality: "hd" })).toEqual(["SVC-005", "IMG-016"]);
    expect(rows({ prompt: "p", size: "1792x1024", quality: "hd", n: 2 })).toEqual(["SVC-005", "IMG-005"]);
  });

  it.each([
    [{}, "IMG-001", "a prompt alone (the specification lists no model for images)"],
    [{ n: 2 }, "IMG-005", "a number of images"],
    [{ size: "1024x1024" }, "IMG-009", "size 1024x1024"],
    [{ size: "1792x1024" }, "IMG-010", "size 1792x1024"],
    [{ size: "1024x1792" }, "IMG-011", "size 1024x1792"],
    [{ quality: "standard" }, "IMG-015", "quality standard"],
    [{ quality: "hd" }, "IMG-016", "quality hd"],
  ])("names what a refusal of %j is blamed on", (members, requirement, what) => {
    const other = generation({ prompt: "p", user: "u" });
    const refused = generation({ prompt: "p", ...members }, "", { seq: 2, status: 422 });
    expect(printJudge(imageAcceptance, [other, refused]).slice(1)).toEqual([
      `${requirement} fail #2: a valid request is refused: ${what} [expected a 2xx answer to ${what}] [observed 422]`,
    ]);
  });
});

describe("image-result", () => {
  const result = (sent: unknown, data: readonly unknown[]): readonly string[] =>
    printJudge(imageResult, [makeExchange({ endpoint: "images", sent, received: { data } })]);

  it("says how many images were wanted", () => {
    expect(result({}, [])).toEqual(["IMG-006 fail #1: one image is the default [expected 1 in data] [observed 0]"]);
    expect(result({ n: 2 }, [{}])).toEqual([
      "IMG-005 fail #1: the number of images is not the requested one [expected 2 in data] [observed 1]",
    ]);
  });

  it("says what is wrong with an address", () => {
    for (const url of [address, "http://a.example/1.png", "data:image/png;base64,AAAA"]) {
      expect(result({}, [{ url }])[1]).toBe("IMG-022 pass #1");
    }
    const expected = "[expected an absolute address with http, https or data]";
    expect(result({}, [{ url: "/1.png" }])[1]).toBe(
      `IMG-022 fail #1: the address of an image is not absolute ${expected} [observed "/1.png"]`,
    );
    expect(result({}, [{ url: "s3://b/1.png" }])[1]).toBe(
      `IMG-022 advisory #1: the address of an image has the scheme s3: ${expected} [observed "s3://b/1.png"]`,
    );
  });
});
