import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrokerAddress } from "../../../src/features/agents/broker/read-broker-address.ts";
import { openRedis } from "../../../src/features/agents/broker/open-redis.ts";
import { selfSignedCertificate } from "../../wire/self-signed-certificate.ts";

const binary = ["redis-server", "valkey-server"].find((name) => {
  try {
    execFileSync(name, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

/** Tests that need a broker are skipped without one: vitest counts them, and here it is said aloud. */
export const hasBroker: boolean = binary !== undefined;
if (!hasBroker) {
  process.stderr.write(
    "\nNOT RUN: proofs of agents: neither redis-server nor valkey-server is installed (apt-get install redis-server)\n",
  );
}

/** A real server on a free port of this machine, with a folder of its own. */
export interface BrokerProcess {
  readonly address: BrokerAddress;
  readonly port: number;
  /** Ends it without a chance to save, and starts it again on the same port; with what was saved, or empty. */
  restart(): Promise<void>;
  save(): Promise<void>;
  readonly process: ChildProcess;
  close(): Promise<void>;
}

export async function startBroker(): Promise<BrokerProcess> {
  const folder = mkdtempSync(join(tmpdir(), "assay-broker-"));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let running = await start(folder, port, url);
  const kill = async (): Promise<void> => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    const gone = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGKILL");
    await gone;
  };
  return {
    address: { url, prefix: "test" },
    port,
    get process() {
      return running;
    },
    async restart() {
      await kill();
      running = await start(folder, port, url);
    },
    async save() {
      const redis = await openRedis(url);
      await redis.save();
      redis.disconnect();
    },
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function start(folder: string, port: number, url: string): Promise<ChildProcess> {
  const child = spawn(
    binary ?? "",
    ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"],
    {
      stdio: "ignore",
    },
  );
  const redis = await openRedis(url);
  await redis.ping();
  redis.disconnect();
  return child;
}

/** A server that speaks TLS alone, and to nobody without its password. */
export interface SecureBroker {
  readonly url: string;
  readonly password: string;
  /** Certificate that it signed itself. */
  readonly certificateFile: string;
  close(): Promise<void>;
}

export async function startSecureBroker(): Promise<SecureBroker> {
  const folder = mkdtempSync(join(tmpdir(), "assay-broker-"));
  const { key, certificate } = selfSignedCertificate();
  const [keyFile, certificateFile] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  writeFileSync(keyFile, key, { mode: 0o600 });
  writeFileSync(certificateFile, certificate);
  const [port, password] = [await freePort(), "geheim/:@ wort"];
  const tls = [
    "--tls-port",
    `${port}`,
    "--tls-cert-file",
    certificateFile,
    "--tls-key-file",
    keyFile,
    "--tls-auth-clients",
    "no",
  ];
  const child = spawn(
    binary ?? "",
    ["--port", "0", "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--requirepass", password, ...tls],
    { stdio: "ignore" },
  );
  const gone = new Promise((resolve) => child.once("exit", resolve));
  return {
    url: `rediss://127.0.0.1:${port}`,
    password,
    certificateFile,
    async close() {
      child.kill("SIGKILL");
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
