import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { imageAcceptance } from "../../src/conformance/judges/images/image-acceptance.ts";
import { fetchLabel, imageFetch } from "../../src/conformance/judges/images/image-fetch.ts";
import { imageNeedsNoModel } from "../../src/conformance/judges/images/image-needs-no-model.ts";
import { imageResult } from "../../src/conformance/judges/images/image-result.ts";
import { recogniseImage } from "../../src/conformance/judges/images/image-size.ts";
import { modelList } from "../../src/conformance/judges/models/model-list.ts";
import { modelsAreListed } from "../../src/conformance/judges/models/models-are-listed.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { judgeWith, verdictsOn } from "./judge-with.ts";
import { type ExchangeDraft, makeExchange, wallMs } from "../make/make-exchange.ts";

const now = Math.floor(wallMs / 1000);
const url = "https://images.example.com/1.png";

function generation(sent: Readonly<Record<string, unknown>>, received: unknown, more: ExchangeDraft = {}): Exchange {
  return makeExchange({ endpoint: "images", label: "made", sent, received, ...more });
}

function result(images: number, created: unknown = now, address = url): unknown {
  return { created, data: Array.from({ length: images }, () => ({ url: address, revised_prompt: "p" })) };
}

function png(width: number, height: number): Uint8Array {
  const header = Buffer.alloc(25);
  header.writeUInt32BE(13, 0);
  header.write("IHDR", 4, "latin1");
  header.writeUInt32BE(width, 8);
  header.writeUInt32BE(height, 12);
  const signature = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, header, deflateSync(Buffer.alloc(4))]);
}

function jpeg(width: number, height: number): Uint8Array {
  const applicationSegment = [0xff, 0xe0, 0x00, 0x04, 0x01, 0x02];
  const huffmanTable = [0xff, 0xc4, 0x00, 0x03, 0x00];
  const frame = [0xff, 0xc2, 0x00, 0x11, 0x08, height >> 8, height & 0xff, width >> 8, width & 0xff, 0x03];
  return Uint8Array.from([0xff, 0xd8, ...applicationSegment, ...huffmanTable, ...frame, 0x01, 0x11, 0x00]);
}

function webp(chunk: "VP8X" | "VP8L" | "VP8 ", payload: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(40);
  bytes.write("RIFF", 0, "latin1");
  bytes.write("WEBP", 8, "latin1");
  bytes.write(chunk, 12, "latin1");
  Buffer.from(payload).copy(bytes, 20);
  return bytes;
}

describe("recogniseImage", () => {
  it.each([
    ["png", png(1792, 1024)],
    ["jpeg", jpeg(1792, 1024)],
    ["webp", webp("VP8X", [0, 0, 0, 0, 0xff, 0x06, 0x00, 0xff, 0x03, 0x00])],
    // 14 bits of width - 1, then 14 bits of height - 1.
    ["webp", webp("VP8L", [0x2f, 0xff, 0xc6, 0xff, 0x00])],
    ["webp", webp("VP8 ", [0, 0, 0, 0x9d, 0x01, 0x2a, 0x00, 0x07, 0x00, 0x04])],
  ])("reads width and height of %s", (format, bytes) => {
    expect(recogniseImage(bytes)).toEqual({ format, size: { format, width: 1792, height: 1024 } });
  });

  it("reports a cut header from something that is no image", () => {
    expect(recogniseImage(png(1, 1).subarray(0, 18))).toEqual({ format: "png", size: null });
    expect(recogniseImage(jpeg(1, 1).subarray(0, 8))).toEqual({ format: "jpeg", size: null });
    expect(recogniseImage(new TextEncoder().encode("<html>"))).toBeNull();
    expect(recogniseImage(new Uint8Array())).toBeNull();
  });
});

describe("image-result", () => {
  it("wants as many images as requested, one by default", () => {
    expect(verdictsOn("IMG-005", imageResult, [generation({ prompt: "p", n: 2 }, result(2))])).toEqual(["pass"]);
    expect(verdictsOn("IMG-005", imageResult, [generation({ prompt: "p", n: 2 }, result(1))])).toEqual(["fail"]);
    expect(verdictsOn("IMG-006", imageResult, [generation({ prompt: "p" }, result(1))])).toEqual(["pass"]);
    expect(verdictsOn("IMG-006", imageResult, [generation({ prompt: "p" }, result(4))])).toEqual(["fail"]);
  });

  it.each([
    ["now", now, "pass"],
    ["half an hour ago", now - 1800, "pass"],
    ["yesterday", now - 86_400, "fail"],
    ["milliseconds", wallMs, "fail"],
    ["a fraction", now + 0.5, "fail"],
    ["far ahead", now + 3600, "fail"],
  ])("judges a creation time: %s", (_name, created, outcome) => {
    expect(verdictsOn("IMG-020", imageResult, [generation({ prompt: "p" }, result(1, created))])).toEqual([outcome]);
  });

  it.each([
    [url, "pass"],
    ["data:image/png;base64,AAAA", "pass"],
    ["s3://bucket/1.png", "advisory"],
    ["/images/1.png", "fail"],
  ])("judges the address %s", (address, outcome) => {
    expect(verdictsOn("IMG-022", imageResult, [generation({ prompt: "p" }, result(1, now, address))])).toEqual([outcome]);
  });
});

describe("image-fetch", () => {
  const fetched = (draft: ExchangeDraft): Exchange =>
    makeExchange({
      seq: 2,
      endpoint: null,
      keyName: null,
      label: fetchLabel("made", 0),
      path: url,
      intent: { kind: "housekeeping", purpose: "fetch an image" },
      ...draft,
    });

  it("wants an image of the requested size behind the address", () => {
    const wide = generation({ prompt: "p", size: "1792x1024" }, result(1));
    expect(judgeWith(imageFetch, [wide, fetched({ receivedBytes: png(1792, 1024) })])).toEqual(["IMG-023 pass", "IMG-024 pass"]);
    expect(judgeWith(imageFetch, [wide, fetched({ receivedBytes: jpeg(1024, 1792) })])).toEqual(["IMG-023 pass", "IMG-024 fail"]);
    expect(judgeWith(imageFetch, [wide, fetched({ received: "<html>" })])).toEqual(["IMG-023 fail"]);
    expect(judgeWith(imageFetch, [wide, fetched({ status: 404, receivedBytes: png(1792, 1024) })])).toEqual([
      "IMG-023 fail",
      "IMG-024 pass",
    ]);
  });

  it("wants a square image when no size was requested", () => {
    const plain = generation({ prompt: "p" }, result(1));
    expect(judgeWith(imageFetch, [plain, fetched({ receivedBytes: png(1024, 1024) })])).toEqual(["IMG-023 pass", "IMG-012 pass"]);
    expect(judgeWith(imageFetch, [plain, fetched({ receivedBytes: png(512, 512) })])).toEqual(["IMG-023 pass", "IMG-012 fail"]);
  });

  it("blames nobody for an address that cannot be reached from here", () => {
    const failure = { kind: "connect-refused", message: "refused" } as const;
    expect(judgeWith(imageFetch, [generation({ prompt: "p" }, result(1)), fetched({ status: null, failure })])).toEqual([
      "IMG-023 inconclusive",
    ]);
  });

  it("looks into an address that carries the image itself, and waits for no fetch", () => {
    const inline = `data:image/png;base64,${Buffer.from(png(1024, 1024)).toString("base64")}`;
    expect(judgeWith(imageFetch, [generation({ prompt: "p" }, result(1, now, inline))])).toEqual([
      "IMG-023 pass",
      "IMG-012 pass",
    ]);
    expect(judgeWith(imageFetch, [generation({ prompt: "p" }, result(1))])).toEqual([]);
  });
});

describe("image-needs-no-model", () => {
  const refused = generation({ prompt: "p" }, { error: { code: "invalid", details: [{ field: "model" }] } }, { status: 422 });

  it("names the cause where a refusal speaks of the model or a model helps", () => {
    expect(judgeWith(imageNeedsNoModel, [refused])).toEqual(["IMG-001 fail"]);
    const silent = generation({ prompt: "p" }, { error: { code: "invalid" } }, { status: 422 });
    expect(judgeWith(imageNeedsNoModel, [silent])).toEqual([]);
    const helped = generation({ prompt: "p", model: "m" }, result(1), { seq: 2 });
    expect(judgeWith(imageNeedsNoModel, [silent, helped])).toEqual(["IMG-001 fail"]);
    expect(judgeWith(imageNeedsNoModel, [generation({ prompt: "p" }, result(1)), helped])).toEqual(["IMG-001 pass"]);
  });

  it("is not needed for the general finding that nothing is accepted", () => {
    expect(verdictsOn("SVC-005", imageAcceptance, [refused])).toEqual(["fail"]);
    expect(verdictsOn("IMG-001", imageAcceptance, [refused])).toContain("fail");
  });
});

describe("model-list", () => {
  const list = (data: readonly unknown[]): Exchange => makeExchange({ received: { object: "list", data } });
  const entry = (id: unknown, created: unknown = now - 1000): unknown => ({ id, object: "model", created, owned_by: "us" });

  it("wants at least one model and no repetition", () => {
    expect(judgeWith(modelList, [list([entry("a"), entry("b")])])).toEqual([
      "MOD-011 pass",
      "MOD-008 pass",
      "MOD-006 pass",
      "MOD-006 pass",
    ]);
    expect(judgeWith(modelList, [list([])])).toEqual(["MOD-011 fail"]);
    expect(verdictsOn("MOD-008", modelList, [list([entry("a"), entry("a")])])).toEqual(["fail"]);
    expect(verdictsOn("MOD-008", modelList, [list([entry(""), entry("")])])).toEqual([]);
  });

  it.each([
    [0, "fail"],
    [-5, "fail"],
    [1, "pass"],
    [now + 80_000, "pass"],
    [now + 90_000, "fail"],
    [wallMs, "fail"],
  ])("judges the creation time %d", (created, outcome) => {
    expect(verdictsOn("MOD-006", modelList, [list([entry("a", created)])])).toEqual([outcome]);
  });

  it("looks up the models that worked", () => {
    const chat = makeExchange({ seq: 2, endpoint: "chat", sent: { model: "chat-model" } });
    const form = makeExchange({ seq: 3, endpoint: "transcriptions" });
    const record = [list([entry("chat-model")]), chat, form];
    expect(judgeWith(modelsAreListed, record)).toEqual(["MOD-009 pass", "MOD-009 fail"]);
    expect(judgeWith(modelsAreListed, [list([entry("chat-model"), entry(null)]), chat, form])).toEqual([]);
    expect(judgeWith(modelsAreListed, [chat])).toEqual([]);
  });
});
