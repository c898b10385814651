import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleOf } from "../make/runner/sample.ts";
import { serveHttp, serveTcp } from "../make/wire/test-server.ts";
import { type Ended, emptyFolder, folderWith, readResult, runFolder, spawnAssay } from "./run-assay.ts";

const canary = "Kq7xV2mPz9LtR4wB";
const encoded = [
  canary,
  Buffer.from(`qa:${canary}`).toString("base64"),
  Buffer.from(canary).toString("base64"),
  Buffer.from(canary).toString("hex"),
];
const env = { ASSAY_API_KEY: "sk_live_Zx81LqT0pWv73NdRf5Ub" };
const reporters = ["markdown", "csv", "ctrf", "prometheus", "ndjson", "badge"].flatMap((name) => ["--reporter", name]);

/** A list of models that is wrong, and holds the fields of the request as they came and in other forms. */
async function openEcho(heard: string[] = []): Promise<string> {
  const { url } = await serveHttp((request, response) => {
    const sent = [request.headers["x-gate"], request.headers["proxy-authorization"], request.headers["authorization"]].join(" ");
    heard.push(String(request.headers["x-gate"]));
    const forms = [sent, Buffer.from(sent).toString("base64"), encodeURIComponent(sent)].join(" | ");
    response.setHeader("x-echo", forms);
    response.writeHead(request.url?.endsWith("/v1/models") === true ? 200 : 400, { "content-type": "application/json" });
    response.end(JSON.stringify({ object: forms, data: forms, error: { code: "bad", message: forms } }));
  });
  return url;
}

/** Both streams and every file of a folder, by name. */
function outputsOf({ stdout, stderr, folder }: Ended): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = names
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [file, readFileSync(file, "utf8")] as const);
  return new Map([["stdout", stdout], ["stderr", stderr], ...files]);
}

function leaks(ended: Ended, forms: readonly string[] = encoded): readonly string[] {
  return [...outputsOf(ended)].flatMap(([name, text]) => (forms.some((form) => text.includes(form)) ? [name] : []));
}

const header = ["--header", `x-gate: ${canary}`];

describe("a secret on the command line reaches no output", () => {
  it("as a header: of check, report, replay, doctor and load, whatever the target echoes", async () => {
    const heard: string[] = [];
    const url = await openEcho(heard);
    const target = ["--base-url", url, ...header];
    const check = await spawnAssay(["check", ...target, "--suite", "models", "--verbose", ...reporters], { env });
    expect(check.exitCode).toBe(1);
    expect(heard).toContain(canary);
    expect(outputsOf(check).size).toBeGreaterThan(11);
    expect(leaks(check)).toEqual([]);
    const [finding] = readResult(check.folder)["findings"] as readonly { readonly id: string }[];
    const { folder } = check;
    const commands = [
      ["report", runFolder(folder), "--strict"],
      ["replay", runFolder(folder), finding!.id, ...target],
      ["doctor", ...target],
      ["load", ...target, "--rate", "20", "--duration", "1s"],
      ["check", ...target, "--plan"],
    ];
    for (const args of sampleOf(commands, 3)) {
      const ended = await spawnAssay(args, { env, folder });
      expect(ended.exitCode).not.toBe(4);
      expect([args[0], leaks(ended)]).toEqual([args[0], []]);
    }
  });

  it("as the credentials of a proxy that echoes them, a broker that echoes them, and an address", async () => {
    const proxy = await openEcho();
    const guarded = proxy.replace("http://", `http://qa:${canary}@`);
    const broker = await serveTcp((socket) => {
      socket
        .on("error", () => undefined)
        .on("data", (chunk) => socket.write(`-ERR you sent ${chunk.toString().replaceAll(/\s+/g, " ")}\r\n`));
    });
    const redis = `redis://qa:${canary}@${new URL(broker.url).host}`;
    const commands = [
      ["check", "--base-url", "http://target.example", "--proxy", guarded, "--suite", "models", ...reporters],
      ["doctor", "--base-url", "http://target.example", "--proxy", guarded],
      ["agent", "--redis", redis, "--base-url", proxy],
      ["load", "--base-url", proxy, "--profile", "smoke", "--agents", "1", "--redis", redis],
      ["check", "--base-url", guarded],
      ["check", "--base-url", "http://target.example", "--proxy", `socks5://qa:${canary}@127.0.0.1:9`],
      ["check", "--base-url", proxy, "--header", `no colon ${canary}`],
    ];
    for (const args of sampleOf(commands, 3)) {
      const ended = await spawnAssay(args, { env, folder: emptyFolder() });
      expect([args.join(" "), ended.exitCode === 4, leaks(ended)]).toEqual([args.join(" "), false, []]);
      expect((ended.stdout + ended.stderr).length).toBeGreaterThan(20);
    }
  });
});

describe("a secret that the manifest takes from the environment", () => {
  it("stands in curl lines as a variable, and is sent again by a replay: of a header, and of a body", async () => {
    const model = "tenant-model-Zq81LqT0pW";
    const heard: string[] = [];
    const { url } = await serveHttp((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        if (request.method === "POST")
          heard.push(`${String(request.headers["x-gate"])} ${/"model":\s*"([^"]*)"/.exec(body)?.[1]}`);
        response.writeHead(request.method === "POST" ? 418 : 200, { "content-type": "application/json" });
        response.end(JSON.stringify({ object: "list", data: [{ id: model }], sent: `${heard.at(-1)}` }));
      });
    });
    const manifest = {
      target: { baseUrl: url, headers: { "x-gate": "${GATEWAY_PASS}" } },
      keys: { primary: "${ASSAY_API_KEY}" },
      models: { chat: "${CHAT_MODEL}" },
    };
    const folder = folderWith({ "assay.config.yaml": manifest });
    const own = { env: { ...env, GATEWAY_PASS: canary, CHAT_MODEL: model }, folder };
    const check = await spawnAssay(["check", "--case", "chat/minimal", ...reporters], own);
    expect([check.exitCode, leaks(check), leaks(check, [model])]).toEqual([1, [], []]);
    const findings = readResult(folder)["findings"] as readonly { readonly id: string; readonly curl: string | null }[];
    const shown = findings.find(({ curl }) => curl?.includes("--data-binary") === true);
    expect(shown?.curl).toContain('"$ASSAY_HEADER_X_GATE"');
    expect(shown?.curl).toContain('"$CHAT_MODEL"');
    const before = heard.length;
    const replayed = await spawnAssay(["replay", runFolder(folder), shown!.id], own);
    expect([replayed.exitCode, leaks(replayed), leaks(replayed, [model])]).toEqual([1, [], []]);
    expect(heard.length).toBeGreaterThan(before);
    expect(new Set(heard)).toEqual(new Set([`${canary} ${model}`]));
  });
});
