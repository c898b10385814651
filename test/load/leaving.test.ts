import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ProfileError } from "../../src/load/profile/profile-error.ts";
import { readProfile } from "../../src/load/plan/read-profile.ts";
import { type Answer, chunkEvent } from "../make/load/load-target.ts";
import { distributionOf, runAgainst } from "../make/load/run-against.ts";

const [slots, tokens, gapMs] = [8, 16, 5];

/** As many streams at once as there are slots, the others wait in line. A slot is free when its client goes. */
function slotServer(): Answer {
  const waiting: (() => void)[] = [];
  let taken = 0;
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) taken -= 1;
    else next();
  };
  return (_request, response) => {
    const generate = async (): Promise<void> => {
      if (!response.destroyed) response.writeHead(200, { "content-type": "text/event-stream" });
      for (let token = 0; token < tokens && !response.destroyed; token += 1) {
        response.write(chunkEvent({ content: `word${token} ` }));
        await sleep(gapMs);
      }
      if (!response.destroyed)
        response.end(
          `${chunkEvent({}, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 5, completion_tokens: tokens, total_tokens: tokens + 5 } })}data: [DONE]\n\n`,
        );
      release();
    };
    if (taken < slots) {
      taken += 1;
      void generate();
    } else waiting.push(() => void generate());
  };
}

const loop = (leave: object): object => ({
  arrivals: { kind: "closed", concurrency: slots, thinkMs: 0 },
  durationSeconds: 1.5,
  timeoutSeconds: 300,
  workload: [{ endpoint: "chat", leave }],
  gates: ["errors == 0", "observations.interrupted == 0", "goodput > 0.5"],
});

describe("clients that leave", () => {
  it("are no errors", async () => {
    // As many on any machine; they fill most of the slots.
    const arrivals = { kind: "constant", ratePerSecond: 40 };
    const result = await runAgainst(slotServer(), { ...loop({ share: 0.5, after: { events: 4 } }), arrivals });
    const { leaving, outcomes } = result;
    expect(leaving).toBeDefined();
    expect(outcomes.left).toBe(leaving?.clients);
    expect((outcomes.left ?? 0) + (outcomes.ok ?? 0)).toBe(60);
    expect((outcomes.left ?? 0) / 60).toBeGreaterThan(0.3);
    expect(leaving).toMatchObject({ left: leaving?.clients, beforeHead: 0 });
    expect((leaving?.events ?? 0) / (leaving?.left ?? 1)).toBeCloseTo(4, 0);
    // Of answers that were read to their end alone.
    expect(distributionOf(result, "ttft").count).toBe(outcomes.ok);
    expect(result.goodFraction).toBe(1);
    expect(result.gates.map(({ verdict }) => verdict)).toEqual(["pass", "pass", "pass"]);
  });

  it("neither dilute the errors of those that stay, nor stand in a share for their own errors alone", async () => {
    const answer = (events: number): Answer => {
      return (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const generate = async (): Promise<void> => {
          for (let token = 0; token < events; token += 1) {
            response.write(chunkEvent({ content: "word " }));
            await sleep(gapMs);
          }
          response.destroy();
        };
        void generate();
      };
    };
    const gates = ["error_rate < 60%", "timeout_rate < 60%", "reject_rate < 60%"];
    const profile = (share: number): object => ({
      arrivals: { kind: "constant", ratePerSecond: 40 },
      durationSeconds: 1,
      workload: [{ endpoint: "chat", leave: { share, after: { events: 2 } } }],
      gates,
    });
    const broken = await runAgainst(answer(20), profile(0.6));
    const [errors, timeouts] = broken.gates;
    const stayed = broken.outcomes["transport-error"] ?? 0;
    expect(stayed + (broken.outcomes.left ?? 0)).toBe(40);
    expect(errors).toMatchObject({ verdict: "inconclusive", observed: stayed / 40, atLeast: true });
    expect(errors?.high).toBeCloseTo(1);
    expect(errors?.reason).toBe(`${40 - stayed} of 40 clients left, and nobody knows how their answers would have ended`);
    expect(timeouts?.observed).toBe(0);
    expect(timeouts).not.toHaveProperty("atLeast");
    expect(broken.rates.outputTokens).toBeGreaterThan(0);
    const refused = await runAgainst((request, response) => {
      if (request.number % 8 === 0) response.writeHead(429).end();
      else answer(20)(request, response);
    }, profile(1));
    expect(refused.gates[2]).toMatchObject({ verdict: "inconclusive", observed: 5 / 40, high: 1 });
  });

  it("leave with the head, and after a time whatever has come", async () => {
    const head = await runAgainst(slotServer(), { ...loop({ share: 1, after: "head" }), durationSeconds: 0.5, gates: [] });
    expect(Object.keys(head.outcomes)).toEqual(["left"]);
    expect(head.leaving).toMatchObject({ left: head.leaving?.clients, beforeHead: 0 });
    // Nothing comes but the end of the client.
    const late = await runAgainst(() => {}, {
      ...loop({ share: 1, after: { seconds: 0.05 } }),
      durationSeconds: 0.5,
      gates: [],
    });
    expect(Object.keys(late.outcomes)).toEqual(["left"]);
    expect(late.leaving).toMatchObject({ beforeHead: late.leaving?.left, events: 0 });
  });

  it("are errors where the target refuses them, and clients of a class of their own where it was quicker", async () => {
    const refused = await runAgainst((_request, response) => response.writeHead(500).end(), {
      ...loop({ share: 1, after: "head" }),
      arrivals: { kind: "constant", ratePerSecond: 10 },
      durationSeconds: 0.5,
      gates: [],
    });
    expect(refused.outcomes).toEqual({ "server-error": 5 });
    const quick = await runAgainst(slotServer(), {
      ...loop({ share: 1, after: { events: 500 } }),
      durationSeconds: 0.5,
      gates: [],
    });
    expect(quick.leaving).toMatchObject({ left: 0, clients: quick.outcomes.left });
    expect(quick.leaving?.clients).toBeGreaterThan(0);
  });

  it("need streams to leave", () => {
    const text = JSON.stringify({
      id: "x",
      title: "x",
      arrivals: { kind: "constant", ratePerSecond: 1 },
      workload: [{ endpoint: "chat", stream: false, leave: { share: 0.5, after: "head" } }],
    });
    expect(() => readProfile(text, "x")).toThrow(ProfileError);
  });
});
