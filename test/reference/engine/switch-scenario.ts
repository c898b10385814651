import type { Admission, Work } from "../../../src/reference/engine/admission.ts";
import type { EngineOptions } from "../../../src/reference/engine/create-engine.ts";
import {
  createBench,
  imageWork,
  leaseOf,
  modelsWork,
  plainWork,
  settleWorstCase,
  startMs,
  type EngineBench,
} from "./engine-bench.ts";

/** The answers that a client would have seen, in order. */
export type Transcript = readonly string[];

export type SectionName = "requests" | "tokens" | "burst" | "queue" | "spend" | "usage" | "settings";

type Section = (bench: EngineBench, log: (entry: unknown) => void) => Promise<void>;

const freeChat: Partial<Work> = { maxCostMicros: 0, promptTokens: 0, maxCompletionTokens: 0 };

/** The answer as a client sees it. */
function seen(admission: Admission): unknown {
  if (admission.kind !== "admitted") return admission;
  return { ok: admission.ticket.rateHeaders(), queuedMs: admission.ticket.queuedMs };
}

/** All at once; answers in the order of sending. */
async function volley(bench: EngineBench, name: string, count: number, work: Partial<Work> = {}): Promise<readonly Admission[]> {
  return Promise.all(Array.from({ length: count }, () => bench.send(name, work)));
}

/** Sends without waiting for the answers, which are noted when they come: some wait in a queue. */
function asker(
  bench: EngineBench,
  log: (entry: unknown) => void,
): (name: string, count: number, work?: Partial<Work>) => Promise<void> {
  let asked = 0;
  const note = async (name: string, work: Partial<Work>): Promise<void> => {
    const number = (asked += 1);
    const admission = await bench.send(name, work);
    log([number, name, bench.clock.wallMs() - startMs, seen(admission)]);
  };
  return async (name, count, work = freeChat) => {
    for (let index = 0; index < count; index += 1) void note(name, work);
    await bench.clock.advance(0);
    await bench.clock.advance(0);
  };
}

const sections: Readonly<Record<SectionName, Section>> = {
  requests: async (bench, log) => {
    const name = "examRequests";
    const probe = async (work: Partial<Work> = freeChat): Promise<void> => log(seen(await bench.send(name, work)));
    log(bench.engine.unadmittedHeaders(bench.key(name), "chat", 422));
    for (let index = 0; index < 3; index += 1) await probe();
    for (const admission of await volley(bench, name, 20, freeChat)) log(seen(admission));
    await bench.clock.advance(2600);
    await probe();
    for (const admission of await volley(bench, name, 45, freeChat)) log(seen(admission));
    await probe(modelsWork);
    await probe({ ...freeChat, rawUrl: "/v1/chat/completions?x=1" });
    const claims = { "x-forwarded-for": "203.0.113.77", "user-agent": "another", authorization: "bearer key" };
    for (const [name, value] of Object.entries(claims)) await probe({ ...freeChat, fields: { [name]: value } });
    // Every form of a request counts and is refused like the others.
    for (const form of [{ streaming: true }, { endpoint: "embeddings" }, { endpoint: "transcriptions" }] as const)
      await probe({ ...freeChat, ...form });
    log(seen(await bench.send("examRequestsTwin", freeChat)));
    for (const ms of [700, 15_000, 20_000, 14_000, 5000, 2700, 1500, 1000, 5000]) {
      await bench.clock.advance(ms);
      await probe();
    }
    for (const admission of await volley(bench, name, 30, freeChat)) log(seen(admission));
    await bench.clock.advance(130_000);
    for (const admission of await volley(bench, name, 130, freeChat)) log(seen(admission));
    await bench.clock.advance(59_400);
    await probe();
    await bench.clock.advance(61_000);
    for (let index = 0; index < 70; index += 1) {
      await bench.clock.advance(1900);
      log(seen(await bench.send("examRequestsTwin", freeChat)));
    }
    await bench.clock.advance(86_400_000 - (bench.clock.wallMs() - startMs));
    await probe();
    const late = await bench.send(name, freeChat, false);
    await volley(bench, name, 3, freeChat);
    log(seen(late));
  },

  tokens: async (bench, log) => {
    const sizes = [
      { promptTokens: 100, maxCompletionTokens: 20, requestedMaxTokens: 40 },
      { promptTokens: 20, maxCompletionTokens: 200, requestedMaxTokens: 400, streaming: true },
      { promptTokens: 60, cachedTokens: 16, maxCompletionTokens: 50, requestedMaxTokens: null },
    ];
    const embedded = { endpoint: "embeddings", promptTokens: 90, maxCompletionTokens: 0, requestedMaxTokens: null } as const;
    for (const size of [...sizes, ...sizes, embedded]) {
      const ticket = leaseOf(await bench.send("examTokens", size, false));
      log(ticket.rateHeaders());
      settleWorstCase(ticket, { ...plainWork, ...size });
      log(ticket.rateHeaders());
    }
    const left = leaseOf(await bench.send("examTokens", { promptTokens: 40, maxCompletionTokens: 90, streaming: true }, false));
    left.settle({ ended: "aborted", promptTokens: 40, completionTokens: 3, costMicros: 0 });
    log(left.rateHeaders());
    log(leaseOf(await bench.send("examTokens", { promptTokens: 4, maxCompletionTokens: 1 }, false)).rateHeaders());
    for (const admission of await volley(bench, "lowToken", 30, { maxCompletionTokens: 100 })) log(seen(admission));
  },

  burst: async (bench, log) => {
    const ask = asker(bench, log);
    bench.set("examBurst", { burst_limit: 10, cooldown_seconds: 65 });
    await ask("examBurst", 1, modelsWork);
    await ask("examBurst", 1, { ...modelsWork, endpoint: "usage", rawUrl: "/v1/usage" });
    await bench.clock.advance(1500);
    await ask("examBurst", 12);
    await ask("primary", 1);
    for (const ms of [100, 13_000, 20_000, 12_000, 15_000, 3000, 1000, 2000, 64_000]) {
      await bench.clock.advance(ms);
      await ask("examBurst", 1, ms === 13_000 ? modelsWork : { ...freeChat, streaming: ms === 20_000 });
    }
    bench.set("examBurst", { burst_limit: 12, cooldown_seconds: 65 });
    await bench.clock.advance(70_000);
    await ask("examBurst", 12);
    bench.set("examBurst", { burst_limit: 3, cooldown_seconds: 2 });
    // Across the end of a minute of the clock, and again after the short cooldown.
    await bench.clock.advance(60_000 - ((bench.clock.wallMs() - startMs) % 60_000) - 1000);
    for (const [ms, count] of [
      [0, 2],
      [2000, 2],
      [2000, 4],
      [58_500, 2],
      [60_000, 1],
      [50_000, 1],
      [15_000, 3],
      [60_000, 2],
      [25_000, 2],
      [60_000, 3],
      [1000, 1],
      [1500, 1],
    ] as const) {
      await bench.clock.advance(ms);
      await ask("examBurst", count);
    }
  },

  queue: async (bench, log) => {
    const ask = asker(bench, log);
    bench.set("examBurstQueue", { burst_limit: 4, cooldown_seconds: 20 });
    await ask("examBurstQueue", 4);
    await ask("examBurstQueue", 6);
    await bench.clock.advance(50_000);
  },

  spend: async (bench, log) => {
    const buy = async (name: string, work: Partial<Work> = imageWork): Promise<void> => log(seen(await bench.send(name, work)));
    bench.set("examSpend", { monthly_spend_cap: 10 });
    const together = await Promise.all(Array.from({ length: 6 }, () => bench.send("examSpend", imageWork, false)));
    for (const admission of together) {
      log(seen(admission));
      if (admission.kind === "admitted") settleWorstCase(admission.ticket, { ...plainWork, ...imageWork });
    }
    await buy("examSpend");
    await buy("examSpend", modelsWork);
    await buy("exhausted", { streaming: true });
    await buy("exhausted", modelsWork);
    for (const endpoint of ["chat", "embeddings", "images", "transcriptions"] as const) await buy("exhausted", { endpoint });
    bench.set("examSpend", { monthly_spend_cap: 5 });
    await buy("examSpend", { maxCostMicros: 100 });
    bench.set("examSpend", { monthly_spend_cap: 20 });
    await buy("examSpend");
    bench.set("examSpend", { monthly_spend_cap: 0 });
    await buy("examSpend");
    bench.set("primary", { monthly_spend_cap: 100 });
    await buy("primary");
    // Fractions of a cent of each kind, up to the cap.
    bench.set("secondary", { monthly_spend_cap: 3 });
    const streamed = { streaming: true, maxCostMicros: 6000 };
    const embedded = { endpoint: "embeddings", maxCompletionTokens: 0, maxCostMicros: 6000 } as const;
    for (const work of [streamed, embedded, streamed, embedded]) await buy("secondary", work);
    for (const maxCostMicros of [6000, 100]) await buy("secondary", { maxCostMicros });
    const admin = bench.key("spendAdmin");
    bench.engine.changeAccount(admin, { account_spend_cap: 12 });
    bench.engine.changeKey(admin, bench.key("spendA").id, { monthly_spend_cap: 5000 });
    for (const name of ["spendA", "spendA", "spendA", "spendB", "spendB", "spendA"]) await buy(name);
    // Beyond the cap of the account and of the key at once.
    bench.engine.changeKey(admin, bench.key("spendA").id, { monthly_spend_cap: 0 });
    await buy("spendA");
    await bench.clock.advance(2 * 86_400_000);
    await buy("exhausted");
    await bench.clock.advance(Date.UTC(2026, 11, 1) - bench.clock.wallMs() - 1);
    for (const name of ["exhausted", "spendB"]) await buy(name);
    await bench.clock.advance(1);
    for (const name of ["exhausted", "spendB"]) await buy(name);
  },

  usage: async (bench, log) => {
    const bill = async (
      name: string,
      work: Partial<Work>,
      outcome: { readonly aborted?: boolean; readonly items?: number } = {},
    ): Promise<void> => {
      const full = { ...plainWork, ...work };
      leaseOf(await bench.send(name, work, false)).settle({
        ended: outcome.aborted === true ? "aborted" : "completed",
        promptTokens: full.promptTokens,
        completionTokens: full.maxCompletionTokens,
        costMicros: full.maxCostMicros,
        ...(outcome.items === undefined ? {} : { items: outcome.items }),
      });
    };
    bench.engine.unadmittedHeaders(null, "chat", 401);
    await bench.clock.advance(120_000);
    await bill("spendA", {});
    await bench.clock.advance(3_600_000);
    await bill("spendA", { streaming: true });
    await bill("spendB", { streaming: true }, { aborted: true });
    const cutMs = bench.clock.wallMs();
    // Not at the end of a minute: what a report compiled by the minute or a part of it does not show yet.
    await bench.clock.advance(5_007_000);
    await bill("spendB", { endpoint: "embeddings", maxCompletionTokens: 0, maxCostMicros: 10 }, { items: 5 });
    for (const endpoint of ["images", "transcriptions"] as const) {
      await bill("spendB", { endpoint, promptTokens: 0, maxCompletionTokens: 0, maxCostMicros: 40_000 });
    }
    const caller = bench.key("spendA");
    const nowMs = bench.clock.wallMs();
    for (const [fromMs, toMs] of [
      [startMs, nowMs + 1],
      [startMs, cutMs],
      [cutMs - 1000, nowMs],
      [nowMs + 86_400_000, nowMs + 2 * 86_400_000],
    ] as const) {
      for (const granularity of ["hour", "day", "month", undefined] as const)
        log(bench.engine.usageReport(caller, { fromMs, toMs, granularity }));
    }
  },

  settings: async (bench, log) => {
    const admin = bench.key("admin");
    log(bench.engine.changeKey(admin, bench.key("examSettings").id, { burst_limit: 2, cooldown_seconds: 30 }));
    log(bench.engine.changeKey(admin, bench.key("examSettings").id, { monthly_spend_cap: 7 }));
    log(bench.engine.changeKey(admin, bench.key("foreign").id, { burst_limit: 1 }));
    log(await bench.outcomes("examSettings", 3));
    log(await bench.outcomes("examBurst", 4));
    await bench.clock.advance(4000);
    log(await bench.outcomes("secondary", 4));
    log(bench.engine.changeAccount(admin, { account_spend_cap: 1 }));
    log(await bench.outcome("primary", imageWork));
    await bench.clock.advance(4000);
    log(await bench.outcomes("examSettings", 3));
  },
};

export const sectionNames: readonly SectionName[] = Object.keys(sections) as SectionName[];

/** Runs one section on a service of its own with these switches on, or with these seams instead of patched ones. */
export async function runSection(
  name: SectionName,
  switchesOn: readonly string[],
  options: Pick<EngineOptions, "seams"> = {},
): Promise<Transcript> {
  const storeDelay = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const bench = createBench(switchesOn, { storeDelay, ...options });
  const entries: string[] = [];
  await sections[name](bench, (entry) => entries.push(JSON.stringify(entry)));
  bench.clock.close();
  return entries;
}
