import { describe, expect, it } from "vitest";
import { accusationsIn, examine, simulatedManifest } from "../simulation/exam.ts";
import { lawfulLimiters } from "../simulation/lawful-limiters.ts";
import { serveRequests } from "../simulation/request-service.ts";

/** HAProxy `http_req_rate` was once refuted in every full exam: the exam itself sends the silences after which it begins anew. */
describe("limiters whose windows begin anew after idle ones", () => {
  it.each([
    ["sliding-counter-restarts", "sliding-counter", 7907],
    ["sliding-counter-restarts", "sliding-counter", 7908],
    ["fixed-restarts", "fixed-window", 7907],
  ] as const)("%s is explained in the full exam, also as declared (%s, seed %i)", async (id, family, seed) => {
    const limiter = lawfulLimiters.find((one) => one.id === id)!;
    const base = simulatedManifest(30);
    const manifest = { ...base, control: null, limits: { ...base.limits, algorithm: family } };
    const service = serveRequests(limiter.create(30, 60_000));
    const judged = await examine({ seed, service, manifest, exam: "full" });
    expect(accusationsIn(judged)).toEqual([]);
    const survivors = judged.result.policies[0]!.identification!.survivors.map((survivor) => survivor.family);
    expect(survivors).toContain(family);
  });
});
