import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canaryEncodings, givenAway } from "../make/hostile/encode-canary.ts";
import { engineFlags } from "../make/runner/engine-flags.ts";
import { sampleOf, sampleTitle } from "../make/runner/sample.ts";
import { commandFile, type Ended, folderWith, spawnAssay } from "./run-assay.ts";

const key = "sk_live_Zx81LqT0pWv73NdRf5Ub";
const pass = "Kq7xV2mPz9LtR4wB";
const env = { ASSAY_API_KEY: key, GATEWAY_PASS: pass };
const encodings = Object.values(canaryEncodings);
const forms = [key, pass].flatMap((secret) => [secret, ...givenAway(secret)]);

/** Gives back what it was sent as the name of its models, and in every member that a run quotes. */
function openEcho(): Server {
  let count = 0;
  return createServer((request, response) => {
    count += 1;
    const sent = [String(request.headers["x-gate"]), (request.headers.authorization ?? "").replace("Bearer ", "")];
    const said = Array.from({ length: 3 }, (_, at) => sent.map(encodings[(3 * count + at) % encodings.length]!).join(" "));
    const isList = request.url?.endsWith("/v1/models") === true;
    // `init` takes models by their names.
    const named = sent.flatMap((secret) => [`gpt-4-${secret}`, `text-embedding-${secret}`]);
    const data = [...sent, ...said, ...named].map((id) => ({ id, object: "model", created: 1, owned_by: id }));
    response.setHeader("x-echo", Buffer.from(sent.join(" ")).toString("base64"));
    response.writeHead(isList ? 200 : 400, { "content-type": "application/json" });
    response.end(JSON.stringify(isList ? { object: said[0], data } : { error: { code: said[0], message: said.join("\n") } }));
  });
}

const folder = folderWith({});
const server = openEcho();
let url = "";

/** Both streams and every file below the folder, by name. */
function leaks({ stdout, stderr }: Pick<Ended, "stdout" | "stderr">): readonly string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = names
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [file, readFileSync(file, "utf8")] as const);
  const outputs = [["stdout", stdout] as const, ["stderr", stderr] as const, ...files];
  return outputs.flatMap(([name, text]) => forms.filter((form) => text.includes(form)).map((form) => `${name}: ${form}`));
}

/** Everything that an agent asks, of one server of the Model Context Protocol. */
function askMcp(calls: readonly (readonly [string, object])[]): Promise<Pick<Ended, "stdout" | "stderr">> {
  const child = spawn(process.execPath, [...engineFlags, commandFile, "mcp"], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, ...env },
  });
  let [stdout, stderr] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (text.endsWith("\n")) askNext();
  });
  // A finding is there once the check has ended.
  const rest = [...calls];
  function askNext(): void {
    const [name, given] = rest.shift() ?? [];
    const request = { jsonrpc: "2.0", id: calls.length - rest.length, method: "tools/call", params: { name, arguments: given } };
    if (name === undefined) child.stdin.end();
    else child.stdin.write(`${JSON.stringify(request)}\n`);
  }
  askNext();
  return new Promise((resolve) => child.once("close", () => resolve({ stdout, stderr })));
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe("secrets reach no output of a command that reads runs or writes files of its own", () => {
  it("check, with a report for an agent", async () => {
    for (const out of ["one", "two"]) {
      const args = ["check", "--suite", "models", "--out", out, "--reporter", `agent=${out}.txt`];
      const check = await spawnAssay([...args, "--base-url", url, "--header", `x-gate: ${pass}`], { env, folder });
      expect([check.exitCode, leaks(check)]).toEqual([1, []]);
      expect(readFileSync(join(folder, `${out}.txt`), "utf8")).toMatch(/MOD-\d+/);
    }
  });

  const commands: readonly (readonly [name: string, args: readonly string[], codes: readonly number[]])[] = [
    ["compare", ["compare", "one/latest/result.json", "two/latest/result.json", "--out", "compared.html"], [0]],
    ["history", ["history", "one"], [0]],
    ["show", ["show", "one/latest"], [0]],
    ["show of the scope", ["show", "one/latest", "scope"], [0]],
    ["report for an agent", ["report", "one/latest", "--reporter", "agent=-"], [1]],
    // Its models have secrets for names.
    ["init", ["init", "--force", "--base-url", "URL", "--header", `x-gate: ${pass}`], [0, 3]],
    ["doctor", ["doctor", "--base-url", "URL", "--header", `x-gate: ${pass}`], [0, 3]],
  ];

  it.each(sampleOf(commands, 3))(`%s (${sampleTitle})`, async (_, args, codes) => {
    const ended = await spawnAssay(
      args.map((word) => (word === "URL" ? url : word)),
      { env, folder },
    );
    expect([leaks(ended), codes.includes(ended.exitCode ?? -1), ended.stdout === "" && ended.stderr === ""]).toEqual([
      [],
      true,
      false,
    ]);
  });

  it("mcp, whose secrets stand in a manifest", async () => {
    const manifest = {
      target: { baseUrl: url, headers: { "x-gate": "${GATEWAY_PASS}" } },
      keys: { primary: "${ASSAY_API_KEY}" },
    };
    writeFileSync(join(folder, "assay.config.yaml"), JSON.stringify(manifest));
    const said = await askMcp([
      ["list", { what: "cases" }],
      ["check", { suite: "models" }],
      ["history", {}],
      ["finding", { id: "MOD-002" }],
      ["replay", { id: "MOD-002" }],
    ]);
    expect(said.stdout.trim().split("\n")).toHaveLength(5);
    expect(said.stdout).toContain("MOD-0");
    expect(leaks(said)).toEqual([]);
  });
});
