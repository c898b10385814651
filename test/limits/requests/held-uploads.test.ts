import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { allJudges } from "../../../src/conformance/judges/all-judges.ts";
import { judgeExchanges } from "../../../src/conformance/verdict/judge-exchanges.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { openJudgeContext } from "../../../src/run/judge-context.ts";
import { recordSwitch } from "../sockets/examine-switch.ts";

/** Lawful ends of a request of whose body only a part has come. */
const ends: readonly ((outgoing: ServerResponse, refusal: IncomingMessage["headers"]) => void)[] = [
  // With the body of an error, and as a server says it that knows no service.
  (outgoing) => {
    const body = JSON.stringify({ error: { code: "request_timeout", message: "The body came too slowly." } });
    outgoing.writeHead(408, { "content-type": "application/json" }).end(body);
  },
  (outgoing) => void outgoing.writeHead(408).end(),
  // A refusal that is lost with its connection, whole or after the head.
  (outgoing) => void outgoing.destroy(),
  (outgoing, refusal) => {
    outgoing.writeHead(429, refusal);
    outgoing.write("{", () => outgoing.destroy());
  },
];

/** A server before a service that waits for no second half of a body. */
async function startImpatient(): Promise<(manifest: Manifest) => Manifest> {
  let upstream = new URL("http://127.0.0.1");
  let ended = 0;
  let refusal: IncomingMessage["headers"] = {};
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", url: path = "/", headers } = incoming;
    // The end of a connection that was used before is a race, and no verdict on the service.
    outgoing.shouldKeepAlive = false;
    const length = Number(headers["content-length"] ?? 0);
    const pass = (body: Buffer): void => {
      const { hostname, port } = upstream;
      const behind = request({ hostname, port, path, method, headers, agent }, (answer: IncomingMessage) => {
        if (answer.statusCode === 429) refusal = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: "close" });
        answer.pipe(outgoing);
      });
      behind.on("error", () => outgoing.destroy());
      outgoing.on("close", () => behind.destroy());
      behind.end(body);
    };
    if (length === 0) return pass(Buffer.alloc(0));
    incoming.once("data", (first: Buffer) => {
      incoming.resume();
      if (first.length === length) pass(first);
      else ends[(ended += 1) % ends.length]!(outgoing, refusal);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return (manifest) => {
    upstream = new URL(manifest.target.baseUrl);
    return { ...manifest, target: { ...manifest.target, baseUrl: `http://127.0.0.1:${port}` } };
  };
}

it("a lawful service that does not wait for the second half of an upload is accused by no judge, and passes", async () => {
  const declare = await startImpatient();
  const { exchanges, manifest } = await recordSwitch("limits", null, {
    declare,
    isPaid: true,
    stages: new Set(["requests.endpoints"]),
  });
  const held = exchanges.filter(({ intent }) => intent.kind === "limit" && intent.phase === "B-uploads");
  const kinds = new Set(held.map(({ response, failure }) => `${response?.status ?? "none"} ${failure?.kind ?? "whole"}`));
  // A request whose halves came together was passed on.
  kinds.delete("429 whole");
  expect([...kinds].sort()).toEqual(["408 whole", "429 incomplete-body", "none connection-closed"]);
  const seqs = new Set(held.map(({ seq }) => seq));
  const accusing = judgeExchanges(exchanges, allJudges, openJudgeContext(manifest)).filter(
    (one) => (one.outcome === "fail" || one.outcome === "advisory") && one.exchanges.some((seq) => seqs.has(seq)),
  );
  expect([...new Set(accusing.map(({ requirement, judge }) => `${requirement} by ${judge}`))]).toEqual([]);
  const { result } = judgeLimits({ exchanges, manifest, strict: false });
  const own = result.policies.find(({ endpoint }) => endpoint === "embeddings");
  expect([own?.verdict, own?.summary]).toEqual(["pass", expect.stringContaining("no check contradicts")]);
});
