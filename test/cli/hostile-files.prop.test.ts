import * as fc from "fast-check";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { BundleError } from "../../src/features/certify/bundle-error.ts";
import { makeChallenge, readChallenge, seedOf } from "../../src/features/certify/challenge/challenge.ts";
import { readPublicKey, readSigningKey } from "../../src/features/certify/keys/signing-key.ts";
import { compareCommand } from "../../src/features/compare/commands/compare.ts";
import { compareToolsCommand } from "../../src/features/compare/commands/compare-tools.ts";
import { openPolicy } from "../../src/features/certify/commands/open-policy.ts";
import { useSavedResults } from "../../src/command/read-saved-result.ts";
import { UsageError } from "../../src/command/usage-error.ts";
import { ConfigError } from "../../src/config/config-error.ts";
import { initialManifest } from "../../src/config/initial-manifest.ts";
import { parseManifest } from "../../src/config/parse-manifest.ts";
import { readTrace } from "../../src/load/arrivals/read-trace.ts";
import { ProfileError } from "../../src/load/profile/profile-error.ts";
import { readProfile } from "../../src/load/plan/read-profile.ts";
import { readPrompts } from "../../src/load/workload/read-prompts.ts";
import { expectScopeOf } from "../../src/run/scope/expected-scope.ts";
import { countOf, sampleTitle } from "../make/runner/sample.ts";
import { confuseJson } from "../make/hostile/confuse-json.ts";
import { buildSample } from "../make/sample-result/sample-result.ts";
import * as foreign from "../features/compare/tools/sample-files.ts";

/** Generated files of all kinds together; those that are written by hand below come before them. */
const files = countOf({ inCi: 300, byNight: 10_000 });
const folder = mkdtempSync(join(tmpdir(), "assay-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Surface {
  readonly name: string;
  /** A file that can be used. */
  readonly sample: string | Buffer;
  readonly read: (path: string) => unknown;
  /** The errors that refuse a file that cannot be used. */
  readonly refusals: readonly (new (...args: never[]) => Error)[];
}

const text = (path: string): string => readFileSync(path, "utf8");
const env = { ASSAY_API_KEY: "sk_live_Zx81LqT0pWv73NdRf5Ub" };
const { result } = buildSample();
/** Few of everything: what is read thousands of times should be small. */
const resultText = JSON.stringify(result, (_name, value: unknown) => (Array.isArray(value) ? value.slice(0, 2) : value));
const issued = makeChallenge({ now: new Date(0), validForMs: 1000, policySha256: null });
const challenge = { ...issued, nonce: Buffer.alloc(32, 7).toString("base64") };
const otherResult = join(folder, "other.json");
writeFileSync(otherResult, resultText);
const otherTool = join(folder, "other-tool.json");
writeFileSync(otherTool, JSON.stringify(foreign.vllmFile()));
const compareFlags = { gate: true, overlay: [], json: true, profile: "smoke", rounds: 1, seed: 1 };

/** The output of a command does not matter here. */
async function quietly<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => true;
  try {
    return await work();
  } finally {
    process.stdout.write = write;
  }
}

const surfaces: readonly Surface[] = [
  {
    name: "a manifest",
    sample: initialManifest("http://127.0.0.1:8080", null),
    read: (path) => parseManifest(text(path), { file: path, env }),
    refusals: [ConfigError],
  },
  ...(["baseline", "waive"] as const).map((member) => ({
    name: `${member} of a manifest`,
    sample: "- { id: CHAT-001, reason: known }\n- { id: CHAT-014, reason: 'seen again' }\n",
    read: (path: string) => {
      const list = text(path).split("\n");
      const document = `target: { baseUrl: "http://127.0.0.1:8080" }\n${member}:\n${list.map((line) => `  ${line}`).join("\n")}`;
      return parseManifest(document, { file: path, env });
    },
    refusals: [ConfigError],
  })),
  {
    name: "a load profile",
    sample: text("suites/profiles/burst.yaml"),
    read: (path) => readProfile(text(path), "x"),
    refusals: [ProfileError],
  },
  {
    name: "a trace",
    sample: '{"at_ms":1,"prompt_tokens":3,"output_tokens":4}\n{"at_ms":9}\n',
    read: (path) => readTrace(text(path), "jsonl"),
    refusals: [SyntaxError],
  },
  {
    name: "a trace of Mooncake",
    sample: '{"timestamp":1,"input_length":900,"output_length":4,"hash_ids":[1,2]}\n',
    read: (path) => readTrace(text(path), "mooncake"),
    refusals: [SyntaxError],
  },
  {
    name: "a trace of Azure",
    sample: "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n",
    read: (path) => readTrace(text(path), "azure"),
    refusals: [SyntaxError],
  },
  {
    name: "a trace of BurstGPT",
    sample: "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n",
    read: (path) => readTrace(text(path), "burstgpt"),
    refusals: [SyntaxError],
  },
  { name: "prompts", sample: '"a"\n{"prompt":"b","max_tokens":3}\n', read: (path) => readPrompts(text(path)), refusals: [] },
  {
    name: "an earlier run for --expect-scope",
    sample: resultText,
    read: (path) => useSavedResults([path], ([one]) => expectScopeOf(one!, path)),
    refusals: [UsageError],
  },
  {
    name: "an earlier run to compare with",
    sample: resultText,
    read: (path) => quietly(() => compareCommand(otherResult, path, compareFlags)),
    refusals: [UsageError],
  },
  ...Object.entries(foreign).flatMap(([name, make]): readonly Surface[] =>
    typeof make !== "function"
      ? []
      : [
          {
            name: `a result of another tool, ${name}`,
            sample: JSON.stringify((make as () => unknown)()),
            read: (path) => quietly(() => compareToolsCommand(otherTool, path, { json: false, gate: false, overlay: [] })),
            refusals: [UsageError],
          },
        ],
  ),
  {
    name: "a challenge",
    sample: JSON.stringify(challenge),
    read: (path) => seedOf(readChallenge(text(path))),
    refusals: [BundleError],
  },
  {
    name: "a policy",
    sample: "verdict: met\nsuites: [core]\ngates: [ttft.p95 < 800ms]\nmaxAgeDays: 3\n",
    read: openPolicy,
    refusals: [BundleError, UsageError],
  },
  {
    name: "a public key",
    sample: "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----\n",
    read: (path) => readPublicKey(text(path)),
    refusals: [BundleError],
  },
  {
    name: "a private key",
    sample: "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA\n-----END PRIVATE KEY-----\n",
    read: (path) => readSigningKey(text(path)),
    refusals: [BundleError],
  },
];

/** Files that are JSON have a second property. */
const runs = Math.ceil(files / surfaces.reduce((sum, { sample }) => sum + (isJson(sample) ? 2 : 1), 0));

const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, at) => `${"bcdefghij"[at]}: &${"bcdefghij"[at]} [${Array.from({ length: 9 }, () => `*${"abcdefghi"[at]}`).join(",")}]\n`).join("")}`;
/** Whole files that are hostile to any reader. */
const hostile: readonly (string | Buffer)[] = [
  "",
  "\ufeff",
  "null",
  "[]",
  "{}",
  "7",
  '"x"',
  bomb,
  "a: &a { b: *a }",
  "[".repeat(100_000),
  `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
  `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`,
  `${"- ".repeat(20_000)}x`,
  Array.from({ length: 2000 }, (_, at) => `${" ".repeat(at)}a:`).join("\n"),
  "%YAML 9.9\n---\n!!js/function 'x'",
  "a: !env x\n? [b]\n: 1\n",
  "__proto__: { target: 1 }\nconstructor: 1",
  '{"__proto__":{"schemaVersion":"1.0"},"schemaVersion":"1.0","tool":{"name":"assay"}}',
  '{"schemaVersion":"1.0"}',
  '{"schemaVersion":"1.0","tool":{"name":"assay"},"load":{"profiles":[{}]},"conformance":{"requirements":[null]},"limits":{"policies":7}}',
  '{"benchmarks":[{"metrics":{"request_totals":null}}]}',
  Buffer.alloc(5000, 0xff),
  "x: 'y\n".repeat(3000),
];

/** A usable file with a few bytes changed, cut, doubled or moved, or a value of it in the place of another. */
function spoil(sample: Buffer): fc.Arbitrary<Buffer> {
  const place = fc.nat(sample.length);
  return fc
    .array(
      fc.tuple(
        fc.nat(4),
        place,
        place,
        fc.constantFrom(
          '"',
          "{",
          "[",
          "]",
          "-",
          "\0",
          "9".repeat(400),
          "1e999",
          "null",
          "{}",
          "[]",
          "&a ",
          "*a",
          "\n",
          "\t",
          "\ud800",
          "é",
          "Q".repeat(90_000),
          `- ${"Q".repeat(90_000)}\n`,
          `"${"Q".repeat(90_000)}": 1,`,
        ),
      ),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    .map((edits) =>
      edits.reduce((bytes, [kind, one, other, piece]) => {
        const [from, to] = [Math.min(one, other, bytes.length), Math.min(Math.max(one, other), bytes.length)];
        const insert = Buffer.from(piece);
        const parts = [
          () => [bytes.subarray(0, from)],
          () => [bytes.subarray(0, from), bytes.subarray(to)],
          () => [bytes.subarray(0, to), bytes.subarray(from)],
          () => [bytes.subarray(0, from), insert, bytes.subarray(from)],
          () => [bytes.subarray(0, from), insert, bytes.subarray(from + insert.length)],
        ][kind]!();
        return Buffer.concat(parts);
      }, sample),
    );
}

function isJson(sample: string | Buffer): boolean {
  try {
    JSON.parse(sample.toString());
    return true;
  } catch {
    return false;
  }
}

/** Bundles: test/features/certify/tampering.test.ts; run folders: test/run/record/strangers.prop.test.ts. */
describe.each(surfaces)("$name of somebody else", ({ name, sample, read, refusals }) => {
  const path = join(folder, `${name.replaceAll(/[^a-z]/gi, "-")}.json`);
  /** The text of an error that is no refusal. */
  async function fault(content: string | Buffer): Promise<string> {
    writeFileSync(path, content);
    const startedAtMs = performance.now();
    try {
      await read(path);
    } catch (error) {
      if (!refusals.some((refusal) => error instanceof refusal))
        return `${(error as Error).stack ?? String(error)} for ${content.toString().slice(0, 300)}`;
      const { message } = error as Error;
      if (message.split("\n").length > 20 || Buffer.byteLength(message) > 4096 || /[Q9]{81}/.test(message))
        return `a message of ${message.length} characters: ${message.slice(0, 600)}`;
    }
    const tookMs = performance.now() - startedAtMs;
    return tookMs > 10_000 ? `${tookMs} ms for ${content.toString().slice(0, 300)}` : "";
  }

  it(`is read, or refused in words, whatever stands in it (${runs} files, ${sampleTitle})`, async () => {
    const warnings: string[] = [];
    const onWarning = ({ message }: Error): void => void warnings.push(message);
    process.on("warning", onWarning);
    for (const content of hostile) expect(await fault(content)).toBe("");
    // The process says its warnings in a later turn.
    await new Promise(setImmediate);
    process.off("warning", onWarning);
    // The refusal holds everything that a reader says of a file.
    expect(warnings).toEqual([]);
    await fc.assert(
      fc.asyncProperty(spoil(Buffer.from(sample)), async (content) => {
        expect(await fault(content)).toBe("");
      }),
      { numRuns: runs },
    );
    if (!isJson(sample)) return;
    const document: unknown = JSON.parse(sample.toString());
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat(1_000_000)), async (stream) => {
        const random = (most: number): number => (stream.next().value ?? 0) % (most + 1);
        expect(await fault(JSON.stringify(confuseJson(document, random)))).toBe("");
      }),
      { numRuns: runs },
    );
  });
});
