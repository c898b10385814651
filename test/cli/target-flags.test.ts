import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { serveConnectProxy } from "../make/wire/connect-proxy.ts";
import { serveHttp, serveTcp } from "../make/wire/test-server.ts";
import { type Ended, folderWith, readResult, runAssay, runFolder, spawnAssay } from "./run-assay.ts";

function leaksOf({ stdout, stderr, folder }: Ended, secrets: readonly string[]): readonly string[] {
  const run = runFolder(folder);
  const texts = readdirSync(run).map((name) => [name, readFileSync(join(run, name), "utf8")] as const);
  return [["stdout", stdout] as const, ["stderr", stderr] as const, ...texts].flatMap(([name, text]) =>
    secrets.some((secret) => text.includes(secret)) ? [name] : [],
  );
}

describe("--header", () => {
  it("reaches every request, and its value no output, though the server repeats it", async () => {
    const seen: unknown[] = [];
    const { url } = await serveHttp((request, response) => {
      seen.push([request.headers["x-gate"], request.headers["x-tenant"]]);
      response.writeHead(400, { "content-type": "application/json", "x-echo": String(request.headers["x-gate"]) });
      response.end(JSON.stringify({ error: { code: "bad", message: `sent ${JSON.stringify(request.headers)}` } }));
    });
    const headers = ["--header", "x-gate: open-sesame-123", "--header", "x-tenant: ${TENANT}"];
    const env = { ASSAY_API_KEY: "sk_test_0123456789", TENANT: "tenant-of-qa-77" };
    const ended = await spawnAssay(["check", "--base-url", url, "--suite", "models", "--reporter", "markdown", ...headers], {
      env,
    });
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(new Set(['["open-sesame-123","tenant-of-qa-77"]']));
    expect(leaksOf(ended, ["open-sesame-123", "tenant-of-qa-77"])).toEqual([]);
    expect(readResult(ended.folder)["command"]).toEqual(
      expect.arrayContaining(["x-gate: <header:x-gate>", "x-tenant: ${TENANT}"]),
    );
  });

  it("that cannot be sent ends with 2", async () => {
    const env = { ASSAY_API_KEY: "sk_test_0123456789" };
    const ended = await runAssay(["check", "--base-url", "http://127.0.0.1:1", "--header", "secret-without-colon"], { env });
    expect([ended.exitCode, ended.stderr]).toEqual([2, expect.stringContaining("--header: not a header field")]);
    expect(ended.stderr).not.toContain("secret-without-colon");
  });
});

describe("a proxy", () => {
  const baseUrl = "http://api.staging.invalid";

  it("leads check and doctor to the target; load through it is refused with the reason", async () => {
    const service = await startReferenceService({ seed: 3 });
    try {
      const proxy = await serveConnectProxy({ leadsTo: service.manifest.target.baseUrl });
      const env = {
        ASSAY_API_KEY: service.manifest.keys["primary"]?.secret ?? "",
        HTTP_PROXY: proxy.url.replace("//", "//qa:pass-of-proxy@"),
      };
      const checked = await runAssay(["check", "--base-url", baseUrl, "--suite", "models"], { env });
      expect([checked.exitCode, checked.stderr]).toEqual([
        0,
        expect.stringContaining(`through the proxy ${proxy.url} (HTTP_PROXY)`),
      ]);
      expect(leaksOf(checked, ["pass-of-proxy"])).toEqual([]);
      const looked = await runAssay(["doctor", "--base-url", baseUrl, "--proxy", proxy.url], { env });
      expect([looked.exitCode, looked.stdout]).toEqual([0, expect.stringContaining("is resolved by the proxy")]);
      expect(new Set(proxy.asked)).toEqual(new Set(["api.staging.invalid:80"]));
      const tunnels = proxy.asked.length;
      const load = await runAssay(["load", "--base-url", baseUrl], { env });
      expect([load.exitCode, load.stderr]).toEqual([2, expect.stringContaining("it would measure the proxy http://127.0.0.1")]);
      expect(proxy.asked.length).toBe(tunnels);
      const direct = await runAssay(["doctor", "--base-url", baseUrl, "--no-proxy"], { env });
      expect([direct.exitCode, direct.stdout]).toEqual([3, expect.stringContaining("does not resolve")]);
    } finally {
      await service.close();
    }
  });

  it("that is dead is named, by check and by doctor", async () => {
    const gone = await serveTcp(() => {});
    await gone.close();
    const options = { env: { ASSAY_API_KEY: "sk_test_0123456789", http_proxy: gone.url }, folder: folderWith({}) };
    for (const command of ["check", "doctor"]) {
      const { exitCode, stdout, stderr } = await runAssay([command, "--base-url", baseUrl], options);
      expect(exitCode).toBe(3);
      expect((stdout + stderr).replaceAll(/\s+/g, " ")).toContain(
        `the proxy ${gone.url} cannot be used: the connection was refused`,
      );
    }
  });
});
