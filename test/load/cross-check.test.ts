import { describe, expect, it } from "vitest";
import { fenceAutocannon } from "../../src/load/cross-check.ts";
import { readProfile } from "../../src/load/read-profile.ts";
import { runLoadProfile } from "../../src/load/run-load-profile.ts";
import { createRealClock } from "../../src/wire/real-clock.ts";
import { createWire } from "../../src/wire/wire.ts";
import { manifestFor, startTarget } from "./load-target.ts";

const figures = {
  duration: 10,
  requests: { average: 800, total: 8000, sent: 8010 },
  latency: { mean: 12 },
  errors: 0,
  non2xx: 0,
};

describe("fenceAutocannon", () => {
  it("lets figures through that agree with each other", () => {
    expect(fenceAutocannon(figures, 10, 400)).toMatchObject({ meanLatencyMs: 12, ratio: 0.5, problems: [] });
  });

  it("drops a latency that Little's law forbids", () => {
    // Seen on a server that closes connections after 20 answers: 846/s over one connection at a mean of 14 ms.
    const shifted = { ...figures, requests: { average: 846, total: 8460, sent: 8461 }, latency: { mean: 14 } };
    expect(fenceAutocannon(shifted, 1, 800)).toMatchObject({ meanLatencyMs: null, problems: ["little"] });
  });

  it("notices requests that were sent and never counted", () => {
    // Bodies that end with the connection: 790 sent, none counted, no error.
    const lost = { ...figures, requests: { average: 0, total: 0, sent: 790 }, latency: { mean: 0 } };
    expect(fenceAutocannon(lost, 10, 80)).toMatchObject({ problems: ["lost-requests"], ratio: null });
  });
});

describe("the saturation profile", () => {
  it("sets autocannon's rate beside ours in one result", async () => {
    const target = await startTarget((_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"data":[]}'),
    );
    const profile = readProfile(
      JSON.stringify({
        id: "s",
        title: "S",
        engine: "autocannon",
        arrivals: { kind: "closed", concurrency: 4 },
        durationSeconds: 0.5,
        workload: [{ endpoint: "models" }],
      }),
      "s",
    );
    const manifest = manifestFor(target.baseUrl);
    const clock = createRealClock();
    const wire = createWire({ manifest, clock });
    const result = await runLoadProfile({ profile, manifest, sender: wire, clock, seed: 1 });
    await Promise.all([wire.close(), target.close()]);
    expect(result.crossCheck).toMatchObject({ tool: "autocannon", connections: 4, non2xx: 0, problems: [] });
    expect(result.crossCheck?.requestsPerSecond).toBeGreaterThan(50);
    expect(result.crossCheck?.ourRequestsPerSecond).toBe(result.rates.ok);
    expect(JSON.stringify(result)).not.toContain("sk_test_load");
  });
});
