import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { certifyRun } from "../../src/features/certify/bundle/certify-run.ts";
import { makeKeys } from "../features/certify/sample-bundle.ts";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { canaryEncodings, givenAway } from "../make/hostile/encode-canary.ts";
import { type Ended, folderWith, runAssay, runFolder, spawnAssay } from "./run-assay.ts";
import { readArchive } from "../../src/features/certify/archive/read-archive.ts";
import { wholeContent } from "../../src/features/certify/archive/read-content.ts";
import { serveHttp } from "../make/wire/test-server.ts";
import { isJsonObject } from "../../src/core/exchange/bodies/recorded-json.ts";

/** Everything that a run left: both streams and all files. */
function outputsOf({ stdout, stderr, folder }: Ended): ReadonlyMap<string, string> {
  const run = runFolder(folder);
  const files = readdirSync(run).map((name) => [name, readFileSync(join(run, name), "utf8")] as const);
  return new Map([["stdout", stdout], ["stderr", stderr], ...files]);
}

function leaks(outputs: ReadonlyMap<string, string>, secrets: readonly string[]): readonly string[] {
  return [...outputs].flatMap(([name, text]) => (secrets.some((secret) => text.includes(secret)) ? [name] : []));
}

/** The members of a bundle of the run, and what `assay verify` says and writes of it. */
async function outputsOfBundle(run: string, name: string): Promise<readonly (readonly [string, string])[]> {
  const { signing, publicPem } = makeKeys("ed25519");
  const folder = folderWith({ "key.pem": publicPem });
  const out = join(folder, "bundle.assay.tar");
  await certifyRun({ folder: run, out, key: signing, product: null, now: new Date() });
  const flags = ["--trust", "key.pem", "--statement", "statement"];
  const { stdout, stderr } = await runAssay(["verify", out, ...flags], { folder });
  const pages = readdirSync(folder).filter((file) => file.startsWith("statement."));
  expect(pages.length).toBe(6);
  return [
    ...(await textsOfBundle(out)),
    ...pages.map((file) => [file, readFileSync(join(folder, file), "utf8")] as const),
    ["verify", stdout + stderr] as const,
  ].map(([what, text]) => [`${name} ${what}`, text] as const);
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
    const { url } = await serveHttp((request, response) => {
      const echoed = request.headers.authorization ?? "nothing";
      response.setHeader("x-echo", echoed);
      response.writeHead(request.url === "/v1/models" ? 200 : 400, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ error: { code: "bad", message: `you sent ${echoed}` }, object: "list", data: [{ id: echoed }] }),
      );
    });
    const ended = await runAssay(["check", "--base-url", url, "--suite", "core", ...reporters], {
      env: { ASSAY_API_KEY: secret },
    });
    const outputs = outputsOf(ended);
    expect(outputs.get("evidence.ndjson")).toContain("<key:primary>");
    expect(leaks(outputs, [secret, Buffer.from(`${secret}:`).toString("base64").slice(0, 20)])).toEqual([]);
    expect(JSON.parse(outputs.get("result.json") ?? "").findings).toContainEqual(
      expect.objectContaining({ requirement: "AUTH-031" }),
    );
  });

  it("of a target that gives the key back in every encoding, in every field, under check, load and doctor", async () => {
    const secret = "sk_live_Zx81LqT0pWv73NdRf5Ub";
    const encodings = Object.entries(canaryEncodings);
    let count = 0;
    const { url } = await serveHttp((request, response) => {
      const key = (request.headers.authorization ?? `Bearer ${secret}`).replace(/^Bearer /, "");
      // Each answer gives some of them, in turn.
      count += 1;
      const said = Array.from({ length: 4 }, (_, at) => {
        const [name, encode] = encodings[(4 * count + at) % encodings.length]!;
        return `${name}: ${encode(key)}`;
      });
      const one = said[count % said.length]!;
      response.setHeader("x-echo", Buffer.from(one.replaceAll(/[\r\n\0]/g, " ")).toString("latin1"));
      const all = {
        object: "list",
        data: said.map((id) => ({ id, object: "model", created: 1, owned_by: id })),
        choices: [{ index: 0, message: { role: "assistant", content: said.join("; ") }, finish_reason: one }],
        error: { code: one, message: said.join("\n"), details: said.map((field) => ({ field, expected: one })) },
      };
      if (count % 3 === 0) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const lines = (text: string): string => text.replaceAll(/[\r\n\0]/g, " ");
        for (const text of said)
          response.write(`event: ${lines(text)}\nid: ${lines(text)}\ndata: ${JSON.stringify({ text })}\n\n`);
        response.end("data: [DONE]\n\n");
        return;
      }
      const coded = count % 2 === 0;
      if (coded) response.setHeader("content-encoding", "gzip");
      response.writeHead(request.url === "/v1/models" ? 200 : 400, { "content-type": "application/json" });
      response.end(coded ? gzipSync(JSON.stringify(all)) : JSON.stringify(all));
    });
    const env = { ASSAY_API_KEY: secret };
    const check = await spawnAssay(["check", "--base-url", url, "--suite", "core", ...reporters], { env });
    const profile = { id: "echo", title: "Echo", durationSeconds: 1, workload: [{ endpoint: "models" }] };
    const loaded = folderWith({ "echo.yaml": { ...profile, arrivals: { kind: "constant", ratePerSecond: 60 } } });
    const load = await spawnAssay(["load", "--base-url", url, "--profile", "./echo.yaml", ...reporters], { env, folder: loaded });
    const doctor = await spawnAssay(["doctor", "--base-url", url], { env });
    const manifest = { target: { baseUrl: url, tls: { caFile: `./${secret}.pem` } }, keys: { primary: "${ASSAY_API_KEY}" } };
    const folder = folderWith({ "assay.config.yaml": manifest });
    const refused = await spawnAssay(["doctor"], { env, folder });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("<key:");
    const outputs = new Map([
      ...[...outputsOf(check)].map(([name, text]) => [`check ${name}`, text] as const),
      ...[...outputsOf(load)].map(([name, text]) => [`load ${name}`, text] as const),
      ["doctor", doctor.stdout + doctor.stderr],
      ["refused", refused.stdout + refused.stderr],
      ...(await outputsOfBundle(runFolder(check.folder), "check")),
      ...(await outputsOfBundle(runFolder(load.folder), "load")),
    ]);
    expect(outputs.get("check payload of attestation.dsse.json")).toContain(url);
    expect(outputs.get("load load.ndjson.gz")).toContain('"kind":"records"');
    expect(outputs.get("load statement.report.html")).toContain('id="bundle"');
    expect(outputs.get("check evidence.ndjson")).toContain("<key:primary:");
    expect(outputs.get("load evidence.ndjson")).toContain("<key:primary:");
    expect(leaks(outputs, givenAway(secret))).toEqual([]);
  });

  it("of a crash", async () => {
    const secret = "sk_live_Zx81LqT0pWv73NdRf5Ub";
    const script = [
      `const { maskOutput } = await import(${JSON.stringify(new URL("../../src/command/mask-output.ts", import.meta.url).href)});`,
      "maskOutput(process.env);",
      "process.on('uncaughtException', (error) => process.stderr.write(error.stack));",
      "setImmediate(() => { throw new Error('it was ' + Buffer.from(process.env.ASSAY_API_KEY).toString('base64')); });",
    ].join("\n");
    const ended = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
      env: { ASSAY_API_KEY: secret },
    });
    expect(ended.stderr.toString()).toContain("it was <key:ASSAY_API_KEY:base64>");
  });
});

/** Every member of a bundle, unpacked, and what its envelopes hold, by a name. */
async function textsOfBundle(path: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const member of (await readArchive(path)).values()) {
    const text = (await wholeContent(member, 1e8)).toString("utf8");
    texts.set(member.name, text);
    const envelope: unknown = member.name.endsWith(".dsse.json") ? JSON.parse(text) : null;
    if (isJsonObject(envelope))
      texts.set(`payload of ${member.name}`, Buffer.from(String(envelope["payload"]), "base64").toString("utf8"));
  }
  return texts;
}
