import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { redactManifest } from "../../../src/config/redact-manifest.ts";
import { openCoordinatorLink } from "../../../src/features/agents/broker/coordinator-link.ts";
import { openRedis } from "../../../src/features/agents/broker/open-redis.ts";
import { runKeys } from "../../../src/features/agents/broker/run-keys.ts";
import { targetDigest } from "../../../src/features/agents/broker/target-digest.ts";
import { watchLeases } from "../../../src/features/agents/coordinator/watch-leases.ts";
import type { FromAgent, ToAgent } from "../../../src/features/agents/messages/agent-messages.ts";
import type { AgentOrder } from "../../../src/features/agents/messages/agent-order.ts";
import { runAgentShare } from "../../../src/features/agents/share/run-agent-share.ts";
import { readProfile } from "../../../src/load/plan/read-profile.ts";
import { loadKeyName } from "../../../src/load/profile/load-key-name.ts";
import { readToolVersion } from "../../../src/run/tool-version.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { keep } from "../../make/keep.ts";
import { manifestFor, startTarget, streamWords } from "../../make/load/load-target.ts";
import { type BrokerProcess, hasBroker, startBroker } from "./broker-process.ts";
import { agentProfile } from "./run-with-agents.ts";

describe.skipIf(!hasBroker)("an agent that hears a stop while it still prepares its share", () => {
  it("sends nothing, though it holds its lease", async () => {
    const broker = keep(await startBroker());
    const target = keep(await startTarget((_, response) => streamWords(response, 3, 10, 5)));
    const manifest = manifestFor(target.baseUrl);
    const clock = createRealClock();
    const runId = randomUUID();
    const said: FromAgent[] = [];
    let taken = 0;
    const coordinator = keep(
      await openCoordinatorLink(
        {
          broker: broker.address,
          runId,
          agents: 1,
          nowMs: () => clock.nowMs(),
          onUp: (_agent, _token, { number, payload }) => {
            if (number <= taken) return;
            taken = number;
            said.push(...(JSON.parse(payload) as readonly FromAgent[]));
          },
          acknowledged: () => taken,
        },
        { bounds: { requests: null, tokens: null, nanoUsd: null }, sparePlaces: 0 },
      ),
    );
    const ended = new AbortController();
    watchLeases({ link: coordinator, signal: ended.signal, onLost: () => {}, onAllLost: () => {} });
    const heard = await watchReads(broker, runKeys(broker.address.prefix, runId).down);
    const reason = { kind: "agent", words: "another agent refuses" } as const;
    await coordinator.sendAll(JSON.stringify({ kind: "stop", reason, number: 1 } satisfies ToAgent));
    const read = readProfile(JSON.stringify(agentProfile), "agents");
    const order: AgentOrder = {
      runId,
      agent: 0,
      agents: 1,
      version: readToolVersion(),
      target: targetDigest(target.baseUrl),
      profile: { ...read, key: loadKeyName(read.key, manifest) },
      manifest: redactManifest(manifest),
      seed: 5,
      trace: null,
      ownPerSecond: null,
      borrows: false,
      lastSeq: 0,
      mostRecords: 1000,
      evidence: { first: 0, failed: 0 },
      wallAtZeroMs: clock.wallMs() - clock.nowMs(),
      sealedKeys: null,
    };
    await runAgentShare({
      broker: broker.address,
      order,
      manifest,
      version: order.version,
      // It learns the clock of the coordinator until it has heard the message.
      clock: { ...clock, sleep: (ms, signal) => heard.readPast.then(() => clock.sleep(ms, signal)) },
      signal: new AbortController().signal,
    });
    ended.abort();
    expect(target.seen).toEqual([]);
    // A machine that stands still for three seconds loses the lease instead.
    const ends = said.filter(({ kind }) => kind === "measured" || kind === "lease-lost");
    expect(ends).toEqual([
      expect.toBeOneOf([
        expect.objectContaining({ kind: "measured", spent: expect.objectContaining({ requests: 0 }) }),
        expect.objectContaining({ kind: "lease-lost" }),
      ]),
    ]);
  });
});

/** `readPast` resolves when somebody has taken an entry of the stream and asks for the next one. */
async function watchReads(broker: BrokerProcess, stream: string): Promise<{ readonly readPast: Promise<void> }> {
  const redis = await openRedis(broker.address.url);
  const monitor = await redis.monitor();
  keep({ close: () => [monitor, redis].forEach((each) => each.disconnect()) });
  const readPast = new Promise<void>((resolve) => {
    monitor.on("monitor", (_time: string, words: readonly string[]) => {
      const isRead = words[0]?.toLowerCase() === "xread" && words.at(-2) === stream;
      if (isRead && words.at(-1) !== "0-0") resolve();
    });
  });
  return { readPast };
}
