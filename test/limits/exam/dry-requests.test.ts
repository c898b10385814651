import { describe, expect, it } from "vitest";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { createRandom } from "../../../src/core/random.ts";
import { createDryClock } from "../../../src/limits/exam/dry-clock.ts";
import { DryRequests } from "../../../src/limits/exam/dry-requests.ts";
import { createDrySender } from "../../../src/limits/exam/dry-sender.ts";
import { DryTarget } from "../../../src/limits/exam/dry-target.ts";
import type { DryCounting } from "../../../src/limits/exam/dry-windows.ts";
import { planLimits } from "../../../src/limits/exam/plan-limits.ts";
import type { LimitOp } from "../../../src/limits/history/op.ts";
import type { ExamRequest } from "../../../src/limits/probe/exam-request.ts";
import { createProbeTools, type ProbeTools } from "../../../src/limits/probe/probe-tools.ts";
import { accountManifest } from "../simulation/lawful-accounts.ts";
import { simulatedManifest } from "../simulation/exam.ts";

const manifest = { ...accountManifest("tokens"), keys: simulatedManifest(20).keys, limits: simulatedManifest(20).limits };

/** The whole of a small limit on two endpoints, single requests and simultaneous ones, refused at the end. */
async function drainTwice(
  send: ProbeTools["send"],
  burst: ProbeTools["burst"],
  pause: (ms: number) => Promise<void>,
): Promise<readonly LimitOp[]> {
  const base = { policy: "requests", key: "primary" } as const;
  const chat = { model: "chat-model", messages: [{ role: "user", content: "Say one word." }], max_tokens: 4 };
  const probes: readonly ExamRequest[] = [
    { ...base, phase: "D", endpoint: "models", label: "one" },
    { ...base, phase: "D", endpoint: "models", label: "disguised", distortion: "lower-case-scheme" },
    { ...base, phase: "B", endpoint: "chat", label: "two", body: { kind: "json", value: chat } },
  ];
  const ops: LimitOp[] = [];
  for (const probe of probes) {
    ops.push(await send(probe), ...(await burst(probe, 8)));
    await pause(1234);
    for (let count = 0; count < 18; count += 1) ops.push(await send(probe));
    await pause(20_000);
  }
  return ops;
}

describe("requests of a dry run that are not recorded", () => {
  it.each<DryCounting>([{ family: "fixed-window" }, { family: "fixed-from-first" }, { family: "token-bucket", holdsShare: 0.5 }])(
    "read as those that are (%j)",
    async (counting) => {
      const read = async (isQuick: boolean): Promise<readonly LimitOp[]> => {
        const clock = createDryClock(12_345);
        const target = new DryTarget(manifest, counting);
        const quick = new DryRequests((request, time) => target.answer(request, time), clock);
        const tools = createProbeTools(
          {
            manifest,
            sender: createDrySender((request, time) => target.answer(request, time), clock),
            clock,
            random: createRandom(1),
            exam: "short",
            onProgress: () => undefined,
            signal: new AbortController().signal,
            journal: { record: () => undefined, complete: () => undefined },
          },
          { windowMs: 60_000, phases: 1, longestMinutes: null },
        );
        return isQuick
          ? drainTwice(
              async (probe) => quick.send(probe, 1)[0]!,
              async (probe, count) => quick.send(probe, count),
              (ms) => clock.sleep(ms),
            )
          : drainTwice(
              (probe) => tools.send(probe),
              (probe, count) => tools.burst(probe, count),
              (ms) => clock.sleep(ms),
            );
      };
      const recorded = await read(false);
      expect(recorded.some(({ outcome }) => outcome === "rejected")).toBe(true);
      expect(await read(true)).toEqual(recorded);
    },
  );

  it("are one request until something about them changes", () => {
    const asked: SendRequest[] = [];
    const clock = createDryClock(0);
    const target = new DryTarget(manifest, { family: "fixed-window" });
    const quick = new DryRequests((request, time) => {
      asked.push(request);
      return target.answer(request, time);
    }, clock);
    const probe = { policy: "requests", phase: "L", key: "primary", endpoint: "models" } as const;
    quick.send(probe, 3);
    quick.send({ ...probe }, 2);
    expect(new Set(asked).size).toBe(1);
    quick.send({ ...probe, key: "secondary" }, 1);
    quick.send({ ...probe, phase: "M" }, 1);
    quick.send({ ...probe, label: "named" }, 1);
    quick.send({ ...probe, path: "/v1/models/" }, 1);
    expect(new Set(asked).size).toBe(5);
  });

  it("are as many in the plan of a large limit as its schedule sends, in no longer time", async () => {
    const [small, large] = await Promise.all(
      [1000, 10_000].map((limit) => planLimits({ ...simulatedManifest(limit), control: null }, "short")),
    );
    expect(large!.requests).toBeGreaterThan(8 * small!.requests);
    expect(large!.minutes).toBeLessThan(1.5 * small!.minutes);
  });
});
