import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type SpecData, Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../../src/core/exchange/endpoint.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { readRun, run, startReferenceService } from "../../../src/index.ts";
import { buildOpenApi } from "../../../src/features/openapi/build-openapi.ts";
import { readCatalogue } from "../../../src/schemas/read-catalogue.ts";
import { requestValidator } from "../../../src/schemas/request-schemas.ts";
import { emptyFolder, runAssay } from "../../cli/run-assay.ts";

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly schemas: Readonly<Record<string, unknown>>;
  };
}

interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: object;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: BodySchema }>> };
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>;
  readonly "x-assay-requirements"?: readonly string[];
}

interface BodySchema {
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required?: readonly string[];
}

interface ResponseObject {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

const document = buildOpenApi({ version: "1.2.3" }) as unknown as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

function responseOf({ responses }: OperationObject, status: number): ResponseObject | null {
  const found = responses[String(status)] ?? responses[`${String(status)[0]}XX`];
  if (found === undefined) return null;
  return "$ref" in found ? document.components.responses[found.$ref.split("/").at(-1)!]! : found;
}

/** `METHOD path` -> members as the tables of the specification list them, required ones with a star. */
const stated: Readonly<Record<string, string>> = {
  "POST /v1/chat/completions": "model* messages* stream tools temperature top_p max_tokens reasoning_effort",
  "POST /v1/embeddings": "input* model* encoding_format dimensions",
  "POST /v1/images/generations": "prompt* n size quality",
  "POST /v1/audio/transcriptions": "file* model* language",
  "GET /v1/models": "",
  "GET /v1/usage": "from* to* granularity",
  "PATCH /v1/keys/{key_id}": "key_id* monthly_spend_cap burst_limit cooldown_seconds",
  "PATCH /v1/account": "account_spend_cap*",
  "POST /v1/agents": "",
  "GET /v1/workspaces": "",
  "GET /v1/verify": "",
};

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1 for a public validator, which refuses a broken one", async () => {
    expect(await new Validator().validate(structuredClone(document) as unknown as SpecData)).toMatchObject({ valid: true });
    const broken = { ...structuredClone(document), paths: { "/v1/models": { get: { responses: { "200": {} } } } } };
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
  });

  it("holds every operation of the catalogue with every stated member, required or not", () => {
    const found = operations.map(({ path, method, operation }) => {
      const content = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
      const members = [
        ...(operation.parameters ?? []).map(({ name, required }) => (required ? `${name}*` : name)),
        ...Object.keys(content?.properties ?? {}).map((name) => (content?.required?.includes(name) === true ? `${name}*` : name)),
      ];
      return [`${method} ${path}`, members.join(" ")];
    });
    expect(Object.fromEntries(found)).toEqual(stated);
    expect(Object.keys(stated).toSorted()).toEqual(
      Object.values(endpoints)
        .map(({ method, path }) => `${method} ${path}`)
        .toSorted(),
    );
  });

  it("names every must of the catalogue that belongs to an endpoint", () => {
    const named = operations.flatMap(({ operation }) => operation["x-assay-requirements"] ?? []);
    const due = readCatalogue().filter(({ section, level }) => level === "must" && /^Endpoints > [A-Z]+ \//.test(section));
    expect(named.toSorted()).toEqual(due.map(({ id }) => id).toSorted());
    expect(named.length).toBeGreaterThan(60);
  });

  it("holds every error status that the catalogue speaks of, on every operation where it can occur", () => {
    const spoken = readCatalogue().flatMap(({ text, level }) =>
      level === "must" ? [...text.matchAll(/\b([45]\d\d)\b/g)].map(([status]) => status) : [],
    );
    const statuses = new Set(spoken.filter((status) => status !== "400"));
    expect([...statuses].toSorted()).toEqual(["401", "402", "403", "404", "422", "429", "500", "502", "503"]);
    expect(Object.keys(document.components.responses)).toEqual([...statuses].toSorted());
    for (const { operation, path, method } of operations) {
      const missing = [...statuses].filter((status) => responseOf(operation, Number(status)) === null);
      const allowed = path.includes("{") ? [] : method === "GET" && path === "/v1/models" ? ["404", "422"] : ["404"];
      expect({ path, unexplained: missing.filter((status) => !allowed.includes(status)) }).toEqual({ path, unexplained: [] });
    }
  });

  it("states no bound that is the reference service's own", () => {
    const bounds = JSON.stringify(operations.map(({ operation }) => operation.requestBody ?? null));
    expect(bounds).not.toMatch(/"maximum":(?:10|512)\b|maxItems|from 1 to 10|"tool"|tool_call_id|stream_options/);
    expect(requestValidator("images")({ prompt: "x", n: 11 })).toHaveLength(1);
  });

  it("is printed by the command, and put into a file", async () => {
    const folder = emptyFolder();
    const printed = await runAssay(["openapi", "--server", "https://staging.example/api"], { folder });
    expect(printed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(JSON.parse(printed.stdout)).toMatchObject({
      openapi: "3.1.0",
      servers: [{ url: "https://staging.example/api" }],
      paths: document.paths,
    });
    expect(await runAssay(["openapi", "--out", "openapi.json"], { folder })).toMatchObject({ exitCode: 0, stdout: "" });
    expect(JSON.parse(readFileSync(join(folder, "openapi.json"), "utf8"))).toMatchObject({ components: document.components });
    expect(await runAssay(["openapi", "--out", "none/openapi.json"], { folder })).toMatchObject({ exitCode: 2 });
    expect(await runAssay(["openapi", "--server", "staging"], { folder })).toMatchObject({ exitCode: 2 });
  });
});

describe("answers of the reference service", () => {
  let exchanges: readonly Exchange[] = [];
  beforeAll(async () => {
    const service = await startReferenceService();
    const { folder } = await run({ manifest: service.manifest, stages: ["conformance"], outDir: emptyFolder() });
    await service.close();
    ({ exchanges } = await readRun(folder));
  });

  const validators = new Map<string, ValidateFunction>();
  function validatorOf(schema: object): ValidateFunction {
    const text = JSON.stringify(schema);
    const known = validators.get(text);
    if (known !== undefined) return known;
    const ajv = formats.default(new Ajv2020({ strict: false }));
    const compiled = ajv.compile({ ...schema, components: document.components });
    validators.set(text, compiled);
    return compiled;
  }

  /** The member of an answer that the document does not allow; null when it is as described. */
  function problemOf({ endpoint, response, request }: Exchange): string | null {
    const { method, path } = endpoints[endpoint!];
    const operation = document.paths[path]![method.toLowerCase()]!;
    const { status, headers, body, stream } = response!;
    const described = responseOf(operation, status);
    const place = `${request.method} ${request.path} ${status}`;
    if (described === null) return `${place}: the status is not described`;
    const names = new Set(headers.map(([name]) => name.toLowerCase()));
    // Limits are of a key: without a valid one there is none to state.
    const missing = Object.keys(described.headers).filter((name) => name.startsWith("x-") && !names.has(name) && status !== 401);
    if (missing.length > 0) return `${place}: ${missing.join(", ")} missing`;
    if (described.content === undefined) return null;
    const type = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1].split(";")[0] ?? "";
    const media = described.content[type];
    if (media === undefined) return `${place}: media type ${type}`;
    if (stream !== null) return null;
    const validate = validatorOf(media.schema);
    return validate(JSON.parse(body!.text!)) ? null : `${place}: ${JSON.stringify(validate.errors?.[0])}`;
  }

  it("are as the document describes them, whatever was asked", () => {
    const judged = exchanges.filter(
      ({ endpoint, response, request }) =>
        endpoint !== null && response !== null && request.method === endpoints[endpoint].method,
    );
    expect(judged.length).toBeGreaterThan(400);
    const statuses = new Set(judged.map(({ response }) => response!.status));
    expect([...statuses]).toEqual(expect.arrayContaining([200, 401, 402, 403, 404, 422, 500, 502, 503]));
    expect(new Set(judged.map(({ endpoint }) => endpoint)).size).toBe(Object.keys(endpoints).length);
    expect(judged.map(problemOf).filter((problem) => problem !== null)).toEqual([]);
  });

  it("are refused by it when a member is spoiled", () => {
    const completion = exchanges.find(
      ({ endpoint, response }) => endpoint === "chat" && response?.status === 200 && response.stream === null,
    )!;
    const text = completion.response!.body!.text!.replace('"chat.completion"', '"completion"');
    const spoiled = { ...completion, response: { ...completion.response!, body: { ...completion.response!.body!, text } } };
    expect(problemOf(completion)).toBeNull();
    expect(problemOf(spoiled)).toContain("const");
    expect(problemOf({ ...completion, response: { ...completion.response!, status: 418 } })).toContain("not described");
    expect(
      problemOf({ ...completion, response: { ...completion.response!, headers: [["content-type", "application/json"]] } }),
    ).toContain("missing");
  });
});
