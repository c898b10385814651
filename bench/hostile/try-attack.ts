import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Attack } from "./attacks.ts";

/** How one command came through one attack. */
export interface Tried {
  readonly attack: string;
  readonly command: string;
  readonly exitCode: number | null;
  readonly seconds: number;
  readonly peakMegabytes: number;
  /** What did not hold; empty where all did. */
  readonly broken: readonly string[];
}

export interface Bounds {
  readonly seconds: number;
  readonly megabytes: number;
}

const secret = "sk_live_Zx81LqT0pWv73NdRf5Ub";
const commandFile = new URL("../../dist/src/cli/bin.js", import.meta.url).pathname;

/** Runs the built command against a target that answers every request with the attack. */
export async function tryAttack(attack: Attack, command: readonly string[], bounds: Bounds): Promise<Tried> {
  const target = await serve(attack);
  const folder = mkdtempSync(join(tmpdir(), "assay-hostile-"));
  writeFileSync(
    join(folder, "assay.config.yaml"),
    [
      `target: { baseUrl: "${target.url}", timeoutMs: 1000, bodyIdleMs: 1000, bodyTotalMs: 2000 }`,
      'keys: { primary: "${ASSAY_API_KEY}" }',
      "models: { chat: m, embedding: m }",
      "permissions: { exhaustLimits: true, loadUpToRps: 1000 }",
      `budget: { maxRequests: ${command[0] === "load" ? 2000 : 40} }`,
      "",
    ].join("\n"),
  );
  const startedAtMs = performance.now();
  const { exitCode, output, peakMegabytes } = await runCommand(command, folder, bounds);
  const seconds = (performance.now() - startedAtMs) / 1000;
  await target.close();
  const left = output + readAll(folder);
  rmSync(folder, { recursive: true, force: true });
  const broken = [
    exitCode === null ? "did not end" : "",
    exitCode === 4 ? `exit 4: ${/assay itself[^\n]*/.exec(left)?.[0] ?? ""}` : "",
    // The doctor looks at connections and heads, which may be in order.
    exitCode === 0 && command[0] !== "doctor" ? "called good" : "",
    peakMegabytes > bounds.megabytes ? "memory" : "",
    left.includes(secret.slice(8)) || left.includes(Buffer.from(secret).toString("base64").slice(12, 30)) ? "key leaked" : "",
  ].filter((one) => one !== "");
  return { attack: attack.id, command: command.join(" "), exitCode, seconds, peakMegabytes, broken };
}

async function serve({ answer }: Attack): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    let text = "";
    socket.on("data", (piece: Buffer) => {
      text += piece.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end === -1) return;
      const head = text.slice(0, end);
      text = "";
      socket.removeAllListeners("data").resume();
      answer(socket, { head, path: head.split(" ")[1] ?? "" });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

async function runCommand(
  command: readonly string[],
  folder: string,
  bounds: Bounds,
): Promise<{ readonly exitCode: number | null; readonly output: string; readonly peakMegabytes: number }> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, NO_COLOR: "1", LANG: "C.UTF-8", ASSAY_API_KEY: secret };
  const child = spawn(process.execPath, [commandFile, ...command], { cwd: folder, env });
  let [output, peakMegabytes] = ["", 0];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const watch = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, readPeak(child.pid ?? 0));
    // What would take the machine with it is ended before.
    if (peakMegabytes > 4 * bounds.megabytes) child.kill("SIGKILL");
  }, 25);
  const timer = setTimeout(() => child.kill("SIGKILL"), 1000 * bounds.seconds);
  const exitCode = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearInterval(watch);
  clearTimeout(timer);
  return { exitCode, output, peakMegabytes };
}

/** Megabytes of memory that a process had at most (Linux); 0 where the system does not tell. */
function readPeak(pid: number): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Math.round(Number(kilobytes ?? 0) / 1024);
  } catch {
    return 0;
  }
}

function readAll(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith("assay.config.yaml"))
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
}
