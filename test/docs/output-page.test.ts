import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { memberNames } from "../../src/features/certify/archive/member-names.ts";
import { exitCodes } from "../../src/core/result/verdict.ts";
import { reporters } from "../../src/report/reporters/reporters.ts";
import { groupBy } from "../../src/core/group-by.ts";
import { readSchema } from "../../src/schemas/read-schema.ts";
import { markdownTable } from "./markdown-table.ts";
import type { SchemaNode } from "./schema-node.ts";

const schema = readSchema("result.schema") as SchemaNode;
const definitions = schema.$defs ?? {};

/** Definitions that are mappings with members get a section; names that several members take are listed once. */
const hasMembers = (node: SchemaNode | undefined): boolean => node?.properties !== undefined;

const uses = (name: string): number => JSON.stringify(schema).split(`"#/$defs/${name}"`).length - 1;
const sharedNames = Object.keys(definitions).filter((name) => (definitions[name]?.enum?.length ?? 0) > 3 && uses(name) > 1);

/** Parts that programs read first: a line for each of their members that has a meaning. */
const explained = new Set([
  "Finding",
  "GateResult",
  "LimitCheckResult",
  "LimitPolicyResult",
  "LoadProfileResult",
  "PercentileEstimate",
  "RequestCounts",
  "RequirementResult",
  "ScopeResult",
  "SuiteResult",
]);

/** A type as TypeScript writes it, but for lists of names: lines break between those. */
function typeOf(node: SchemaNode): string {
  const name = node.$ref?.replace("#/$defs/", "");
  if (name !== undefined) {
    if (hasMembers(definitions[name])) return explained.has(name) ? `[${name}](#${name.toLowerCase()})` : name;
    return sharedNames.includes(name) ? `[${name}](#names)` : typeOf(definitions[name] ?? {});
  }
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum !== undefined) return node.enum.map((value) => JSON.stringify(value)).join(", ");
  if (node.anyOf !== undefined) return node.anyOf.map(typeOf).join("|");
  if (node.items !== undefined) return `${typeOf(node.items)}[]`;
  if (typeof node.additionalProperties === "object") return `{[name]:${typeOf(node.additionalProperties)}}`;
  const alike = typeOfAll(node);
  if (alike !== null) return `{${Object.keys(node.properties ?? {}).join(", ")}: ${alike}}`;
  return [node.type ?? "any"].flat().join("|");
}

/** A mapping by a closed list of names: the type of all its values. Members that say something have rows of their own. */
function typeOfAll({ properties = {} }: SchemaNode): string | null {
  const nodes = Object.values(properties);
  const types = new Set(nodes.map(typeOf));
  return nodes.length > 2 && types.size === 1 && nodes.every(({ description }) => description === undefined)
    ? [...types][0]!
    : null;
}

interface MemberRow {
  readonly name: string;
  readonly type: string;
  readonly meaning: string;
}

function ownRows(node: SchemaNode, path: string): readonly MemberRow[] {
  return typeOfAll(node) === null ? memberRows(node, path) : [];
}

/** The page says it once, of all members: absent or null is one that does not apply, or of an older version. */
const inapplicable =
  /[,;] (?:absent|null|empty) (?:in|for|where|when|unless) (?:[^.;,]|, and in older results)*(?=[.;]|$)|(?<=^|\. )Absent in [^.;]*\.?/g;

/** Mappings whose members follow need no row of their own where nothing is said of them. */
function memberRows(node: SchemaNode, path = ""): readonly MemberRow[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const below = [...ownRows(child, `${path}${name}.`), ...ownRows(child.items ?? {}, `${path}${name}[].`)];
    const own = {
      name: `\`${path}${name}\``,
      type: typeOf(child),
      meaning: (child.description ?? "").replaceAll(inapplicable, "").trim(),
    };
    return own.meaning === "" && below.length > 0 ? below : [own, ...below];
  });
}

/** Members by type; other types than those of parts and closed lists stand in the schema. */
function namesOf(rows: readonly MemberRow[]): string {
  const byType = groupBy(rows, ({ type }) => (/^\[|"/.test(type) ? type : ""));
  return [...byType].map(([type, members]) => `${members.map(({ name }) => name).join(", ")}${ofType(type)}`).join("; ");
}

/** Most members are numbers. */
const ofType = (type: string): string => (type === "number" || type === "" ? "" : ` ${type}`);

/** A line a member with a meaning; all others, whose name says everything, in one paragraph by type. */
function listOf(node: SchemaNode): string {
  const rows = memberRows(node);
  const named = namesOf(rows.filter(({ meaning }) => meaning === ""));
  const lines = rows
    .filter(({ meaning }) => meaning !== "")
    .map(({ name, type, meaning }) => `- ${name}${ofType(type)}: ${escapeText(meaning)}`);
  return [lines.join("\n"), named].filter((part) => part !== "").join("\n\n");
}

const escapeText = (text: string): string => text.replaceAll(/`[^`]*`|</g, (part) => (part === "<" ? "&lt;" : part));

function definitionSections(): string {
  return Object.entries(definitions)
    .filter(([name, node]) => hasMembers(node) && explained.has(name))
    .map(([name, node]) => {
      const text = node.description === undefined ? "" : `${node.description}\n\n`;
      return `### ${name}\n\n${text}${listOf(node)}\n`;
    })
    .join("\n");
}

const nameLines = (): string => sharedNames.map((name) => `- ${name}: ${typeOf(definitions[name] ?? {})}`).join("\n");

const runFiles: readonly (readonly [name: string, written: string, holds: string])[] = [
  ["result.json", "always", "the whole result, described below; every other report is made from it"],
  ["report.html", "always", "the report as one page: no network, readable without scripts"],
  ["junit.xml", "always", "requirements, limit checks and gates as JUnit test cases; only the whole has a time"],
  ["run.json", "always", "command, manifest without secrets, seed, stages, and the last hash of each record"],
  [
    "evidence.ndjson",
    "conformance, limits, and a sample of load",
    "one exchange a line, chained by hashes; `#17` in a report is line `seq` 17",
  ],
  ["load.ndjson", "load", "the load ledger: one record for each planned send, in columns, chained by hashes"],
  ["run.unfinished.json", "while a run goes on", "what `run.json` will hold; `assay report` reads it after a kill"],
  [
    "challenge.json, commitment.dsse.json, heads.ndjson",
    "with `--challenge`",
    "the challenge, the signed commitment to this run, and how the records grew",
  ],
];

const codeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  met: "PASSED: everything in scope was judged and met",
  findings:
    "FAILED: a violated requirement, limit or gate; a regression (`compare --gate`); a baseline entry that no longer fails; a run or a bundle that was changed",
  usage: "wrong usage or configuration; nothing was judged",
  invalid:
    "INCOMPLETE or INVALID: something in scope could not be decided, the target stopped answering, the measurement is not valid, or the run was killed",
  internal: "a fault in assay itself",
  interrupted: "interrupted by Ctrl-C; the reports hold what was judged until then",
  terminated: "ended by SIGTERM; the reports hold what was judged until then",
};

function renderPage(): string {
  const codes = Object.entries(exitCodes).map(([name, code]) => [String(code), codeMeanings[name as keyof typeof exitCodes]]);
  const reporterRows = Object.values(reporters).map(({ name, purpose, defaultPath }) => [
    `\`${name}\``,
    defaultPath === null ? "standard output" : `\`${defaultPath}\``,
    purpose,
  ]);
  return `# Output

Generated by \`test/docs/output-page.test.ts\` (\`npx vitest run test/docs -u\`). How to read the report: [reports](../reports/README.md).

Standard output holds the summary, or one machine document with \`--reporter json=-\`. Progress and messages go to standard error.

## Exit codes

${markdownTable(["code", "means"], codes)}

## Files of a run

Exit codes of commands that judge a saved run again:

| state of the run | \`report\` | \`certify\` | \`verify\`, \`endorse\` of its bundle |
|---|---|---|---|
| a report was edited, the record is whole | 1, and the report is written anew | 0, with reports rendered anew | 1, refused |
| the record was edited | 1, verdict INVALID | 1, nothing is signed | 1, refused |
| it was killed, and nobody edited it | 3 | 3, nothing is signed | |
| it cannot be read as a run | 2 | 2 | 1, refused |

\`show\`, \`compare\` and \`history\` read \`result.json\` as it stands; \`report\` checks it against the record.

Each run writes a new folder \`reports/RUN-ID/\` (\`--out\` names another parent). \`assay report FOLDER\` judges the record again and
rewrites the first three files.

${markdownTable(
  ["file", "written", "holds"],
  runFiles.map(([name, ...rest]) => [`\`${name.replaceAll(", ", "`, `")}\``, ...rest]),
)}

## Reporters

\`--reporter NAME[=PATH]\`, any number of times; the path \`-\` is standard output.

${markdownTable(["name", "file in the run folder", "holds"], reporterRows)}

## result.json

Members are only added within one \`schemaVersion\`. One that does not apply is absent or null. Instants in \`...Ms\` count from the start of
the run. A member without a type is a number. \`@assay-harness/assay/schemas/result.schema.json\` holds every type and every part; the paragraph below
the lines of a part names its other members.

${listOf(schema)}

## Names

${nameLines()}

## Parts of result.json

${definitionSections()}`;
}

describe("page of the output", () => {
  it("is docs/output.md", async () => {
    await expect(renderPage()).toMatchFileSnapshot(resolve(import.meta.dirname, "../../docs/output.md"));
  });

  it("names every file that a certificate takes from a run folder", () => {
    const ofBundle = ["attestation.dsse.json", "attestation.sigstore.json", "manifest.json"];
    const named = new Set([...runFiles.flatMap(([names]) => names.split(", ")), ...ofBundle]);
    const taken = Object.values(memberNames).map((name) => name.replace(/\.gz$/, ""));
    expect(taken.filter((name) => !named.has(name))).toEqual([]);
  });

  it("gives every member of the result itself a meaning", () => {
    const bare = Object.entries(schema.properties ?? {}).filter(([, node]) => (node.description ?? "") === "");
    expect(bare.map(([name]) => name)).toEqual([]);
  });
});
