import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { groupBy } from "../../src/core/group-by.ts";
import { gateFigures, type GateFigureEntry } from "../../src/load/gates/gate-figures.ts";
import { parseGate } from "../../src/load/gates/parse-gate.ts";
import { builtInProfiles, loadProfile, readProfile } from "../../src/load/plan/read-profile.ts";
import { readSchema } from "../../src/schemas/read-schema.ts";
import { type SchemaNode, typeWords } from "./schema-node.ts";

interface Alternatives {
  readonly allOf: readonly {
    readonly if: { readonly properties: Readonly<Record<string, SchemaNode>> };
    readonly then: SchemaNode;
  }[];
}

const schema = readSchema("profile.schema") as unknown as SchemaNode & {
  readonly $defs: Readonly<Record<"arrivals" | "workload", Alternatives>>;
};

/** The kinds of a definition that is chosen by one member: `kind` of arrivals, `endpoint` of the workload. */
function alternativesOf(name: "arrivals" | "workload", by: string): readonly (readonly [kind: string, node: SchemaNode])[] {
  return schema.$defs[name].allOf.map((one) => [String(one.if.properties[by]?.const), one.then]);
}

function typeOf(node: SchemaNode): string {
  if (node.$ref !== undefined) return node.$ref.endsWith("/length") ? "length" : node.$ref.replace(/.*\//, "");
  if (node.enum !== undefined) return node.enum.map((value) => JSON.stringify(value)).join(", ");
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.anyOf !== undefined) return node.anyOf.map(typeOf).join(" or ");
  return typeWords([node.type ?? []].flat().filter((word) => word !== "null"));
}

/** One value for each required member, so that everything else of a profile is a default. */
const samples: Readonly<Record<string, unknown>> = {
  ratePerSecond: 1,
  shape: 1,
  fromPerSecond: 1,
  toPerSecond: 2,
  steps: [{ ratePerSecond: 1, seconds: 1 }],
  basePerSecond: 1,
  peakPerSecond: 2,
  atSeconds: 1,
  forSeconds: 1,
  bursts: [{ at: 0, size: 1 }],
  concurrency: 1,
  ratesPerSecond: [1, 2],
  secondsPerRate: 1,
  lowPerSecond: 1,
  highPerSecond: 2,
  secondsPerProbe: 1,
  of: "rate",
  concurrencies: [1, 2],
  secondsPerLevel: 1,
  file: "trace.jsonl",
  format: "jsonl",
  turns: 2,
  thinkSeconds: 1,
};

function filled(arrivals: unknown, workload: unknown, more: object = {}): Readonly<Record<string, unknown>> {
  const text = JSON.stringify({ id: "defaults", title: "defaults", arrivals, workload: [workload], ...more });
  return readProfile(text, "defaults") as unknown as Readonly<Record<string, unknown>>;
}

/** A search for the highest rate is refused without a service level. */
const searchNeeds = { slo: { userLatencyMs: 1000 } };
const plain = { kind: "poisson", ratePerSecond: 1 };
const defaults = filled(plain, { endpoint: "models" });

function showDefault(value: unknown): string {
  const isBare = value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
  if (isBare) return "";
  const fixed = value as { readonly kind?: string; readonly value?: unknown };
  return `\`${JSON.stringify(fixed.kind === "fixed" ? fixed.value : value)}\``;
}

function memberRows(node: SchemaNode, values: Readonly<Record<string, unknown>>, path = ""): readonly (readonly string[])[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    if (name === "kind" || name === "endpoint") return [];
    const isRequired = node.required?.includes(name) === true;
    const value = values[name];
    const shown = isRequired ? "required" : child.type === "object" ? "" : showDefault(value);
    const own = [`\`${path}${name}\``, typeOf(child), shown, child.description ?? ""];
    const below =
      child.type === "object" ? memberRows(child, (value ?? {}) as Readonly<Record<string, unknown>>, `${path}${name}.`) : [];
    const ofItems = child.items?.properties === undefined ? [] : memberRows(child.items, {}, `${path}${name}[].`);
    return [own, ...below, ...ofItems];
  });
}

/** A line a member, in the form of YAML: `name: default`; a required name is bold. */
function listMembers(rows: readonly (readonly string[])[]): string {
  return rows
    .map(([name, type, shown, meaning]) => {
      const plain = name!.replaceAll("`", "");
      const isPlain = /^`[^`]*`$/.test(shown!);
      const bare = shown === "required" ? `**\`${plain}\`**` : isPlain ? `\`${plain}: ${shown!.slice(1, -1)}\`` : `\`${plain}\``;
      const facts = shown === "" || shown === "required" || isPlain ? type! : `${type!}, default ${shown}`;
      const typed = facts === "number" ? "" : ` ${facts}`;
      return `- ${bare}${typed}: ${meaning!.replace(/: a length$/, "").replaceAll("<", "&lt;")}`;
    })
    .join("\n");
}

type Kind = readonly [kind: string, meaning: string, rows: readonly (readonly string[])[]];

/** Members that several kinds have with the same type and meaning: one row, with the kinds. */
function sharedRows(kinds: readonly Kind[]): ReadonlyMap<string, readonly string[]> {
  const all = kinds.flatMap(([kind, , rows]) => rows.map((row) => ({ kind, row })));
  const groups = [...groupBy(all, ({ row }) => keyOf(row))].filter(([, of]) => of.length > 1);
  return new Map(
    groups.map(([key, of]) => {
      const [name, type, , meaning] = of[0].row;
      const defaults = groupBy(of, ({ row }) => row[2]!);
      const own = [...defaults].flatMap(([value, [{ kind }]]) => (value === `\`"${kind}"\`` ? [] : [`${value} of \`${kind}\``]));
      const shown = defaults.size === 1 ? of[0].row[2]! : `${own.join(", ")}, else the endpoint`;
      const where = of.length === kinds.length ? "all" : of.map(({ kind }) => `\`${kind}\``).join(", ");
      return [key, [name!, type!, shown, `${meaning}. In ${where}`]] as const;
    }),
  );
}

const keyOf = ([name, type, , meaning]: readonly string[]): string => JSON.stringify([name, type, meaning]);

/** A section for each alternative of a definition, and one for the members that several have. */
function alternativeSections(kinds: readonly Kind[]): string {
  const shared = sharedRows(kinds);
  const parts = kinds.map(([kind, meaning, rows]) => {
    const own = rows.filter((row) => !shared.has(keyOf(row)));
    return `**\`${kind}\`**: ${meaning}\n${own.length === 0 ? "" : `\n${listMembers(own)}\n`}`;
  });
  return `${parts.join("\n")}\n**Members of several**:\n\n${listMembers([...shared.values()])}\n`;
}

function arrivalsSections(): string {
  return alternativeSections(
    alternativesOf("arrivals", "kind").map(([kind, node]) => {
      const required = Object.fromEntries(
        (node.required ?? []).filter((name) => name !== "kind").map((name) => [name, samples[name]]),
      );
      const { arrivals } = filled({ kind, ...required }, { endpoint: "chat" }, searchNeeds);
      return [kind, `${capitalized(node.description ?? "")}.`, memberRows(node, arrivals as Readonly<Record<string, unknown>>)];
    }),
  );
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function workloadSections(): string {
  return alternativeSections(
    alternativesOf("workload", "endpoint").map(([endpoint, node]) => {
      const { workload } = filled(plain, { endpoint });
      const [item] = workload as readonly Readonly<Record<string, unknown>>[];
      return [endpoint, node.description ?? "", memberRows(node, item ?? {})];
    }),
  );
}

function profileSections(): string {
  return builtInProfiles()
    .map((id) => {
      const { profile } = loadProfile(id);
      const { title, description, arrivals, durationSeconds, warmUpSeconds, workload, key, needs, gates } = profile;
      const warmUp = warmUpSeconds > 0 ? ` after ${warmUpSeconds} s of warm-up` : "";
      const endpoints = [...new Set(workload.map(({ endpoint }) => `\`${endpoint}\``))].join(", ");
      const needed = needs.length === 0 ? "" : ` Permissions: ${needs.map((need) => `\`${need}\``).join(", ")}.`;
      const bounds = gates.length === 0 ? "" : ` Gates: ${gates.map(({ expression }) => `\`${expression}\``).join(", ")}.`;
      const sender = key === defaults["key"] ? "" : ` with the key \`${key}\``;
      const facts = `\`${arrivals.kind}\`, ${durationSeconds} s${warmUp}: ${endpoints}${sender}.`;
      return `### \`${id}\`: ${title}\n\n${description}\n\n${facts}${needed}${bounds}\n`;
    })
    .join("\n");
}

const units: Readonly<Record<GateFigureEntry["unit"], string>> = {
  time: "Times: a bound in `us`, `ms`, `s` or `min`",
  "tokens a second": "Tokens a second: a bound in `tokens/s`, or without a unit",
  "a second": "Rates: a bound in `/s`, or without a unit",
  fraction: "Fractions: a bound in `%`, or a decimal below 1",
  count: "Counts: a bound without a unit",
};

/** The figures by the unit of their bound. */
function figureLists(): string {
  return [...groupBy(gateFigures, ({ unit }) => unit)]
    .map(([unit, figures]) => {
      const lines = figures.map(({ name, statistics, meaning }) => `- \`${name}${statistics ? ".STATISTIC" : ""}\`: ${meaning}`);
      return `${units[unit]}.\n\n${lines.join("\n")}\n`;
    })
    .join("\n");
}

function renderPage(): string {
  return `# Load profiles

Generated by \`test/docs/profiles-page.test.ts\` (\`npx vitest run test/docs -u\`). [The load guide](guide/load.md) shows how to use them;
\`assay load --profile NAME --plan\` shows what one would send.

## Built-in profiles

${profileSections()}
## Members

Bold members are required; a value behind a name is its default. A member without a type is a number.

${listMembers(memberRows(schema, defaults))}

A **length** is a plain number or a distribution: \`{ kind: fixed, value }\`, \`{ kind: normal, mean, standardDeviation, min, max }\`,
\`{ kind: lognormal, median, sigma, min, max }\` or \`{ kind: empirical, values, weights }\`.

## Arrivals

\`arrivals\` has a \`kind\` and the members of that kind.

${arrivalsSections()}
## Workload

An entry of \`workload\` has an \`endpoint\` and the members of that endpoint.

${workloadSections()}
## Gates

    [endpoint.]figure operator bound [where condition [and condition]...]

An endpoint is \`chat\`, \`embeddings\`, \`images\`, \`transcriptions\`, \`models\`, \`usage\` or \`key-settings\`. STATISTIC is \`p50\` to \`p99.99\`,
\`mean\`, \`min\` or \`max\`. Operators: \`<\` \`<=\` \`>\` \`>=\` \`==\` \`!=\`. Requests that were refused or failed are never part of a latency.

${figureLists()}`;
}

describe("page of the load profiles", () => {
  it("is docs/profiles.md", async () => {
    await expect(renderPage()).toMatchFileSnapshot(resolve(import.meta.dirname, "../../docs/profiles.md"));
  });

  it("describes every member of a profile", () => {
    const rows = [
      ...memberRows(schema, defaults),
      ...[...alternativesOf("arrivals", "kind"), ...alternativesOf("workload", "endpoint")].flatMap(([, node]) =>
        memberRows(node, {}),
      ),
    ];
    expect(rows.filter(([, , , meaning]) => meaning === "")).toEqual([]);
    expect(rows.length).toBeGreaterThan(60);
  });

  it("lists exactly the figures that a gate may bound", () => {
    const bounds = { time: "1ms", "tokens a second": "1", "a second": "1", fraction: "0.5", count: "3" } as const;
    for (const { name, statistics, unit } of gateFigures) {
      expect(() => parseGate(`${name}${statistics ? ".p95" : ""} <= ${bounds[unit]}`)).not.toThrow();
    }
    const known = /known are (.*?);/.exec(messageOf(() => parseGate("nothing < 1")))?.[1]?.split(", ") ?? [];
    expect(new Set(gateFigures.map(({ name }) => name.split(".")[0]))).toEqual(new Set(known));
  });
});

function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return String(error);
  }
  return "";
}
