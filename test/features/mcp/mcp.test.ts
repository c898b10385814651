import { type ChildProcessByStdio, spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ReferenceService, startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { commandFile, emptyFolder } from "../../cli/run-assay.ts";

interface Answer {
  readonly id: number | string | null;
  readonly result?: { readonly content?: readonly { readonly text: string }[]; readonly isError?: boolean } & Record<
    string,
    unknown
  >;
  readonly error?: { readonly code: number; readonly message: string };
}

let service: ReferenceService;
let child: ChildProcessByStdio<Writable, Readable, Readable>;
let cwd: string;
let said = "";
let next = 1;
const waiting = new Map<number | string | null, (answer: Answer) => void>();

beforeAll(async () => {
  service = await startReferenceService({ seed: 5, mutants: ["models/owner-absent"] });
  cwd = emptyFolder();
  child = spawn(process.execPath, [commandFile, "mcp", "--base-url", service.url, "--header", "x-gate: open-sesame-123"], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", ASSAY_API_KEY: service.manifest.keys["primary"]?.secret ?? "" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    rest += text;
    for (let end = rest.indexOf("\n"); end !== -1; end = rest.indexOf("\n")) {
      const answer = JSON.parse(rest.slice(0, end)) as Answer;
      rest = rest.slice(end + 1);
      waiting.get(answer.id)?.(answer);
    }
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
});
afterAll(async () => {
  child.kill("SIGKILL");
  await service.close();
});

function write(id: number | null, line: string): Promise<Answer> {
  return new Promise((answered) => {
    waiting.set(id, answered);
    child.stdin.write(`${line}\n`);
  });
}

function ask(method: string, params: object = {}): Promise<Answer> {
  const id = next++;
  return write(id, JSON.stringify({ jsonrpc: "2.0", id, method, params }));
}

async function call(name: string, given: object = {}): Promise<string> {
  const { result, error } = await ask("tools/call", { name, arguments: given });
  return error === undefined ? `${result?.isError === true ? "ERROR " : ""}${result?.content?.[0]?.text ?? ""}` : `${error.code}`;
}

describe("assay mcp", () => {
  it("is a server of the protocol with six tools", async () => {
    const { result } = await ask("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    });
    expect(result).toMatchObject({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "assay" } });
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    const { result: listed } = await ask("tools/list");
    const tools = listed?.["tools"] as readonly { readonly name: string; readonly inputSchema: object }[];
    expect(tools.map(({ name }) => name)).toEqual(["list", "explain", "check", "finding", "replay", "history"]);
    for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect((await ask("ping")).result).toEqual({});
  });

  it("lists, explains, checks a selection, shows the finding, replays it and knows the run", async () => {
    expect(await call("list", { what: "requirements", contains: "MOD-007" })).toContain("MOD-007");
    expect(await call("explain", { id: "MOD-007" })).toContain("Each listed model names its owner");
    const report = await call("check", { suite: "models" });
    const id = /MOD-007\.\w+/.exec(report)?.[0] ?? "";
    expect(report).toContain(`1. ${id} (MUST, fail): "/data/0/owned_by is missing"`);
    expect(JSON.parse(await call("finding", { id }))).toMatchObject({
      finding: { id, requirement: "MOD-007" },
      rule: expect.any(String),
    });
    expect(JSON.parse(await call("replay", { id }))).toMatchObject({ finding: id, outcome: "still fails", exitCode: 1 });
    const kept = JSON.parse(await call("history")) as { readonly run: string };
    expect(kept).toMatchObject({ verdict: "failed", exitCode: 1, findings: [id] });
    // Runs below folders of their own are those of `assay history`, by the names that it gives them.
    cpSync(join(cwd, "reports", kept.run), join(cwd, "reports", "branch", kept.run), { recursive: true });
    expect(await call("history")).toContain(`"branch/${kept.run}"`);
    expect(JSON.parse(await call("finding", { id, run: `branch/${kept.run}` }))).toMatchObject({ finding: { id } });
    expect(await call("finding", { id, run: "branch" })).toMatch(/^ERROR no run of this name is kept/);
  });

  it.each([
    ["check", { suite: "--config=/etc/passwd" }],
    ["check", { "base-url": "http://elsewhere.example" }],
    ["explain", { id: "--help" }],
    ["explain", {}],
    ["finding", { id: "MOD-007", run: "../../etc" }],
    ["replay", { id: "MOD-007.x", run: "/etc" }],
    ["list", { what: ["suites"] }],
    ["no-such-tool", {}],
  ])("takes no flag, path or address for an argument: %s %j", async (name, given) => {
    expect(await call(name, given)).toBe("-32602");
  });

  it("answers mistakes as the protocol says, and goes on", async () => {
    expect(await call("explain", { id: "XYZ-999" })).toMatch(/^ERROR assay: unknown id/);
    expect((await ask("resources/list")).error?.code).toBe(-32_601);
    expect((await write(null, "{ no json")).error?.code).toBe(-32_700);
    expect((await write(null, "x".repeat(2_000_000))).error?.code).toBe(-32_700);
    expect((await ask("ping")).result).toEqual({});
  });

  it("gives no key away, and ends with its input", async () => {
    expect(said).not.toContain(service.manifest.keys["primary"]?.secret);
    expect(said).not.toContain("open-sesame-123");
    const ended = new Promise((exit) => child.once("exit", exit));
    child.stdin.end();
    expect(await ended).toBe(0);
  });
});
