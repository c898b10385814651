import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { parseManifest } from "../../src/config/parse-manifest.ts";
import { ProfileError } from "../../src/load/profile/profile-error.ts";
import { readProfile } from "../../src/load/plan/read-profile.ts";
import { sampleOf, sampleTitle } from "../make/runner/sample.ts";

interface SchemaNode {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly oneOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
  readonly allOf?: readonly SchemaNode[];
  readonly then?: SchemaNode;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
}

type Path = readonly string[];

function readSchema(name: string): SchemaNode {
  return JSON.parse(readFileSync(`schemas/${name}.schema.json`, "utf8")) as SchemaNode;
}

/** Every place of a file that the schema describes; a list has one item. */
function placesOf(root: SchemaNode, node: SchemaNode = root, path: Path = []): readonly Path[] {
  if (path.length > 6) return [];
  if (node.$ref !== undefined) return placesOf(root, root.$defs?.[node.$ref.replace("#/$defs/", "")] ?? {}, path);
  const named = Object.entries(node.properties ?? {}).map(([name, inner]) => [name, inner] as const);
  const free = typeof node.additionalProperties === "object" ? [["x", node.additionalProperties] as const] : [];
  const item = node.items === undefined ? [] : [["0", node.items] as const];
  const branches = [...(node.oneOf ?? []), ...(node.anyOf ?? []), ...(node.allOf ?? []), ...(node.then ? [node.then] : [])];
  const places = [
    ...(path.length > 0 ? [path] : []),
    ...[...named, ...free, ...item].flatMap(([name, inner]) => placesOf(root, inner, [...path, name])),
    ...branches.flatMap((branch) => placesOf(root, branch, path)),
  ];
  return [...new Map(places.map((place) => [place.join("."), place])).values()];
}

function put(document: object, path: Path, value: unknown): string {
  const copy = structuredClone(document) as Record<string, unknown>;
  let node = copy;
  for (const [index, step] of path.slice(0, -1).entries()) {
    if (typeof node[step] !== "object" || node[step] === null) node[step] = path[index + 1] === "0" ? [] : {};
    node = node[step] as Record<string, unknown>;
  }
  node[path.at(-1) ?? ""] = value;
  return JSON.stringify(copy);
}

const long = "Q".repeat(60_000);
const values: readonly unknown[] = [
  long,
  `\${${long}}`,
  `http://${long}`,
  `${long}://x`,
  `ttft.p95 < 1${long}`,
  `chat.${long} < 1s`,
  `a\n${long}`,
  "${A}".repeat(10_000),
  [long],
  { [long]: 1 },
  { a: { [long]: long } },
];

const env = { ASSAY_API_KEY: "sk_live_Zx81LqT0pWv73NdRf5Ub" };
const surfaces = [
  {
    name: "a manifest",
    schema: "config",
    base: { target: { baseUrl: "http://127.0.0.1:1" }, keys: { primary: "${ASSAY_API_KEY}" } },
    read: (text: string) => parseManifest(text, { file: "f", env }),
    refusal: ConfigError,
  },
  {
    name: "a profile",
    schema: "profile",
    base: parse(readFileSync("suites/profiles/burst.yaml", "utf8")) as object,
    read: (text: string) => readProfile(text, "f"),
    refusal: ProfileError,
  },
];

describe.each(surfaces)("what is said of $name", ({ schema, base, read, refusal }) => {
  const places = placesOf(readSchema(schema));

  it(`has 20 lines and 4 kB at most, and no value of more than 80 characters, wherever it stands (${sampleTitle})`, () => {
    expect(places.length).toBeGreaterThan(80);
    const tried = sampleOf(
      places.flatMap((path) => values.map((value) => [path, value] as const)),
      8,
    );
    let refused = 0;
    for (const [path, value] of tried) {
      try {
        read(put(base, path, value));
      } catch (error) {
        const { message } = error as Error;
        const place = path.join(".");
        expect([place, error instanceof refusal]).toEqual([place, true]);
        expect([place, message.split("\n").length <= 20, Buffer.byteLength(message) <= 4096]).toEqual([place, true, true]);
        expect([place, /Q{81}/.exec(message)?.index, message.includes("Q\nQ")]).toEqual([place, undefined, false]);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(tried.length / 2);
  });
});

it("a message shows no markup of the comments that descriptions are made of", () => {
  const [manifest, profile] = surfaces;
  expect(() => manifest!.read("[]")).toThrow(/begins with target:/);
  expect(() => profile!.read(put(profile!.base, ["probe"], { ask: ["foo"] }))).toThrow(
    /"foo" is not allowed \(expected one of models, chat, chat-stream, error\)/,
  );
});
