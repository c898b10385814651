import { afterEach, describe, expect, it } from "vitest";
import { renderPng } from "../../src/reference/content/png.ts";
import { type Gateway, startGateway, type PassingAnswer } from "../make/wire/gateway.ts";
import { type Examined, examineReference } from "./examine-reference.ts";

/** A picture of 20 MB: the chunks of a PNG may be followed by anything. Random bytes may look like a secret, which is masked. */
const picture = Buffer.concat([renderPng("large", 1024, 1024), Buffer.alloc(20_000_000, "filler")]);
const inBase64 = picture.toString("base64");

let gateway: Gateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

interface Trial {
  readonly suite: "models" | "images";
  readonly path: string;
  readonly change: (text: string) => string;
  readonly cases?: readonly string[];
}

/** The reference service, its successful answers of one path changed. */
async function examineChanged({ suite, path, change, cases = [] }: Trial): Promise<Examined> {
  const isMeant = (answer: PassingAnswer): boolean => answer.path.split("?")[0] === path && answer.status === 200;
  gateway = await startGateway((answer) => (isMeant(answer) ? { body: Buffer.from(change(answer.body.toString())) } : {}));
  const plain = { "accept-encoding": "identity" };
  return examineReference({
    suites: [suite],
    cases,
    manifest: (manifest) => {
      const { target, ...rest } = gateway!.before(manifest);
      return { ...rest, target: { ...target, headers: plain } };
    },
  });
}

const rowsWith = ({ verdicts }: Examined, verdict: string, area: string): readonly string[] =>
  [...verdicts].filter(([id, one]) => one === verdict && id.startsWith(area)).map(([id]) => id);

interface Listed {
  readonly data: readonly object[];
}

describe("a list of models of 9 MB", () => {
  const grown = (text: string, last: object = {}): string => {
    const { data, ...list } = JSON.parse(text) as Listed;
    const [first] = data;
    const filler = Array.from({ length: 90_000 }, (_, place) => ({ ...first, id: `filler-${String(place).padStart(9, "0")}` }));
    return JSON.stringify({ ...list, data: [...data, ...filler, { ...first, id: "last", ...last }] });
  };
  const trial = { suite: "models", path: "/v1/models" } as const;

  it.each([
    ["lawful", {}],
    ["wrong in its last entry", { created: "yesterday", object: "WRONG" }],
  ])("is called not judged where it is %s", async (_, last) => {
    const examined = await examineChanged({ ...trial, change: (text) => grown(text, last) });
    expect(rowsWith(examined, "fail", "")).toEqual([]);
    expect(rowsWith(examined, "pass", "MOD-")).toEqual([]);
    expect(rowsWith(examined, "inconclusive", "MOD-00")).toEqual(expect.arrayContaining(["MOD-001", "MOD-002", "MOD-006"]));
    const reasons = examined.result.requirements.filter(({ id }) => id === "MOD-006").map(({ reason }) => reason);
    expect(reasons).toEqual([expect.stringMatching(/a body of \d+\.\d MB is longer than what is kept of one/)]);
  });

  it("fails where it is broken in its last character", async () => {
    const examined = await examineChanged({ ...trial, change: (text) => grown(text).slice(0, -1) });
    expect(rowsWith(examined, "fail", "MOD-001")).toEqual(["MOD-001"]);
  });
});

describe("a picture of 20 MB", () => {
  const trial = { suite: "images", path: "/v1/images/generations", cases: ["images/minimal", "images/number"] } as const;
  interface Images {
    readonly data: readonly Readonly<Record<string, unknown>>[];
  }
  const withEach =
    (more: (entry: Readonly<Record<string, unknown>>) => object) =>
    (text: string): string => {
      const { data, ...list } = JSON.parse(text) as Images;
      return JSON.stringify({ ...list, data: data.map(more) });
    };

  it("within the answer is left out of it, so that the rest is judged", async () => {
    const examined = await examineChanged({ ...trial, change: withEach((entry) => ({ b64_json: inBase64, ...entry })) });
    expect(rowsWith(examined, "fail", "")).toEqual([]);
    expect(rowsWith(examined, "pass", "IMG-")).toEqual(expect.arrayContaining(["IMG-001", "IMG-005", "IMG-022", "IMG-030"]));
    const shortened = examined.exchanges.filter(({ response }) => response?.body?.shortened === true);
    expect(shortened.length).toBeGreaterThan(1);
    expect(Math.max(...shortened.map(({ response }) => response?.body?.text?.length ?? 0))).toBeLessThan(200_000);
    expect(Math.max(...shortened.map(({ response }) => response?.body?.bytes ?? 0))).toBeGreaterThan(50_000_000);
  });

  it("in the place of its address fails, and so does what stands behind it", async () => {
    const change = withEach(({ url: _url, ...rest }) => ({ b64_json: inBase64, ...rest, revised_prompt: 7 }));
    const examined = await examineChanged({ ...trial, change, cases: ["images/minimal"] });
    expect(rowsWith(examined, "fail", "IMG-02")).toEqual(["IMG-022", "IMG-025"]);
  });

  it("in a data: address is recognised", async () => {
    const change = withEach((entry) => ({ ...entry, url: `data:image/png;base64,${inBase64}` }));
    const examined = await examineChanged({ ...trial, change, cases: ["images/minimal"] });
    expect(rowsWith(examined, "fail", "")).toEqual([]);
    expect(rowsWith(examined, "pass", "IMG-023")).toEqual(["IMG-023"]);
  });
});
