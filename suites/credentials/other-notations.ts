import { notationLabels } from "../../src/conformance/judges/auth/other-notations.ts";
import type { Case } from "../../src/conformance/plan/case.ts";
import { endpoints } from "../../src/core/exchange/endpoint.ts";
import { isOperationDeclared } from "../../src/core/is-operation-declared.ts";
import { plainRequest } from "../requests/core-requests.ts";
import { question } from "../requests/intents.ts";

/** Other ways to write a path. The first two mean the same by RFC 3986, section 6.2.2.2; routers take some of the others for it. */
const notations: Readonly<Record<string, (path: string) => string>> = {
  "name-encoded": (path) => path.replace(/([a-z])([a-z]+)$/, (_, first: string, rest: string) => encoded(first) + rest),
  "prefix-encoded": (path) => path.replace("/v1/", `/${encoded("v1")}/`),
  "slash-encoded": (path) => path.replace("/v1/", "/v1%2f"),
  "slash-doubled": (path) => `/${path}`,
  "dot-segment": (path) => path.replace("/v1/", "/v1/./"),
};

function encoded(text: string): string {
  return Array.from(text, (character) => `%${character.charCodeAt(0).toString(16)}`).join("");
}

/** Operations that cost little where they are open by mistake. */
const operations = ["models", "usage", "chat", "embeddings"] as const;

/**
 * The operation that each notation is of is drawn: another sample for each seed. No request carries a key: one that is served would count
 * against the limit of an operation that the record does not name.
 */
export const otherNotations: Case = {
  id: "core/other-notations",
  suite: "core",
  title: "Asks for credentials however the path is written",
  covers: ["AUTH-039", "REQ-008"],
  needs: [],
  cost: { requests: { other: 5 }, tokens: 128 },
  async run({ send, manifest, random, wallMs }) {
    const declared = operations.filter((endpoint) => isOperationDeclared(endpoint, manifest));
    for (const [name, write] of Object.entries(notations)) {
      const endpoint = declared[random.integer(0, declared.length - 1)] ?? "models";
      const { method } = endpoints[endpoint];
      const { path = endpoints[endpoint].path, ...request } = plainRequest(endpoint, manifest, wallMs());
      const [plain = "", query] = path.split("?");
      const other = write(plain);
      await send({
        ...request,
        endpoint: null,
        label: notationLabels.label(endpoint, name),
        method,
        path: query === undefined ? other : `${other}?${query}`,
        credential: { kind: "none" },
        // A connection that was used with a key before is a matter of its own.
        connection: "fresh",
        intent: question("REQ-008", `${method} ${other} without a key`),
      });
    }
  },
};
