import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { memberNames } from "../../src/features/certify/archive/member-names.ts";
import { exitCodes } from "../../src/core/result/verdict.ts";
import { reporters } from "../../src/report/reporters/reporters.ts";
import { readSchema } from "../../src/schemas/read-schema.ts";
import { markdownTable } from "./markdown-table.ts";
import { type SchemaNode, typeWords } from "./schema-node.ts";

const schema = readSchema("result.schema") as SchemaNode;
const definitions = schema.$defs ?? {};

/** Definitions that are mappings with members get a section; the others are written where they are used. */
const hasMembers = (node: SchemaNode | undefined): boolean => node?.properties !== undefined;

function typeOf(node: SchemaNode): string {
  const name = node.$ref?.replace("#/$defs/", "");
  if (name !== undefined)
    return hasMembers(definitions[name]) ? `[${name}](#${name.toLowerCase()})` : typeOf(definitions[name] ?? {});
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum !== undefined) return node.enum.map((value) => JSON.stringify(value)).join(", ");
  if (node.anyOf !== undefined) return node.anyOf.map(typeOf).join(" or ");
  if (node.items !== undefined) return `list of ${typeOf(node.items)}`;
  if (typeof node.additionalProperties === "object") return `mapping of ${typeOf(node.additionalProperties)}`;
  const alike = typeOfAll(node);
  if (alike !== null) return `mapping of ${alike} by ${Object.keys(node.properties ?? {}).join(", ")}`;
  return typeWords([node.type ?? "any"].flat());
}

/** A mapping by a closed list of names: what every value of it is. Members that say something have rows of their own. */
function typeOfAll({ properties = {} }: SchemaNode): string | null {
  const nodes = Object.values(properties);
  const types = new Set(nodes.map(typeOf));
  return nodes.length > 2 && types.size === 1 && nodes.every(({ description }) => description === undefined)
    ? [...types][0]!
    : null;
}

function ownRows(node: SchemaNode, path: string): readonly (readonly string[])[] {
  return typeOfAll(node) === null ? memberRows(node, path) : [];
}

function memberRows(node: SchemaNode, path = ""): readonly (readonly string[])[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => [
    [`\`${path}${name}\``, typeOf(child), child.description ?? ""],
    ...ownRows(child, `${path}${name}.`),
    ...ownRows(child.items ?? {}, `${path}${name}[].`),
  ]);
}

const head = ["member", "type", "meaning"];

/** The rows with a meaning, and one row a type for all members whose name says everything. */
function tableOf(node: SchemaNode): string {
  const rows = memberRows(node);
  const plain = rows.filter(([, , meaning]) => meaning === "");
  const byType = [...new Set(plain.map(([, type]) => type!))].map((type) => [
    plain.flatMap(([name, own]) => (own === type ? [name!] : [])).join(", "),
    type,
    "",
  ]);
  return markdownTable(head, [...rows.filter(([, , meaning]) => meaning !== ""), ...byType]);
}

function definitionSections(): string {
  return Object.entries(definitions)
    .filter(([, node]) => hasMembers(node))
    .map(([name, node]) => {
      const text = node.description === undefined ? "" : `${node.description}\n\n`;
      return `### ${name}\n\n${text}${tableOf(node)}\n`;
    })
    .join("\n");
}

const runFiles: readonly (readonly [name: string, written: string, holds: string])[] = [
  ["result.json", "always", "the whole result, described below; every other report is made from it"],
  ["report.html", "always", "the report as one page: no network, readable without scripts"],
  [
    "junit.xml",
    "always",
    "requirements, limit checks and gates as JUnit test cases. Only the whole has a time, test cases have none: one exchange judges many requirements, and a result names a few exchanges of each, not all",
  ],
  [
    "run.json",
    "always",
    "how the run was made: command, manifest without secrets, seed, stages, and the last hash of each record",
  ],
  [
    "evidence.ndjson",
    "conformance, limits, and a sample of load",
    "one exchange a line, each with the hash of the line before; `#17` in a report is line `seq` 17",
  ],
  ["load.ndjson", "load", "the load ledger: one record for each planned send, in columns, with the same kind of hashes"],
  ["run.unfinished.json", "while a run goes on", "what `run.json` will hold; `assay report` reads it when a run was killed"],
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

Generated from \`schemas/result.schema.json\`, the list of reporters and the exit codes by \`test/docs/output-page.test.ts\`
(\`npx vitest run test/docs -u\` rewrites it). How to read the report: [reports](../reports/README.md).

Standard output holds the summary, or one machine document with \`--reporter json=-\`. Progress and messages go to standard error.

## Exit codes

${markdownTable(["code", "means"], codes)}

## Files of a run

A saved run ends alike in every command that judges it again:

| state of the run | \`report\` | \`certify\` | \`verify\`, \`endorse\` of its bundle |
|---|---|---|---|
| a report was edited, the record is whole | 1, and the report is written anew | 0, with reports rendered anew | 1, refused |
| the record was edited | 1, verdict INVALID | 1, nothing is signed | 1, refused |
| it was killed, and nobody edited it | 3 | 3, nothing is signed | |
| it cannot be read as a run | 2 | 2 | 1, refused |

\`show\`, \`compare\` and \`history\` read \`result.json\` as it stands: \`report\` first says whether it is what the record gives.

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

Members are only added within one \`schemaVersion\`. Times in \`...Ms\` are milliseconds; instants in \`...Ms\` count from the start of the
run.

${tableOf(schema)}

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
