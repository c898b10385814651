import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { parseManifest } from "../../src/config/parse-manifest.ts";
import { redactManifest } from "../../src/config/redact-manifest.ts";
import { createRedactor } from "../../src/wire/redaction/redaction.ts";

interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | false;
  readonly oneOf?: readonly SchemaNode[];
  readonly items?: SchemaNode;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly propertyNames?: { readonly enum?: readonly string[] };
}

const schema = JSON.parse(readFileSync("schemas/config.schema.json", "utf8")) as SchemaNode;
const canary = "Kq7xV2mPz9LtR4wB";
const env = { ASSAY_API_KEY: "sk_live_Zx81LqT0pWv73NdRf5Ub", CANARY: canary, READ_ONLY: "sk_live_Yy92MrU1qXw84OeSg6Vc" };

/** Every place of the manifest that takes any text, with a name in the place of free names. */
function textPlaces(node: SchemaNode, path: readonly string[] = []): readonly (readonly string[])[] {
  const types = [node.type ?? []].flat();
  const own = types.includes("string") && node.enum === undefined && node.format === undefined ? [path] : [];
  const named = Object.entries(node.properties ?? {}).flatMap(([name, inner]) => textPlaces(inner, [...path, name]));
  const free = node.propertyNames?.enum?.includes("500") === true ? "500" : path.at(-1) === "keys" ? "readOnly" : "x-extra";
  const others = typeof node.additionalProperties === "object" ? textPlaces(node.additionalProperties, [...path, free]) : [];
  const choices = (node.oneOf ?? []).flatMap((inner) => textPlaces(inner, path));
  return [...own, ...named, ...others, ...choices, ...(node.items === undefined ? [] : textPlaces(node.items, [...path, "0"]))];
}

/** The smallest manifest with the text at this place. */
function manifestWith(path: readonly string[], text: string): string {
  const document: Record<string, unknown> = { target: { baseUrl: "http://127.0.0.1:1" }, keys: { primary: "${ASSAY_API_KEY}" } };
  let node: Record<string, unknown> = document;
  for (const [index, step] of path.slice(0, -1).entries()) {
    const made = path[index + 1] === "0" ? [] : {};
    const inner = node[step] ?? made;
    node[step] = inner;
    node = inner as Record<string, unknown>;
  }
  node[path.at(-1) ?? ""] = text;
  for (const list of ["baseline", "waive"] as const) {
    const [entry] = (document[list] ?? []) as Record<string, unknown>[];
    if (entry !== undefined) document[list] = [{ id: "CHAT-001", reason: "known", ...entry }];
  }
  if ("control" in document)
    document["control"] = { url: "http://127.0.0.1:2", token: "${READ_ONLY}", ...(document["control"] as object) };
  const keys = document["keys"] as Record<string, unknown>;
  if (typeof keys["readOnly"] === "object") keys["readOnly"] = { secret: "${READ_ONLY}", ...keys["readOnly"] };
  return JSON.stringify(document);
}

const places = textPlaces(schema);
/** Compared with the catalogue, so that they are written out. */
const vocabulary = ["require.0", "baseline.0.id", "waive.0.id"];

describe("a value of the environment", () => {
  it("may stand at every place that the schema lets hold a text", () => {
    expect(places.map((path) => path.join("."))).toEqual(
      expect.arrayContaining([
        "target.name",
        "target.headers.x-extra",
        "target.tls.caFile",
        "keys.readOnly.id",
        "faults.500.path",
        ...vocabulary,
      ]),
    );
    expect(places.length).toBeGreaterThan(15);
  });

  it.each(places.map((path) => [path.join("."), path] as const))("is masked wherever it shows, from %s", (name, path) => {
    const isUrl = name === "target.baseUrl" || name === "control.url";
    const text = name === "target.baseUrl" ? "http://127.0.0.1:1/${CANARY}" : name === "control.url" ? "${CANARY}" : "${CANARY}";
    let refused = "";
    try {
      const { manifest, notes } = parseManifest(manifestWith(path, text), { file: "assay.config.yaml", env });
      const { mask, maskDeep, maskBytes } = createRedactor(manifest);
      for (const said of [canary, `${canary} again`, Buffer.from(canary).toString("base64"), encodeURIComponent(`/${canary}`)]) {
        expect(mask(`a ${said} b`)).not.toContain(said);
        expect(maskDeep(`a ${said} b`)).not.toContain(said);
      }
      expect(maskBytes(Buffer.from(`\0${canary}`)).toString("latin1")).not.toContain(canary);
      expect(JSON.stringify(redactManifest(manifest))).not.toContain(canary);
      expect(notes.join("\n")).not.toContain(canary);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      refused = error.message;
    }
    expect(refused).not.toContain(canary);
    // A path that is no file, an address that is none, an id that is no reference: refused, and not shown.
    const isRefused = isUrl || vocabulary.includes(name) || name === "target.tls.caFile";
    if (name === "control.url") return;
    expect(refused !== "").toBe(isRefused && name !== "target.baseUrl");
  });

  it("hides the path and the user of an address, and shows where a run goes", () => {
    const text = '{ "target": { "baseUrl": "${BASE}" } }';
    const { manifest } = parseManifest(text, { file: "f", env: { ...env, BASE: `https://staging.example:8443/${canary}/v2` } });
    expect(createRedactor(manifest).mask(manifest.target.baseUrl)).toBe("https://staging.example:8443/<env:BASE>");
    const withUser = '{ "target": { "baseUrl": "https://me:Kq7xV2mPz9@staging.example" } }';
    expect(() => parseManifest(withUser, { file: "f", env })).toThrow(/^(?![^]*Kq7xV2)[^]*baseUrl/);
  });

  it("leaves texts apart that hold parts of a model id", () => {
    const text = '{ "target": { "baseUrl": "http://127.0.0.1:1" }, "models": { "chat": "${MODEL}" } }';
    const { manifest } = parseManifest(text, { file: "f", env: { ...env, MODEL: "llama-3.1-8b-instruct-awq" } });
    const { maskDeep } = createRedactor(manifest);
    const ids = ["llama-3.1-8b-instruct-awq", "llama-3.1-8b-instruct", "llama-3.1-8b-instruct-fp8", "llama-3.1-8b"];
    expect(new Set(ids.map(maskDeep)).size).toBe(ids.length);
    expect(maskDeep(ids[0] ?? "")).toBe("<env:MODEL>");
  });
});

describe("the value of a header", () => {
  it("is masked whatever the header is called, but for words of the protocol, numbers and dates", () => {
    const headers = { "x-extra": canary, "x-api-version": "2024-10-01", accept: "application/json", cookie: "12345678" };
    const text = JSON.stringify({ target: { baseUrl: "http://127.0.0.1:1", headers } });
    const { manifest } = parseManifest(text, { file: "f", env });
    const { mask } = createRedactor(manifest);
    expect(mask(`${canary} 2024-10-01 application/json 12345678`)).toBe(
      "<header:x-extra> 2024-10-01 application/json <header:cookie>",
    );
    expect(redactManifest(manifest).target.headers).toEqual({
      "x-extra": "",
      "x-api-version": "2024-10-01",
      accept: "application/json",
      cookie: "",
    });
  });
});
