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

const examined = new Map<string, Promise<ExaminedPeer>>();

// The short exam waits for real windows: all peers are examined side by side.
beforeAll(() => {
  for (const peer of [...lawfulPeers, ...brokenPeers]) examined.set(peer.id, examinePeer(peer));
});

describe("limiters that others wrote are not accused, and their algorithm is among the explanations", () => {
  it.each(lawfulPeers)("$id", async ({ id, family }) => {
    const { judgement } = await examined.get(id)!;
    const [policy, ...more] = judgement.result.policies;
    expect(more).toEqual([]);
    expect(judgement.findings.filter(({ check }) => !advisories[id]?.includes(check ?? ""))).toEqual([]);
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
  it.each(brokenPeers)("$id", async (peer) => {
    // Windows begin with the exam's own first request.
    const { judgement, exchanges } = await examined.get(peer.id)!;
    const failed = judgement.result.policies.flatMap((policy) => policy.checks.filter(({ verdict }) => verdict === "fail"));
    const found = failed.some(({ id }) => peer.found.includes(id));
    expect([found, failed.map(({ id }) => id)]).toEqual([true, expect.anything()]);
    const { ops } = readHistory(exchanges, tolerancesFor(peerManifest(peer.limits, "http://127.0.0.1")));
    const own = ops.filter((op) => op.key === "primary" && op.endpoint === "models");
    for (const { certificate } of failed) expect(verifyCertificate(certificate!, own, peer.limits.windowMs)).toBeNull();
  });
});
