import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { type Ended, runAssay, runFolder } from "./run-assay.ts";

/** Everything that a run left: both streams and all files. */
function outputsOf({ stdout, stderr, folder }: Ended): ReadonlyMap<string, string> {
  const run = runFolder(folder);
  const files = readdirSync(run).map((name) => [name, readFileSync(join(run, name), "utf8")] as const);
  return new Map([["stdout", stdout], ["stderr", stderr], ...files]);
}

function leaks(outputs: ReadonlyMap<string, string>, secrets: readonly string[]): readonly string[] {
  return [...outputs].flatMap(([name, text]) => (secrets.some((secret) => text.includes(secret)) ? [name] : []));
}

const reporters = ["markdown", "csv", "ctrf", "prometheus", "ndjson"].flatMap((name) => ["--reporter", name]);

describe("keys reach no output", () => {
  it("of a run with every key of the reference service", async () => {
    const service = await startReferenceService({ seed: 7 });
    const secrets = Object.values(service.manifest.keys).map((key) => key.secret);
    await service.close();
    const ended = await runAssay(["check", "--seed", "7", ...reporters]);
    expect(secrets.length).toBeGreaterThan(10);
    expect(leaks(outputsOf(ended), secrets)).toEqual([]);
  });

  it("of a target that echoes what it was sent, in headers, errors and bodies", async () => {
    const secret = "sk-canary-f00dfeed42";
    const server = createServer((request, response) => {
      const echoed = request.headers.authorization ?? "nothing";
      response.setHeader("x-echo", echoed);
      response.writeHead(request.url === "/v1/models" ? 200 : 400, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ error: { code: "bad", message: `you sent ${echoed}` }, object: "list", data: [{ id: echoed }] }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ended = await runAssay(["check", "--base-url", url, ...reporters], { env: { ASSAY_API_KEY: secret } });
    server.closeAllConnections();
    server.close();
    const outputs = outputsOf(ended);
    expect(outputs.get("evidence.ndjson")).toContain("<key:primary>");
    expect(leaks(outputs, [secret, Buffer.from(`${secret}:`).toString("base64").slice(0, 20)])).toEqual([]);
    expect(JSON.parse(outputs.get("result.json") ?? "").findings).toContainEqual(
      expect.objectContaining({ requirement: "AUTH-031" }),
    );
  });

  it("of a target that echoes what it was sent in every encoding, compressed every other time", async () => {
    const secret = "sk-canary-f00dfeed42-Q7";
    let count = 0;
    const server = createServer((request, response) => {
      const echoed = request.headers.authorization ?? "nothing at all";
      const bytes = Buffer.from(echoed);
      const percent = bytes.toString("hex").replaceAll(/../g, "%$&");
      response.setHeader("x-echo", bytes.toString("base64"));
      response.setHeader("x-echo-hex", bytes.toString("hex"));
      const text = JSON.stringify({
        error: { code: "bad", message: `you sent ${bytes.toString("base64url")} or ${percent}` },
        object: "list",
        data: [{ id: bytes.toString("hex").toUpperCase() }, { id: percent }, { id: JSON.stringify(JSON.stringify(echoed)) }],
      });
      const coded = (count += 1) % 2 === 0;
      if (coded) response.setHeader("content-encoding", "gzip");
      response.writeHead(request.url === "/v1/models" ? 200 : 400, { "content-type": "application/json" });
      response.end(coded ? gzipSync(text) : text);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ended = await runAssay(["check", "--base-url", url, ...reporters], { env: { ASSAY_API_KEY: secret } });
    server.closeAllConnections();
    server.close();
    const core = secret.slice(2, -2);
    const inner = [0, 1, 2].map((offset) =>
      Buffer.from(" ".repeat(offset) + core)
        .toString("base64")
        .slice(4, -6),
    );
    const hex = Buffer.from(core).toString("hex");
    const forms = [core, core.toUpperCase(), ...inner, hex, hex.toUpperCase(), hex.replaceAll(/../g, "%$&")];
    const outputs = outputsOf(ended);
    expect(outputs.get("evidence.ndjson")).toContain("<almost-key:primary:");
    expect(leaks(outputs, forms)).toEqual([]);
  });
});
