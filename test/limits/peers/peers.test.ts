import { beforeAll, describe, expect, it } from "vitest";
import { readHistory } from "../../../src/limits/history/history.ts";
import { tolerancesFor } from "../../../src/limits/history/tolerances.ts";
import { verifyCertificate } from "../../../src/limits/certificates/verify-certificate.ts";
import { brokenPeers } from "./broken-peers.ts";
import { examinePeer, peerManifest, type ExaminedPeer } from "./examine-peer.ts";
import { lawfulPeers } from "./lawful-peers.ts";

/** Rules that the specification only implies and that a peer's own labels break. */
const advisories: Readonly<Record<string, readonly string[]>> = {
  // The nearer of two resets is named, that of the first window or that of the second.
  "rate-limiter-flexible, bursty": ["limits.reset-moved-back"],
};

/** A package that serves by timers of its own, a place in a queue or a heartbeat each 250 ms. */
const servesByTimers = (id: string): boolean => id.startsWith("bottleneck");
const timerMs = 250;

const examined = new Map<string, ExaminedPeer>();

// The short exam waits for real windows: all peers are examined side by side, and judged when all of them are.
beforeAll(async () => {
  const peers = [...lawfulPeers, ...brokenPeers];
  await Promise.all(peers.map(async (peer) => examined.set(peer.id, await examinePeer(peer))));
});

describe("limiters that others wrote are not accused, and their algorithm is among the explanations", () => {
  it.each(lawfulPeers)("$id", ({ id, family }) => {
    const { judgement, heldUpMs } = examined.get(id)!;
    const [policy, ...more] = judgement.result.policies;
    expect(more).toEqual([]);
    expect(judgement.findings.filter(({ check }) => !advisories[id]?.includes(check ?? ""))).toEqual([]);
    // One whose timers this machine held up is another limiter, and its exam may have seen too little: it is accused of nothing.
    if (servesByTimers(id) && heldUpMs > timerMs) return;
    // Enough was seen to fail: the limit was reached, and refusals were judged.
    expect(policy?.tier).toMatch(/^(consistent|unrefuted)$/);
    const judged = policy!.checks.filter(({ verdict }) => verdict === "pass").map((check) => check.id);
    expect(judged).toEqual(
      expect.arrayContaining([
        "limits.under-admission",
        "limits.retry-after-form",
        "limits.remaining-not-granted",
        "limits.algorithm",
      ]),
    );
    const survivors = policy!.identification!.survivors.map((survivor) => survivor.family);
    if (family === null) expect(survivors.length).toBeGreaterThan(0);
    else expect(survivors).toContain(family);
  });
});

describe("one mistake in a limiter that others wrote is found and proven", () => {
  it.each(brokenPeers)("$id", (peer) => {
    // Windows begin with the exam's own first request.
    const { judgement, exchanges } = examined.get(peer.id)!;
    const failed = judgement.result.policies.flatMap((policy) => policy.checks.filter(({ verdict }) => verdict === "fail"));
    const found = failed.some(({ id }) => peer.found.includes(id));
    expect([found, failed.map(({ id }) => id)]).toEqual([true, expect.anything()]);
    const { ops } = readHistory(exchanges, tolerancesFor(peerManifest(peer.limits, "http://127.0.0.1")));
    const own = ops.filter((op) => op.key === "primary" && op.endpoint === "models");
    for (const { certificate } of failed) expect(verifyCertificate(certificate!, own, peer.limits.windowMs)).toBeNull();
  });
});
