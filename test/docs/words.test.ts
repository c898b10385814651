import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** Words that only people of this project understand, each with the term of the field (docs/glossary.md) that says it. */
const privateWords: readonly (readonly [word: RegExp, term: string])[] = [
  [/\b(?:told|tells)\b/i, "reported, stated, says, distinguishes"],
  [/\blaid to\b/i, "attributed to"],
  [/\bundrained\b/i, "in flight"],
  [/\bat a glance\b/i, "in one look"],
  [/\bmast\b/i, "header"],
  [/\blanes?\b/i, "connection, allowance, row"],
  [/\bdesks?\b/i, "engine, admission"],
  [/\bbooks\b/i, "counts, records, usage"],
  [/\bfleets?\b/i, "workers"],
  [/\bhanded over\b/i, "given, passed"],
];

/** Words that names and comments do not use either: whole words, and parts of names. */
const nowhere =
  /\b(?:laid to|undrained|at a glance|told|tells?|telling|fleets?|rosters?|desks?|masts?)\b|\b(?:told|tell)[A-Z]|(?:Told|Tells?|Mast|Fleet|Desk|Roster)(?![a-z])|\b(?:told|tell|fleet|desk|roster)-|-(?:told|fleet|desk|roster)\b/i;

function filesBelow(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((name) => pattern.test(name) && !name.includes("node_modules") && statSync(join(root, name)).isFile());
}

const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** Strings of a source file that hold a sentence: no comments, no names (they have no blank), no templates with code within. */
function sentencesOf(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/ .*$/gm, "");
  const literals = code.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\[^])*)`/g);
  return [...literals]
    .map(([, plain, template]) => plain ?? template!.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "X"))
    .filter((literal) => literal.includes(" ") && !/=>|\$\{|\n/.test(literal));
}

function offences(file: string, texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) =>
    privateWords.flatMap(([word, term]) => (word.test(text) ? [`${file}: ${word.exec(text)![0]} (say ${term}): ${text}`] : [])),
  );
}

describe("words that people read", () => {
  it("are standard terms in messages, help and reports", () => {
    const files = ["src", "suites"].flatMap((folder) => filesBelow(folder, /\.ts$/));
    const found = files.flatMap((file) => offences(file, sentencesOf(read(file))));
    expect(files.length).toBeGreaterThan(700);
    expect(found).toEqual([]);
  });

  it("are standard terms in profiles, schemas and the files of CI", () => {
    const files = [...filesBelow("suites", /\.yaml$/), ...filesBelow("ci", /./), "action.yml", "schemas/config.schema.json"];
    expect(files.flatMap((file) => offences(file, read(file).split("\n")))).toEqual([]);
  });

  it("are standard terms in the documents", () => {
    // Tables that a bench prints, with the names of its setups.
    const printed = "docs/measurements/limits.md";
    const pages = [
      ...filesBelow("docs", /\.md$/).filter((page) => page !== printed),
      "README.md",
      "CONTRIBUTING.md",
      "reports/README.md",
    ];
    expect(
      pages.flatMap((page) =>
        offences(
          page,
          read(page)
            .replaceAll(/`[^`\n]*`/g, "")
            .split("\n"),
        ),
      ),
    ).toEqual([]);
  });

  it("are standard terms in the sample report", () => {
    const page = read("reports/sample/report.html").replaceAll(/<(script|style)[^]*?<\/\1>/g, "");
    // The doubts of the calibration are part of the recorded run.
    const texts = page
      .replaceAll(/<[^>]*>/g, "\n")
      .split("\n")
      .filter((text) => !text.startsWith("instrument: "));
    expect(texts.length).toBeGreaterThan(1000);
    expect(offences("report.html", texts)).toEqual([]);
  });

  it("leave the oddest ones out of comments, names and file names too", () => {
    const files = ["src", "suites"].flatMap((folder) => filesBelow(folder, /\.ts$/));
    // cantTell is a term of W3C EARL.
    const found = files.flatMap((file) =>
      [file, ...read(file).replaceAll("cantTell", "").split("\n")]
        .filter((line) => nowhere.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
    expect(
      ["const tellAll = 1;", "isTold(x)", "a/thread-fleet.ts", "// it is told"].filter((line) => !nowhere.test(line)),
    ).toEqual([]);
    expect(["intellect", "stolls", "satellite", "almost", "intelligent"].filter((line) => nowhere.test(line))).toEqual([]);
  });

  it("say what tests show in titles, too", () => {
    const titles = ["test", "bench", "tools"].flatMap((folder) =>
      filesBelow(folder, /\.ts$/).flatMap((file) =>
        [...read(file).matchAll(/^\s*(?:it\b|describe\b|\]\))[^"\n]*"([^"\n]+)"/gm)].map(([, title]) => `${file}: ${title}`),
      ),
    );
    expect(titles.length).toBeGreaterThan(2000);
    expect(titles.filter((title) => /\b(?:told|tells)\b/i.test(title))).toEqual([]);
  });

  it("is a check that notices a private word", () => {
    expect(offences("x", sentencesOf("say(`the wait is told ${1}`);"))).toHaveLength(1);
    expect(sentencesOf('// is told "in a comment"\nconst told = "told";')).toEqual([]);
  });
});

describe("the glossary", () => {
  it("has at most 46 terms, each once", () => {
    const terms = [...read("docs/glossary.md").matchAll(/^- \*\*(.+?)\*\*: /gm)].map(([, term]) => term!);
    expect(terms.length).toBeGreaterThan(30);
    expect(terms.length).toBeLessThanOrEqual(46);
    expect(new Set(terms).size).toBe(terms.length);
  });
});
