import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { allCases } from "../../suites/all-cases.ts";
import { completeManifest } from "../../src/config/complete-manifest.ts";
import type { Case } from "../../src/conformance/plan/case.ts";
import { keyRoles } from "../../src/core/key-roles.ts";
import { foreseeMissing } from "../../src/run/scope/foresee-missing.ts";
import { readCatalogue } from "../../src/schemas/read-catalogue.ts";
import { readPackage } from "../../src/schemas/read-package.ts";
import { readSchema } from "../../src/schemas/read-schema.ts";
import { markdownTable } from "./markdown-table.ts";
import { type SchemaNode, typeWords } from "./schema-node.ts";

interface Member {
  /** `keys.NAME.id`, `baseline[].reason`; a word in capitals stands for any name. */
  readonly path: string;
  readonly type: string;
  readonly description: string;
}

/** The placeholders for the names of a mapping. */
const placeholders: Readonly<Record<string, string>> = { keys: "KEY", "restore.keys": "KEY", faults: "STATUS" };

function listMembers(node: SchemaNode, path = ""): readonly Member[] {
  const own = path === "" ? [] : [{ path, type: typeOf(node), description: node.description ?? "" }];
  const below = [node, ...(node.oneOf ?? [])].flatMap(({ properties = {}, additionalProperties: named, items }) => [
    ...Object.entries(properties).flatMap(([name, child]) => listMembers(child, path === "" ? name : `${path}.${name}`)),
    // Headers have no members of their own: their names are free and their values strings.
    ...(typeof named === "object" && path in placeholders ? listMembers(named, `${path}.${placeholders[path]}`) : []),
    ...(items?.properties === undefined ? [] : listMembers({ properties: items.properties }, `${path}[]`).slice(1)),
  ]);
  return [...own, ...below];
}

function typeOf(node: SchemaNode): string {
  if (node.enum !== undefined) return node.enum.map((value) => JSON.stringify(value)).join(", ");
  if (node.oneOf !== undefined) return node.oneOf.map(typeOf).join(" or ");
  return typeWords([node.type ?? []].flat());
}

const defaults = completeManifest({ target: { baseUrl: "http://127.0.0.1:8080" } });

/** The value where the manifest says nothing; an empty text for mappings and where the description says what holds. */
function defaultOf(path: string): string {
  if (path === "target.baseUrl" || path === "target.name") return "";
  let value: unknown = defaults;
  for (const step of path.split(".")) value = Object(value)[step] as unknown;
  if (value === undefined || (typeof value === "object" && value !== null)) return "";
  return `\`${JSON.stringify(value)}\``;
}

/** Requirements that a run of everything could not judge if this feature were declared absent. */
function lostWithoutFeature(name: string): number {
  const isLost = ({ needs, cost }: Case): boolean => {
    const used = Object.keys(cost.requests).filter((id) => id !== "other");
    return (
      needs.some((need) => need.kind === "feature" && need.name === name) || (used.length > 0 && used.every((id) => id === name))
    );
  };
  const rows = readCatalogue().filter(({ exclusion }) => exclusion === null);
  return rows.filter(({ id }) => {
    const covering = allCases.filter(({ covers }) => covers.includes(id));
    return covering.length > 0 && covering.every(isLost);
  }).length;
}

const needed = await foreseeMissing(defaults);

/** How many requirements need a member that fits the path, alone or with others. */
function countNeeding(path: string): number {
  const feature = /^features\.(.+)$/.exec(path)?.[1];
  if (feature !== undefined) return lostWithoutFeature(feature);
  const pattern = new RegExp(`^${path.replaceAll(/[.[\]]/g, "\\$&").replaceAll(/KEY|STATUS/g, "[^.]+")}$`);
  return new Set(needed.filter(({ member }) => pattern.test(member)).flatMap(({ requirements }) => requirements)).size;
}

const showCount = (count: number): string => (count === 0 ? "" : String(count));

const introduction = `# Manifest

Generated from \`schemas/config.schema.json\`, \`src/core/key-roles.ts\` and the needs of the cases by
\`test/docs/manifest-page.test.ts\` (\`npx vitest run test/docs -u\` rewrites it). \`assay init\` writes a manifest to begin with.

\`assay.config.yaml\` describes one target. Only \`target.baseUrl\` is required; a member that is not listed here is an error. Secrets
are references to environment variables: \`\${ASSAY_API_KEY}\`. A requirement that the manifest does not offer or permit
is untested, with the reason, and outside the scope of the run; it never passes.

Editors check it by its schema, which is part of the package. \`assay init\` writes the comment for it; a member \`$schema\` does the same, and a
load profile takes \`profile.schema.json\`:

    # yaml-language-server: $schema=./node_modules/${readPackage().name}/dist/schemas/config.schema.json

\`assay.config.ts\` (\`.mts\`, \`.js\`, \`.mjs\`) is a manifest as a module: its code runs whenever assay looks for a manifest. Node 22.18 or later reads
TypeScript; before that, install tsx and set \`NODE_OPTIONS='--import tsx'\`. Keys are references there, too: the value of a variable does not
compile, since assay must know which values it has to mask.

    import { defineConfig } from "${readPackage().name}";
    export default defineConfig({ target: { baseUrl: "https://staging.example/api" }, keys: { primary: "\${ASSAY_API_KEY}" } });

The column **requirements** counts those that need the member, alone or with others, from an empty manifest; a requirement that
needs three members counts at all three. For a feature it counts those that leave the scope when it is declared \`false\`.
`;

const members = listMembers(readSchema("config.schema"));

function renderPage(): string {
  const groups = [...new Set(members.map(({ path }) => path.split(/[.[]/)[0]!))];
  const sections = groups.map((group) => {
    const rows = members
      .filter(({ path }) => path.split(/[.[]/)[0] === group)
      .map(({ path, type, description }) => [`\`${path}\``, type, defaultOf(path), description, showCount(countNeeding(path))]);
    return `### ${group}\n\n${markdownTable(["member", "type", "default", "meaning", "requirements"], rows)}\n`;
  });
  const keys = keyRoles.map(({ name, state }) => {
    const [itself, id, restore] = [`keys.${name}`, `keys.${name}.id`, `restore.keys.${name}`].map(countNeeding);
    return [`\`${name}\``, state, showCount(itself!), showCount(id!), showCount(restore!)];
  });
  return `${introduction}
## Members

${sections.join("\n")}
## Names of keys

Checks look for these names below \`keys\`; other names are free, for load profiles. The last three columns count the requirements
that need the key, its \`id\`, and its entry in \`restore.keys\`. Every request that names no other key uses \`primary\`.

Keys without a figure: exams of limits take \`examRequests\` before \`primary\`, \`examRequestsTwin\` before \`secondary\`,
\`examTokens\` before \`lowToken\`, \`spendAdmin\` before \`admin\`, and \`queue\` and \`examSpend\` where \`examBurstQueue\` and \`spendA\` are
absent. \`spendB\` adds the cap of the account to the exam of \`spendA\`, \`starter\` a second plan to the exam of requests. Load
profiles use \`load\` unless they name another; \`cooldown\` uses \`reject\`. No check uses \`sandbox\` and \`sandboxSecondary\`.

${markdownTable(["name", "the key", "requirements", "with its id", "with restore"], keys)}
`;
}

describe("page of the manifest", () => {
  it("is docs/manifest.md", async () => {
    await expect(renderPage()).toMatchFileSnapshot(resolve(import.meta.dirname, "../../docs/manifest.md"));
  });

  it("finds a description of every member that says more than its type", () => {
    const bare = members.filter(({ description }) =>
      /^(?:|true or false|a string|a positive integer, or null|US dollars)$/.test(description),
    );
    expect(bare.map(({ path }) => path)).toEqual([]);
    expect(members.length).toBeGreaterThan(80);
  });

  it("knows the name of every key that a requirement needs", () => {
    const named = needed.flatMap(({ member }) => (member.startsWith("keys.") ? [member.split(".")[1]!] : []));
    expect(named.filter((name) => !keyRoles.some((role) => role.name === name))).toEqual([]);
    expect(named.length).toBeGreaterThan(10);
  });

  it("lists every member that a requirement needs", () => {
    const paths = members.map(
      ({ path }) => new RegExp(`^${path.replaceAll(/[.[\]]/g, "\\$&").replaceAll(/KEY|STATUS/g, "[^.]+")}$`),
    );
    expect(needed.map(({ member }) => member).filter((member) => !paths.some((path) => path.test(member)))).toEqual([]);
  });
});
