import { type Endpoint, type EndpointId, endpoints } from "../../core/exchange/endpoint.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import { readCatalogue } from "../../schemas/read-catalogue.ts";
import { readSchema } from "../../schemas/read-schema.ts";
import { type Operation, operations } from "./operations.ts";
import { statedRequest } from "./stated-schema.ts";

type Node = Readonly<Record<string, unknown>>;

export interface OpenApiOptions {
  /** Of the document: the version of assay that made it. */
  readonly version: string;
  /** Base address of a server; default: a variable, as the specification leaves it open. */
  readonly serverUrl?: string;
}

const ref = (kind: string, name: string): Node => ({ $ref: `#/components/${kind}/${name}` });

/** Errors of the specification (section Errors): what leads to them, and the body that they carry. */
const errors: Readonly<
  Record<string, { readonly description: string; readonly schemas: readonly string[]; readonly retryAfter?: boolean }>
> = {
  "401": { description: "The key is missing, malformed, expired or revoked.", schemas: ["error"] },
  "402": { description: "The subscription is past due, or credit is used up.", schemas: ["error"] },
  "403": { description: "The key is valid but lacks the scope that the endpoint needs.", schemas: ["error"] },
  "404": { description: "What the identifier names does not exist or belongs to another workspace.", schemas: ["error"] },
  "422": { description: "The request failed validation.", schemas: ["validation-error"] },
  "429": {
    description: "A rate limit, burst limit or spend cap is exceeded.",
    schemas: ["rate-limit", "quota-exceeded"],
    retryAfter: true,
  },
  "500": { description: "An unexpected condition of the server.", schemas: ["error"] },
  "502": { description: "An upstream provider returned an invalid response.", schemas: ["error"] },
  "503": { description: "Maintenance or overload.", schemas: ["error"], retryAfter: true },
};

const rateHeaders: Readonly<Record<string, string>> = {
  "x-ratelimit-limit-requests": "Maximum of requests in a window.",
  "x-ratelimit-remaining-requests": "Requests that remain in the current window.",
  "x-ratelimit-reset-requests": "When the window of requests resets, Unix seconds.",
  "x-ratelimit-limit-tokens": "Maximum of tokens in a window.",
  "x-ratelimit-remaining-tokens": "Tokens that remain in the current window.",
  "x-ratelimit-reset-tokens": "When the window of tokens resets, Unix seconds.",
};

const tags: Readonly<Record<Operation["tag"], string>> = {
  inference: "Calls that a model answers; they cost money.",
  models: "What models there are.",
  usage: "What the account has used.",
  settings: "Caps and cooldowns; they need the scope to change them.",
  other: "Paths that the specification names without describing them.",
};

/** The specification as an OpenAPI 3.1 document, made from `schemas/wire` and the catalogue; equal input gives equal bytes. */
export function buildOpenApi({ version, serverUrl }: OpenApiOptions): Node {
  const catalogue = readCatalogue();
  const paths: Record<string, Record<string, Node>> = {};
  for (const [id, endpoint] of Object.entries(endpoints) as [EndpointId, Endpoint][]) {
    const path = (paths[endpoint.path] ??= {});
    path[endpoint.method.toLowerCase()] = buildOperation(id, endpoint, catalogue);
  }
  const schemas = new Set([
    ...Object.values(operations).flatMap(({ responses }) => responses),
    ...Object.values(errors).flatMap((error) => error.schemas),
  ]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Inference API",
      version,
      summary: "What assay tests, as far as an OpenAPI document can say it",
      description:
        "Made by assay from its JSON Schemas and its catalogue of requirements. What the specification leaves open is left open here: " +
        "objects may have further members, and events of a stream have no stated shape. Limits, caps, cooldowns and everything that " +
        "relates one request to another cannot be said in OpenAPI; assay tests it.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [
      serverUrl === undefined
        ? {
            url: "{base_url}",
            variables: { base_url: { default: "http://127.0.0.1:8080", description: "Address of the service, without /v1." } },
          }
        : { url: serverUrl },
    ],
    security: [{ bearer: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", description: "An opaque API key." } },
      headers: {
        ...Object.fromEntries(
          Object.entries(rateHeaders).map(([name, description]) => [
            name,
            { description, schema: { type: "integer", minimum: 0 } },
          ]),
        ),
        "retry-after": {
          description: "Seconds to wait, or an HTTP date (RFC 9110, section 10.2.3).",
          schema: { type: "string" },
        },
      },
      schemas: Object.fromEntries([...schemas].map((name) => [name, readWireSchema(name)])),
      responses: Object.fromEntries(Object.entries(errors).map(([status, error]) => [status, buildError(error)])),
    },
  };
}

function buildOperation(id: EndpointId, { path }: Endpoint, catalogue: readonly Requirement[]): Node {
  const operation = operations[id];
  const { request, summary, tag, section } = operation;
  const rows = catalogue.filter((row) => row.section === section && row.level === "must").map((row) => row.id);
  const parameters = [...pathParameters(path), ...queryParameters(request)];
  const body = request === null || request.in === "query" ? null : requestBody(request);
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(tag === "other" ? {} : { "x-assay-requirements": rows }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: body }),
    responses: {
      ...buildSuccess(operation),
      ...Object.fromEntries(
        Object.keys(errors)
          .filter((status) => mayAnswer(status, path, operation))
          .map((status) => [status, ref("responses", status)]),
      ),
    },
  };
}

/** A 404 is for an identifier in the path, a 422 for a body or query. Which of the two an unknown model gets is left open. */
function mayAnswer(status: string, path: string, { request, tag }: Operation): boolean {
  if (status === "404") return path.includes("{") || tag === "other" || request?.members.includes("model") === true;
  return status !== "422" || request !== null || tag === "other";
}

function pathParameters(path: string): readonly Node[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description: "Identifier of a key.",
    schema: { type: "string", minLength: 1 },
  }));
}

function queryParameters(request: Operation["request"]): readonly Node[] {
  if (request?.in !== "query") return [];
  const { properties, required } = statedRequest(request.schema, request.members, request.defaults);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    description,
    schema,
  }));
}

function requestBody(request: NonNullable<Operation["request"]>): Node {
  const { properties, required, rest } = statedRequest(request.schema, request.members, request.defaults);
  const multipart = request.in === "multipart";
  const file = { type: "string", contentMediaType: "application/octet-stream", description: properties["file"]?.["description"] };
  const schema = {
    ...rest,
    properties: multipart ? { ...properties, file } : properties,
    ...(required.length > 0 ? { required } : {}),
  };
  return { required: true, content: { [multipart ? "multipart/form-data" : "application/json"]: { schema } } };
}

function buildSuccess({ responses, streams }: Operation): Node {
  const headers = headerRefs(Object.keys(rateHeaders));
  // A shape that is not shown has no stated status either.
  if (responses.length === 0) return { "2XX": { description: "Done. The shape of the response is not described.", headers } };
  const json = { "application/json": { schema: anyOf(responses) } };
  const events = {
    "text/event-stream": { schema: { type: "string", description: "Server-sent events; their shape is not described." } },
  };
  return { "200": { description: "Done.", headers, content: streams === true ? { ...json, ...events } : json } };
}

function buildError({ description, schemas, retryAfter }: (typeof errors)[string]): Node {
  const names = [...Object.keys(rateHeaders), ...(retryAfter === true ? ["retry-after"] : [])];
  return { description, headers: headerRefs(names), content: { "application/json": { schema: anyOf(schemas) } } };
}

function headerRefs(names: readonly string[]): Node {
  return Object.fromEntries(names.map((name) => [name, ref("headers", name)]));
}

function anyOf(names: readonly string[]): Node {
  const refs = names.map((name) => ref("schemas", name));
  return refs.length === 1 ? refs[0]! : { anyOf: refs };
}

function readWireSchema(name: string): Node {
  const { $schema: _dialect, ...schema } = readSchema(`wire/${name}.response`);
  return schema;
}
