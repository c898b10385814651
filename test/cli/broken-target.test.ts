import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { readResult, runAssay, runFolder } from "./run-assay.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answer = (listener: RequestListener): Promise<string> => listen(createHttpServer(listener));
const key = { ASSAY_API_KEY: "sk-canary-0123456789" };

async function check(url: string, ...flags: readonly string[]): Promise<{ exitCode: number | null; reason: string }> {
  const { exitCode, folder, stdout } = await runAssay(["check", "--base-url", url, ...flags], { env: key });
  expect(stdout).toContain("exit 3");
  for (const file of ["result.json", "report.html", "junit.xml", "run.json"])
    expect(existsSync(join(runFolder(folder), file))).toBe(true);
  return { exitCode, reason: String(readResult(folder)["reason"]) };
}

describe("a target that cannot be measured ends with exit code 3 and says why", () => {
  it("dead port", async () => {
    const host = await answer(() => {});
    await new Promise((resolve) => servers.pop()!.close(resolve));
    expect(await check(`http://${host}`)).toEqual({
      exitCode: 3,
      reason: "the target does not answer: the connection was refused",
    });
  });

  it("no TLS where TLS was asked for", async () => {
    const { exitCode, reason } = await check(`https://${await answer((_, response) => response.end())}`);
    expect(exitCode).toBe(3);
    expect(reason).toMatch(/^the target does not answer: no secure connection/);
  });

  it("HTML instead of JSON", async () => {
    const host = await answer((_, response) =>
      response.setHeader("content-type", "text/html").end("<html><body>Welcome</body></html>"),
    );
    const { exitCode, reason } = await check(`http://${host}`);
    expect(exitCode).toBe(3);
    expect(reason).toMatch(/HTML page; is the base URL right\?$/);
  });

  it("a key that is refused", async () => {
    const host = await answer((_, response) =>
      response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"code":"invalid_key"}}'),
    );
    const { exitCode, reason } = await check(`http://${host}`);
    expect(exitCode).toBe(3);
    expect(reason).toBe("the target refuses the primary key: 401 (invalid_key) to /v1/models");
  });

  it("something that does not speak HTTP", async () => {
    const host = await listen(createTcpServer((socket) => socket.end("220 mail.example ESMTP\r\n")));
    const { exitCode, reason } = await check(`http://${host}`);
    expect(exitCode).toBe(3);
    expect(reason).toMatch(/^the target does not answer: Response does not match the HTTP\/1.1 protocol/);
  });
});
