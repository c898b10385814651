import type { RequestListener } from "node:http";
import { describe, expect, it } from "vitest";
import { serveHttp } from "../make/wire/test-server.ts";
import { emptyFolder, hasFiles, readResult, runAssay } from "./run-assay.ts";

const key = { ASSAY_API_KEY: "sk-canary-0123456789" };
const exits = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<readonly unknown[]> => {
  const { exitCode, stdout, stderr } = await runAssay(args, { env, demo: false });
  return [exitCode, stdout, stderr.split("\n")[0]];
};

describe("without a target there is no verdict", () => {
  const words = (why = ""): string => `assay: no target is given: no --base-url, and no assay.config.yaml here or above${why}`;

  it.each(["check", "limits", "load"])("%s ends with 2 and sends nothing", async (command) => {
    expect(await exits([command], key)).toEqual([2, "", words()]);
    expect(await exits([command])).toEqual([2, "", words()]);
    expect(await exits([command, "--plan"])).toEqual([2, "", words()]);
  });

  it.each(["ASSAY_API_KEY", "CI"])("run does so where %s is set", async (name) => {
    expect(await exits(["run"], { [name]: "sk-canary-0123456789" })).toEqual([
      2,
      "",
      words(` (${name} is set, so that this is no demonstration)`),
    ]);
  });

  it("run begins with the embedded service for a person who tries it out, and where it is asked to", async () => {
    expect((await exits(["run", "--plan"]))[0]).toBe(0);
    expect((await exits(["run", "--plan", "--demo"], { CI: "true" }))[0]).toBe(0);
    expect((await exits(["check", "--demo", "--base-url", "http://127.0.0.1:9"], key))[0]).toBe(2);
  });

  it("names the target and its address first and last", async () => {
    const { url } = await serveHttp((_, response) => response.writeHead(401).end());
    const { stdout, stderr } = await runAssay(["check", "--base-url", url], { env: key });
    expect(stderr.split("\n")[0]).toContain(`target: `);
    expect(stderr.split("\n")[0]).toContain(url);
    const lines = stdout.trimEnd().split("\n");
    expect([lines[0], lines.at(-1)]).toEqual([expect.stringContaining(url), expect.stringContaining(url)]);
  });
});

describe("a server that accepts nothing is invalid after a few requests", () => {
  const tryOut = async (listener: RequestListener, path = ""): Promise<readonly unknown[]> => {
    let requests = 0;
    const { url } = await serveHttp((request, response) => {
      requests += 1;
      listener(request, response);
    });
    const folder = emptyFolder();
    const ended = await runAssay(["check", "--base-url", `${url}${path}`], { env: key, folder });
    expect(hasFiles(ended.folder, ["report.html"])).toEqual(["report.html"]);
    expect(requests).toBeLessThan(8);
    return [ended.exitCode, String(readResult(ended.folder)["reason"])];
  };
  const say =
    (status: number, type: string, body: string): RequestListener =>
    (_, response) =>
      response.writeHead(status, { "content-type": type }).end(body);

  it("with the words of the server, and what may help", async () => {
    const json = "application/json";
    expect(await tryOut(say(400, json, '{"error":{"code":"bad","message":"missing x-tenant header"}}'))).toEqual([
      3,
      'the target accepts no valid request: 400 (bad) to /v1/models: "missing x-tenant header"; --header, or target.headers of the manifest, adds header fields to every request',
    ]);
    const [, plain] = await tryOut(say(400, json, '{"detail":"The plain HTTP request was sent to HTTPS port"}'));
    expect(plain).toContain("does the base URL have to begin with https?");
    expect((await tryOut(say(404, json, '{"message":"no route"}'), "/v1"))[1]).toContain("leave it out of the base URL");
    const [exitCode, page] = await tryOut(say(400, "text/html", "<html><title>Blocked</title><body>Bot filter</body></html>"));
    expect([exitCode, page]).toEqual([3, expect.stringContaining("an HTML page")]);
  });
});
