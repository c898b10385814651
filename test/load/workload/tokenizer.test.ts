import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import { parseProfile } from "../../../src/load/plan/read-profile.ts";
import { noPlan, createWorkload } from "../../../src/load/workload/workload.ts";
import { openTokenCounter } from "../../../src/load/workload/tokenizer/token-counter.ts";
import { plannedSend } from "../../../src/load/profile/planned-send.ts";
import { manifestFor } from "../../make/load/load-target.ts";
import { smallTokenizer } from "../../make/load/small-tokenizer.ts";

/** Words that no vocabulary of a real model has. */
const ownWords = "b c d f g h k l".split(" ").flatMap((one) => "m n p r s t".split(" ").map((other) => `${one}a${other}u`));
const common = ["time", "year", "people"];
const vocabulary = [...common, ...ownWords];

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-tokenizer-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const profileText = (item: object): string =>
  JSON.stringify({ id: "x", title: "X", arrivals: { kind: "poisson", ratePerSecond: 1 }, workload: [item] });

function load(file: string, item: object = {}): ReturnType<typeof parseProfile> {
  const chat = {
    endpoint: "chat",
    tokenizerFile: file,
    promptTokens: { kind: "normal", mean: 90, standardDeviation: 60, min: 8, max: 300 },
  };
  return parseProfile(profileText({ ...chat, ...item }), { name: "x.yaml", folder });
}

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

function counterOf(text: string): (words: string) => number {
  const tokenizer = new Tokenizer(JSON.parse(text) as object, {});
  return (words) => tokenizer.encode(words, { add_special_tokens: false }).ids.length;
}

const wordsOf = ({ profile }: ReturnType<typeof parseProfile>): readonly string[] => {
  const [item] = profile.workload;
  return item !== undefined && "words" in item ? (item.words ?? []) : [];
};

describe("a tokenizer that a workload names", () => {
  it("gives prompts that are as many tokens by it as were asked for, at every length and behind a shared prefix", () => {
    const text = smallTokenizer(vocabulary);
    const count = counterOf(text);
    const { profile } = load(write("own.json", text), { sharedPrefixTokens: 5 });
    expect(profile.workload[0]).toMatchObject({ exactPrompts: true, tokenizerFile: "own.json" });
    const context = { manifest: manifestFor("http://127.0.0.1:1"), keyName: "primary", random: createRandom(3), wallMs: () => 0 };
    const workload = createWorkload(profile.workload, context);
    const asked = Array.from({ length: 60 }, (_, index) => workload.request(index, noPlan));
    expect(asked.map(({ messages }) => count(messages?.[0]?.content ?? ""))).toEqual(asked.map(({ askedPrompt }) => askedPrompt));
    expect(new Set(asked.map(({ messages }) => messages?.[0]?.content.split(" ").slice(5, 11).join(" "))).size).toBe(60);
    const blocks = { ids: ["1", "2"], tokens: 32 };
    const traced = workload.request(0, plannedSend(0, { promptTokens: 50, blocks }));
    expect(count(traced.messages?.[0]?.content ?? "")).toBe(50);
  });

  it("gives texts of embeddings their length, too", () => {
    const text = smallTokenizer(vocabulary);
    const { profile } = load(write("embed.json", text), { endpoint: "embeddings", inputTokens: 40, promptTokens: undefined });
    const context = { manifest: manifestFor("http://127.0.0.1:1"), keyName: "primary", random: createRandom(3), wallMs: () => 0 };
    const { body } = createWorkload(profile.workload, context).request(0, noPlan);
    const { input } = JSON.parse(body?.kind === "raw" ? String(body.bytes) : "{}") as { readonly input: string };
    expect(counterOf(text)(input)).toBe(40);
  });

  it("takes common words first, then those of the vocabulary, and none that joins its neighbour", () => {
    expect(wordsOf(load(write("all.json", smallTokenizer(vocabulary))))).toEqual(vocabulary);
    const joined = smallTokenizer(vocabulary, { merges: [["▁bamu", "▁time"]] });
    expect(counterOf(joined)("bamu time")).toBe(1);
    expect(wordsOf(load(write("joined.json", joined)))).toEqual(vocabulary.filter((word) => word !== "bamu"));
  });

  it("identifies a profile by the words that it gives, not by its path", () => {
    const digest = (file: string): string | undefined => load(file).profile.content?.digest;
    const one = write("one.json", smallTokenizer(vocabulary));
    expect(digest(one)).toBe(digest(write("two.json", smallTokenizer(vocabulary))));
    expect(digest(one)).not.toBe(digest(write("three.json", smallTokenizer(vocabulary.slice(0, 40)))));
  });

  it("is refused with the reason where it cannot be used", () => {
    const refused = (file: string): unknown => {
      try {
        return load(file);
      } catch (error) {
        return error instanceof Error ? error.message : error;
      }
    };
    mkdirSync(join(folder, "folder.json"));
    truncateSync(join(folder, write("huge.json", "{")), 65 * 2 ** 20);
    expect(refused("absent.json")).toBe("x.yaml: absent.json: cannot be read (ENOENT)");
    expect(refused("folder.json")).toBe("x.yaml: folder.json: is not a file");
    expect(refused("huge.json")).toBe("x.yaml: huge.json: has 68157440 bytes, 67108864 at most are read");
    expect(refused(write("text.json", "tokenizer"))).toBe("x.yaml: text.json: is not JSON");
    expect(refused(write("list.json", "[]"))).toContain('list.json: has no "model"');
    expect(refused(write("odd.json", '{"model":{"type":"process.exit(3)"}}'))).toContain(
      "odd.json: is no tokenizer that can be read",
    );
    expect(refused(write("few.json", smallTokenizer(vocabulary.slice(0, 20))))).toContain("only 20 words of ASCII letters");
  });

  it("holds nothing up with a pattern that never ends, and changes nothing here", () => {
    const preTokenizer = {
      type: "Split",
      pattern: { Regex: "^(([a-z▁])+.)+[A-Z]([a-z])+$" },
      behavior: "Isolated",
      invert: false,
    };
    const counter = openTokenCounter(smallTokenizer(vocabulary, { preTokenizer }));
    counter.close();
    const slow = openTokenCounter(smallTokenizer(vocabulary, { preTokenizer }), 1500);
    expect(() => slow.count(["a".repeat(60)])).toThrow("not read within 1.5 s");
    slow.close();
    const proto = smallTokenizer(vocabulary).replace("{", '{"__proto__":{"polluted":true},');
    openTokenCounter(proto).close();
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});
