import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { parseManifest } from "../../src/config/parse-manifest.ts";
import { openPolicy } from "../../src/features/certify/commands/open-policy.ts";
import { ProfileError } from "../../src/load/profile/profile-error.ts";
import { readProfile } from "../../src/load/plan/read-profile.ts";
import { parseYaml } from "../../src/schemas/parse-yaml.ts";
import { readChallenge } from "../../src/features/certify/challenge/challenge.ts";
import { folderWith } from "../cli/run-assay.ts";

const env = { ASSAY_API_KEY: "sk_live_Zx81LqT0pWv73NdRf5Ub" };
const target = "target: { baseUrl: 'http://127.0.0.1:1' }\n";

const within = (member: string, text: string): string => `${target}${member}:\n${text.replaceAll(/^/gm, "  ")}`;

/** The six kinds of files that a person writes or is handed; known failures and waivers stand in a manifest. */
const kinds: Readonly<Record<string, (text: string) => unknown>> = {
  manifest: (text) => parseManifest(text, { file: "assay.config.yaml", env }),
  profile: (text) => readProfile(text, "profile.yaml"),
  policy: (text) => openPolicy(`${folderWith({ "policy.yaml": text })}/policy.yaml`),
  baseline: (text) => parseManifest(within("baseline", text), { file: "assay.config.yaml", env }),
  waive: (text) => parseManifest(within("waive", text), { file: "assay.config.yaml", env }),
  challenge: (text) => readChallenge(text),
};

function refusalOf(kind: string, text: string): string {
  try {
    kinds[kind]?.(text);
    return "read";
  } catch (error) {
    return (error as Error).message;
  }
}

function manifestProblem(text: string): string {
  try {
    parseManifest(text, { file: "f", env });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
}

/** Nine lines that unfold to nine to the power of nine values. */
const bomb = Array.from(
  { length: 10 },
  (_, at) => `a${at}: &a${at} [${Array.from({ length: 9 }, () => (at === 0 ? "x" : `*a${at - 1}`)).join(",")}]`,
).join("\n");

describe("YAML of somebody else", () => {
  it.each([
    ["a list in itself", "&a [*a,*a]", /leads in a circle/],
    ["a mapping in itself", "target: &a { baseUrl: *a }", /leads in a circle/],
    ["a baseline in itself", `${target}baseline: &a [*a]`, /leads in a circle/],
    ["features in themselves", `${target}features: &a { tools: *a }`, /leads in a circle/],
    ["aliases that unfold without bound", bomb, /unfold to more than 1000000 values/],
    [
      "aliases that nest without bound",
      Array.from({ length: 500 }, (_, at) => `"${900 - at}": &a${at} [${at === 0 ? 1 : `*a${at - 1}`}]`).join("\n"),
      /deeper than 200 levels/,
    ],
    ["anchors without bound", Array.from({ length: 1001 }, (_, at) => `a${at}: &a${at} 1`).join("\n"), /more than 1000 anchors/],
    ["mistakes without bound", "[]".repeat(60_000), /more than 100000 tokens/],
    ["a repeated name", "a: 1\nb: 2\na: 3", /:[35].*Map keys must be unique/],
  ])("refuses %s in words, in every kind of file", (_name, text, words) => {
    for (const kind of Object.keys(kinds)) {
      // A challenge is JSON, which has no aliases.
      const refusal = refusalOf(kind, text);
      expect([kind, refusal]).toEqual([
        kind,
        expect.stringMatching(kind === "challenge" ? /^the challenge is not JSON$/ : words),
      ]);
    }
  });

  it("takes aliases that name what is repeated", () => {
    const text = `${target}restore: { keys: { primary: &same { burst_limit: 3 }, secondary: *same } }\n`;
    expect(parseManifest(text, { file: "f", env }).manifest.restore.keys).toEqual({
      primary: { burst_limit: 3 },
      secondary: { burst_limit: 3 },
    });
    expect(parseYaml("text: |\n  *bold* &amp;\nother: '*a'")).toMatchObject({ kind: "value", value: { other: "*a" } });
  });

  it("says at most a screen of problems, and counts the others", () => {
    const problems = manifestProblem(`${target}${Array.from({ length: 9000 }, (_, at) => `m${at}: 1`).join("\n")}`).split("\n");
    expect(problems.length).toBeLessThan(20);
    expect(Buffer.byteLength(problems.join("\n"))).toBeLessThan(4000);
    expect(problems.at(-1)).toBe(`and ${9000 - problems.length + 1} more problems`);
    const baseline = `${target}baseline:\n${" - { id: x }\n".repeat(3000)}`;
    expect(manifestProblem(baseline)).toMatch(/baseline\.0: reason is missing[^]*and 2982 more problems$/);
    expect(() => readProfile(Array.from({ length: 9000 }, (_, at) => `m${at}: 1`).join("\n"), "p")).toThrow(ProfileError);
  });

  it("takes no time by the square of the members that are wrong", () => {
    const required = `${target}require: [${Array.from({ length: 9000 }, () => '"${X}"').join(",")}]`;
    const problems = manifestProblem(required).split("\n");
    expect(problems.at(-1)).toBe(`and ${9000 - problems.length + 1} more problems`);
    const unknown = Array.from({ length: 100_000 }, (_, at) => `${at.toString(36)}: 1`).join("\n");
    expect(manifestProblem(unknown)).toMatch(/^f: not usable YAML: it has more than 262144 characters$/);
  });

  it("takes as many keys and headers as a request and a search for secrets bear, and bounds what is noted of them", () => {
    const named = (count: number): string => Array.from({ length: count }, (_, at) => `k${at.toString(36)}: "\${X}"`).join(",");
    const { notes } = parseManifest(`${target}keys: {${named(99)}}`, { file: "f", env });
    expect([notes.length, notes.at(-1)]).toEqual([16, "and 84 more notes on the manifest"]);
    for (const text of [`${target}keys: {${named(101)}}`, `target: { headers: {${named(101)}}, baseUrl: "http://127.0.0.1:1" }`])
      expect(manifestProblem(text)).toMatch(/must NOT have more than 100 properties \(expected at most 100 /);
  });

  it("cuts values and names at 80 characters", () => {
    expect(manifestProblem(`${target}limits: { queueing: ${"q".repeat(100_000)} }`)).toMatch(
      /limits\.queueing: "q{78}… is not allowed \(expected /,
    );
    expect(manifestProblem(`${target}${"n".repeat(1000)}: 1`)).toMatch(/^f:2: n{79}…: unknown member/);
    expect(manifestProblem(`${target}limits: { queueing: [${"[1],".repeat(9000)}] }`)).toMatch(
      /queueing: \[\[1\],.{70,75}… is not/,
    );
  });
});
