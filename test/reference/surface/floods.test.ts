import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import type { Manifest } from "../../../src/core/manifest.ts";
import { commandFile } from "../../cli/run-assay.ts";

const megabyte = 2 ** 20;

/** Megabytes that a process had at most. */
function peakOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

it.skipIf(process.platform !== "linux")(
  "the reference service holds its memory under floods of any form, and still answers",
  async () => {
    const child = spawn(process.execPath, [commandFile, "serve", "--port", "0", "--announce", "json"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const { manifest } = JSON.parse(line) as { readonly manifest: Manifest };
    const port = Number(new URL(manifest.target.baseUrl).port);
    const head = (method: string, path: string, fields: string): string =>
      `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${manifest.keys["primary"]!.secret}\r\n${fields}\r\n`;
    const sockets: Socket[] = [];
    const flood = async (count: number, ...pieces: readonly (string | Buffer)[]): Promise<void> => {
      for (let at = 0; at < count; at += 1) {
        const socket = connect(port, "127.0.0.1");
        sockets.push(socket.on("error", () => {}).resume());
        for (const piece of pieces) socket.write(piece);
      }
      await answers();
    };
    /** As many as are asked for come in turn: what was sent before has been taken, as far as it is. */
    const answers = async (): Promise<void> => {
      const socket = connect(port, "127.0.0.1");
      socket.write(head("GET", "/v1/models", "connection: close\r\n"));
      const [first] = (await once(socket, "data")) as [Buffer];
      expect(first.toString("latin1")).toMatch(/^HTTP\/1\.1 200 /);
      socket.destroy();
    };
    const chat = (fields: string): string => head("POST", "/v1/chat/completions", `content-type: application/json\r\n${fields}`);
    const json = (member: string, count: number): Buffer =>
      Buffer.from(`{"model":"reference-chat","messages":[${`${member},`.repeat(count)}1]}`);
    for (const body of [json("1", 3_900_000), json("{}", 2_600_000)])
      await flood(8, chat(`content-length: ${body.length}\r\n`), body);
    const spaces = Buffer.alloc(7.9 * megabyte, 32);
    await flood(70, chat(`content-length: ${8 * megabyte}\r\n`), spaces);
    await flood(30, chat("transfer-encoding: chunked\r\n"), `${spaces.length.toString(16)}\r\n`, spaces);
    const form = `content-type: multipart/form-data; boundary=b\r\ncontent-length: ${24 * megabyte}\r\n`;
    const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
    await flood(10, head("POST", "/v1/audio/transcriptions", form), part, Buffer.alloc(23 * megabyte, 32));
    await flood(500, `GET /v1/models HTTP/1.1\r\nx-a: ${"b".repeat(12_000)}`);
    expect(peakOf(child.pid!)).toBeLessThan(512);
    for (const socket of sockets) socket.destroy();
    child.stdin.end();
    await once(child, "exit");
  },
  120_000,
);
