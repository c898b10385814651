import { describe, expect, it } from "vitest";
import type { SuiteId } from "../../src/core/result/requirement.ts";
import { type PassingAnswer, startGateway } from "../make/wire/gateway.ts";
import { examineReference } from "./examine-reference.ts";

const mark = Buffer.from([0xef, 0xbb, 0xbf]);

/** One cause each, which many rows meet. */
const causes: readonly {
  readonly name: string;
  readonly suites: readonly SuiteId[];
  readonly change: (answer: PassingAnswer) => Partial<PassingAnswer>;
  readonly under: string;
  readonly says: RegExp;
}[] = [
  {
    name: "a redirect of one operation",
    suites: ["core", "embeddings"],
    change: ({ path }) =>
      path === "/v1/embeddings" ? { status: 307, headers: { location: `${path}/` }, body: Buffer.alloc(0) } : {},
    under: "SVC-004",
    says: /redirected to \/v1\/embeddings\//,
  },
  {
    name: "an operation that is not built",
    suites: ["core", "images"],
    change: ({ path }) =>
      path === "/v1/images/generations"
        ? { status: 501, headers: { "content-type": "text/plain" }, body: Buffer.from("not built") }
        : {},
    under: "SVC-005",
    says: /no valid request to POST \/v1\/images\/generations was ever accepted/,
  },
  {
    name: "a byte order mark before all JSON",
    suites: ["core", "scopes"],
    change: ({ headers, body }) =>
      headers["content-type"]?.includes("json") === true ? { body: Buffer.concat([mark, body]) } : {},
    under: "SVC-001",
    says: /byte order mark/,
  },
  {
    name: "a refusal of a third of the requests",
    suites: ["chat"],
    change: thirdRefused(),
    under: "SVC-003",
    says: /^\d+ of \d+ valid chat requests were answered 404 \(model_not_found\); what they held plays no part$/,
  },
];

/** A third of the valid chat requests, whatever they hold, in no order: in turns a refusal would follow the order of the cases. */
function thirdRefused(): (answer: PassingAnswer) => Partial<PassingAnswer> {
  let served = 0;
  const body = Buffer.from('{"error":{"code":"model_not_found","message":"There is no such model."}}');
  return ({ path, status, headers }) => {
    if (path !== "/v1/chat/completions" || status !== 200) return {};
    served += 1;
    return Math.imul(served, 2_654_435_761) >>> 0 < 2 ** 32 / 3
      ? { status: 404, headers: { ...headers, "content-type": "application/json" }, body }
      : {};
  };
}

describe.each(causes)("$name", ({ suites, change, under, says }) => {
  it("is one finding, with what follows from it below", async () => {
    const gateway = await startGateway(change);
    try {
      const { findings } = await examineReference({ suites, manifest: gateway.before });
      const failing = findings.filter(({ verdict }) => verdict === "fail");
      expect(failing.map(({ requirement }) => requirement)).toEqual([under]);
      expect(failing[0]!.message).toMatch(says);
    } finally {
      await gateway.close();
    }
  });
});
