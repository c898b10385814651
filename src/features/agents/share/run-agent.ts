import { fork } from "node:child_process";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { hostname, availableParallelism } from "node:os";
import type { Manifest } from "../../../core/manifest.ts";
import type { InstrumentAccuracy } from "../../../core/result/generator-health.ts";
import type { AgentCard } from "../broker/agent-card.ts";
import { openAgentRegister } from "../broker/agent-register.ts";
import type { BrokerAddress } from "../broker/read-broker-address.ts";
import { firstAnswer, measureRoundTrip, within } from "../broker/ask-broker.ts";
import { openRedis } from "../broker/open-redis.ts";
import { openShareWorker } from "../broker/share-queue.ts";
import { targetDigest } from "../broker/target-digest.ts";
import { fingerprint } from "../sealing/fingerprint.ts";
import { compiledFile } from "../../../run/compiled-file.ts";
import { readOpenFiles } from "../../../load/generator/read-open-files.ts";
import { readAgentOrder } from "../messages/agent-order.ts";
import { unsealKeys } from "../sealing/sealed-keys.ts";
import type { ShareStart } from "./agent-process.ts";

export interface AgentOptions {
  readonly broker: BrokerAddress;
  readonly manifest: Manifest;
  readonly version: string;
  readonly name: string | null;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  readonly calibrate: () => Promise<InstrumentAccuracy>;
}

const showEveryMs = 1000;

/**
 * Waits for shares at the broker, one after the other, until the signal aborts. Shares are sent by a process of their own: this one
 * stays free to keep its place at the broker.
 */
export async function runAgent(options: AgentOptions): Promise<void> {
  const { broker, manifest, version, signal, say } = options;
  const redis = await openRedis(broker.url);
  try {
    await firstAnswer(redis, redis.ping());
    const roundTripMs = await measureRoundTrip(redis);
    say("measuring this machine");
    const { calibration, uncalibrated } = await options.calibrate();
    if (signal.aborted) return;
    if (calibration === null) throw new Error(uncalibrated ?? "this machine could not be measured");
    const id = `agent-${randomUUID()}`;
    const name = options.name ?? `${hostname()}-${process.pid}`;
    const own = generateKeyPairSync("x25519");
    const publicKey = own.publicKey.export({ format: "jwk" }).x ?? "";
    let busy = false;
    let sending: Promise<void> = Promise.resolve();
    const card = (): AgentCard => ({
      id,
      name,
      version,
      node: process.version,
      cores: availableParallelism(),
      target: targetDigest(manifest.target.baseUrl),
      publicKey,
      busy,
      calibration,
      roundTripMs,
      descriptors: readOpenFiles(),
    });
    const register = openAgentRegister(redis, broker.prefix);
    const show = (): void => void register.show(card()).catch(() => undefined);
    const worker = await openShareWorker(broker, id, async (value) => {
      const order = readAgentOrder(value);
      if (order === null) throw new Error("the order cannot be read");
      busy = true;
      show();
      say(`sending share ${order.agent + 1} of ${order.agents} of ${order.profile.id}`);
      try {
        const share = sendShare({ broker, order, manifest: unsealKeys(manifest, order, own.privateKey), version }, signal);
        sending = share.catch(() => undefined);
        await share;
        say("share ended");
      } catch (error) {
        say(error instanceof Error ? error.message : String(error));
        throw error;
      } finally {
        busy = false;
        show();
      }
    });
    await register.show(card());
    const timer = setInterval(show, showEveryMs);
    say(`waiting as ${name}, key ${fingerprint(publicKey)}`);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    clearInterval(timer);
    await within(2000, register.hide(id)).catch(() => undefined);
    await sending;
    await worker.close();
  } finally {
    redis.disconnect();
  }
}

/** Resolves when the process that sends has ended in order. */
function sendShare(start: ShareStart, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(compiledFile("features/agents/share/agent-process.js"), [], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const end = (): void => {
      if (child.connected) child.send("end");
    };
    child.once("error", reject);
    child.once("exit", (code, by) => {
      signal.removeEventListener("abort", end);
      if (code === 0) resolve();
      else reject(new Error(`the process that sends ended with ${by ?? `code ${code}`}`));
    });
    child.send(start);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
