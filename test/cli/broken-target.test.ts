import type { RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { serveHttp, serveTcp, serveTls, type TestServer } from "../make/wire/test-server.ts";
import { describe, expect, it } from "vitest";
import { folderWith, readResult, runAssay, runFolder } from "./run-assay.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";

const hostOf = ({ url }: TestServer): string => new URL(url).host;
const answer = async (listener: RequestListener): Promise<string> => hostOf(await serveHttp(listener));
const listen = async (onConnection: (socket: Socket) => void): Promise<string> => hostOf(await serveTcp(onConnection));
const key = { ASSAY_API_KEY: "sk-canary-0123456789" };

async function check(
  url: string,
  command = "check",
  ...flags: readonly string[]
): Promise<{ exitCode: number | null; reason: string }> {
  const target = { baseUrl: "http://127.0.0.1:9", timeoutMs: 700 };
  const quick = folderWith({ "assay.config.yaml": { target, keys: { primary: "${ASSAY_API_KEY}" } } });
  const { exitCode, folder, stdout } = await runAssay([command, "--base-url", url, ...flags], { env: key, folder: quick });
  expect(stdout).toContain(`exit ${exitCode}`);
  for (const file of ["result.json", "report.html", "junit.xml", "run.json"])
    expect(existsSync(join(runFolder(folder), file))).toBe(true);
  return { exitCode, reason: String(readResult(folder)["reason"]) };
}

describe("a slow target", () => {
  it("that answers within the time that the manifest allows is measured", async () => {
    const host = await answer((_, response) =>
      setTimeout(() => response.setHeader("content-type", "application/json").end('{"object":"list","data":[]}'), 400),
    );
    const { exitCode, reason } = await check(`http://${host}`, "check", "--suite", "models");
    expect([exitCode, reason]).toEqual([1, expect.stringMatching(/in conformance$/)]);
  });
});

describe("a target that cannot be measured ends with exit code 3 and says why", () => {
  it.each(["check", "limits", "load"])("dead port, reported by %s", async (command) => {
    const server = await serveHttp(() => {});
    await server.close();
    const host = hostOf(server);
    const reason = `http://${host} does not answer: the connection was refused; nothing listens there; is the service started, and is the port right?`;
    expect(await check(`http://${host}`, command)).toEqual({ exitCode: 3, reason });
  });

  it.each(["check", "limits", "load"])(
    "a web site, a refused key and a port for https, recognized by %s, which is no failure of a limit",
    async (command) => {
      const site = `http://${await answer((_, response) => response.setHeader("content-type", "text/html").end("<h1>It works</h1>"))}`;
      expect(await check(site, command)).toEqual({
        exitCode: 3,
        reason: "no inference API below this base URL: it answers /v1/models with 200 and an HTML page; is the base URL right?",
      });
      const locked = `http://${await answer((_, response) => {
        response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"code":"invalid_api_key"}}');
      })}`;
      expect(await check(locked, command)).toEqual({
        exitCode: 3,
        reason: "the target refuses the primary key: 401 (invalid_api_key) to /v1/models",
      });
      const closing = `http://${await listen((socket) => socket.once("data", () => socket.destroy()))}`;
      const { exitCode, reason } = await check(closing, command);
      expect([exitCode, reason]).toEqual([3, expect.stringContaining("does the base URL have to begin with https?")]);
    },
  );

  it.each(["check", "limits"])("a control plane that is none, which %s looks at before all else", async (command) => {
    const url = `http://${await answer((_, response) => response.setHeader("content-type", "application/json").end("{}"))}`;
    const refusing = await serveHttp((_, response) => response.writeHead(401).end());
    const closed = await serveHttp(() => {});
    await closed.close();
    const remedy = "correct control in the manifest, or leave it out: only the reference service has a control plane";
    for (const [control, observed] of [
      [url, "it answers GET /clock with 200 and no time"],
      [refusing.url, "it answers GET /clock with 401: control.token is not that of this service"],
      [closed.url, `connect ECONNREFUSED ${hostOf(closed)}`],
      ["http://127.0.0.1:99999", "the address is not a URL"],
    ] as const) {
      const document = {
        target: { baseUrl: url },
        keys: { primary: "${ASSAY_API_KEY}" },
        control: { url: control, token: "${T}" },
      };
      const { exitCode, folder, stdout } = await runAssay([command], {
        env: { ...key, T: "token-of-nobody" },
        folder: folderWith({ "assay.config.yaml": document }),
      });
      expect([exitCode, String(readResult(folder)["reason"])]).toEqual([
        3,
        expect.stringContaining(`control.url ${control} leads to no control plane (${observed}); ${remedy}`),
      ]);
      expect(stdout).not.toContain("INTERNAL");
    }
  });

  it("a control plane that is none, which a plan does without unless it asks", async () => {
    const control = await serveHttp((_, response) => response.end("{}"));
    const document = {
      target: { baseUrl: `http://${await answer((_, response) => response.end())}` },
      keys: { primary: "${ASSAY_API_KEY}" },
      control: { url: control.url, token: "${T}" },
    };
    const plan = (...args: readonly string[]): ReturnType<typeof runAssay> =>
      runAssay(["limits", "--plan", ...args], {
        env: { ...key, T: "token-of-nobody" },
        folder: folderWith({ "assay.config.yaml": document }),
      });
    expect((await plan()).exitCode).toBe(0);
    const { exitCode, stderr } = await plan("--ask");
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("leads to no control plane")]);
  });

  it("a control plane whose answer is endless", async () => {
    const control = await serveHttp((_, response) => {
      const timer = setInterval(() => response.write(" ".repeat(100_000)), 5);
      response.once("close", () => clearInterval(timer));
    });
    const document = {
      target: { baseUrl: `http://${await answer((_, response) => response.end())}` },
      keys: { primary: "${ASSAY_API_KEY}" },
      control: { url: control.url, token: "${T}" },
    };
    const { exitCode, folder } = await runAssay(["check"], {
      env: { ...key, T: "token-of-nobody" },
      folder: folderWith({ "assay.config.yaml": document }),
    });
    expect([exitCode, String(readResult(folder)["reason"])]).toEqual([3, expect.stringContaining("leads to no control plane")]);
  });

  it("no TLS where TLS was asked for", async () => {
    const url = `https://${await answer((_, response) => response.end())}`;
    const { exitCode, reason } = await check(url);
    expect(exitCode).toBe(3);
    expect(reason).toBe(
      `${url} does not answer: no secure connection: the port does not speak TLS; is it http rather than https?`,
    );
  });

  it("a certificate that nobody vouches for", async () => {
    const { url } = await serveTls((socket) => void socket.end());
    const { exitCode, reason } = await check(url);
    expect([exitCode, reason]).toEqual([3, expect.stringContaining("self-signed certificate")]);
    expect(reason).toMatch(/; target\.tls\.caFile names the authority of a certificate, --insecure accepts any$/);
    expect(reason).not.toContain("http rather than https");
  });

  it("a proxy whose service is down", async () => {
    const page = (_: unknown, response: ServerResponse): void =>
      void response.writeHead(502, { "content-type": "text/html" }).end("<h1>502 Bad Gateway</h1>");
    expect(await check(`http://${await answer(page)}`)).toEqual({
      exitCode: 3,
      reason: "a proxy answers in place of the service: /v1/models with 502 and an HTML page; is the service behind it up?",
    });
  });

  it("TLS where it was not asked for", async () => {
    // The answer of a TLS port to a request in clear text: a fatal alert (RFC 8446 section 6.2).
    const alert = await listen((socket) => socket.once("data", () => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 70]))));
    expect(await check(`http://${alert}`)).toEqual({
      exitCode: 3,
      reason: `http://${alert} does not answer: the answer is not HTTP, first bytes that cannot be read: <U+0015><U+0003><U+0003><NUL><U+0002><U+0002>F; is the port one for https, or of another service?`,
    });
  });

  it.each(["check", "limits", "load"])("silence, which %s waits for once", async (command) => {
    let connections = 0;
    const host = await listen(() => (connections += 1));
    const { exitCode, reason } = await check(`http://${host}`, command);
    expect(exitCode).toBe(3);
    expect(reason).toBe(
      `http://${host} does not answer: no response head within 0.7 s, the time-out of this target; the connection opens, and GET /v1/models stays without an answer; is the service stuck, or is target.timeoutMs too short?`,
    );
    expect(connections).toBe(1);
  });

  it("an answer that breaks off", async () => {
    const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n";
    const host = await listen((socket) => socket.once("data", () => socket.end(head)));
    const { exitCode, reason } = await check(`http://${host}`);
    // The part that did arrive is judged: the head lacks fields.
    expect(exitCode).toBe(1);
    expect(reason).toMatch(/begins to answer GET \/v1\/models \(200\) and does not finish: the connection was closed/);
  });

  it.each(["check", "load"])("a redirect, reported by %s with the place it leads to", async (command) => {
    const host = await answer((_, response) =>
      response.writeHead(301, { location: "https://elsewhere.example/v1/models" }).end(),
    );
    const { exitCode, reason } = await check(`http://${host}`, command);
    expect(exitCode).toBe(3);
    expect(reason).toBe(
      `http://${host} redirects /v1/models (301 to https://elsewhere.example/v1/models): redirects are not followed, so that keys go nowhere else; use the final address as base URL`,
    );
  });

  it("something that does not speak HTTP", async () => {
    const host = await listen((socket) => socket.end("220 mail.example ESMTP\r\n"));
    const { exitCode, reason } = await check(`http://${host}`);
    expect(exitCode).toBe(3);
    expect(reason).toContain(
      "does not answer: the answer is not HTTP, first bytes that cannot be read: 220 mail.example ESMTP<CR><LF>; is the port",
    );
  });
});
