import type { Case, CaseRequest, CaseTools } from "../src/conformance/plan/case.ts";
import type { Intent, StatedAnswer } from "../src/core/exchange/intent.ts";
import { announcedWaitMs } from "../src/conformance/judges/limits/announced-wait.ts";
import { adminCredential, keySettingsNeeds, keySettingsPath, settingsKey, settingsResource } from "./settings-target.ts";

/** Small enough to be exceeded with a few free requests, and a cooldown that a queued request survives. */
const burst = { burst_limit: 3, cooldown_seconds: 2 };
const pauseMs = 10_000;
/** Lasts while a wait of nothing is tried twice. */
const triedCooldownSeconds = 3;

const housekeeping: Intent = { kind: "housekeeping", purpose: "exceed a burst limit", answers: ["2xx", 429, "queued"] };

async function change(tools: CaseTools, label: string, value: Readonly<Record<string, number>>): Promise<void> {
  await tools.send({
    endpoint: "key-settings",
    label,
    path: keySettingsPath(tools.manifest),
    credential: adminCredential,
    body: { kind: "json", value },
    // The smallest lawful limit is not stated: a target that refuses this one only leaves the effect unseen.
    intent: { kind: "housekeeping", purpose: "lower a burst limit", answers: ["2xx", 400, 422] },
  });
}

/** How often the limit is tried before the propagation time is over. */
function roundsWithin(propagationSeconds: number): number {
  return 1 + Math.ceil((propagationSeconds * 1000) / pauseMs);
}

/** Sends one request more than the limit, again and again until one is refused or the propagation time is over. */
async function exceed(tools: CaseTools, name: string): Promise<void> {
  const rounds = roundsWithin(tools.manifest.propagationSeconds);
  for (let round = 1; round <= rounds; round += 1) {
    for (let request = 1; request <= burst.burst_limit + 1; request += 1) {
      const sent = {
        endpoint: "models",
        credential: { kind: "bearer", key: settingsKey },
        intent: housekeeping,
        retry: false,
      } as const;
      const exchange = await tools.send({ ...sent, label: `${name}-${round}-${request}` });
      if (exchange.status !== 429) continue;
      // No wait at all, in a cooldown that has just begun: tried with what rounding may have taken from it, twice in the same state.
      let refused = exchange;
      for (
        let again = 1;
        again <= 2 && refused.status === 429 && (announcedWaitMs(refused, "longest") ?? 1000) < 1000;
        again += 1
      ) {
        await tools.sleep(1100);
        refused = await tools.send({ ...sent, label: `${name}-again-${again}` });
      }
      return;
    }
    if (round < rounds) await tools.sleep(pauseMs);
  }
}

/** Presses the same low limit in ways that have to be refused, one respect each. */
async function sendRefused(tools: CaseTools): Promise<void> {
  const request = {
    endpoint: "key-settings",
    path: keySettingsPath(tools.manifest),
    credential: adminCredential,
    retry: false,
  } as const;
  const refused = (how: string, ...answers: readonly StatedAnswer[]): Pick<CaseRequest, "label" | "intent"> => ({
    label: `refused-${how}`,
    intent: { kind: "housekeeping", purpose: `change settings in a way that is refused (${how})`, answers },
  });
  const json = (value: unknown): { readonly kind: "json"; readonly value: unknown } => ({ kind: "json", value });
  // A wrong type may be converted (AMB-05).
  await tools.send({ ...request, ...refused("type", "2xx", "4xx"), body: json({ ...burst, monthly_spend_cap: "much" }) });
  const bytes = JSON.stringify(burst).slice(0, -1);
  await tools.send({ ...request, ...refused("malformed", 422), body: { kind: "raw", bytes, contentType: "application/json" } });
  await tools.send({ ...request, ...refused("no-key", 401), credential: { kind: "none" }, body: json(burst) });
  for (const [key, how, ...answers] of refusedKeys) {
    if (tools.manifest.keys[key] === undefined) continue;
    await tools.send({ ...request, ...refused(how, ...answers), credential: { kind: "bearer", key }, body: json(burst) });
  }
}

/** Keys that may not change settings: an account that has to pay is another one, and may lack the scope as well. */
const refusedKeys = [
  ["readOnly", "scope", 403],
  ["pastDue", "past-due", 402, 403, 404],
  ["noCredit", "no-credit", 402, 403, 404],
] as const;

/** Uses the key up to two requests more than the limit that was asked for; the status of the last one. */
async function useAfterwards(tools: CaseTools, name: "after" | "again"): Promise<number | null> {
  let status: number | null = null;
  for (let request = 1; request <= burst.burst_limit + 2 && status !== 429; request += 1) {
    ({ status } = await tools.send({
      endpoint: "models",
      label: `${name}-${request}`,
      credential: { kind: "bearer", key: settingsKey },
      intent: { kind: "housekeeping", purpose: "use a key after refused changes", answers: ["2xx"] },
      retry: false,
    }));
  }
  return status;
}

/** Requests of one case at the longest propagation time that manifests usually give. */
const mostRequests = 3 + roundsWithin(60) * (burst.burst_limit + 1);

export const settingsEffectCases: readonly Case[] = [
  {
    id: "settings/refused-changes",
    suite: "settings",
    title: "Carries out no change that it refuses",
    covers: ["KEY-029"],
    needs: keySettingsNeeds,
    cost: { requests: { "key-settings": 8, models: 2 * (burst.burst_limit + 2) }, tokens: 0 },
    resource: settingsResource,
    run: (tools) =>
      tools.restoring({ kind: "key", key: settingsKey }, async () => {
        const settle = async (): Promise<void> => tools.sleep(Math.min(tools.manifest.propagationSeconds, 1) * 1000);
        // What was put back before may take effect late, and would undo what is wrongly carried out now.
        await settle();
        await sendRefused(tools);
        await settle();
        // A limit that is in force refuses again when its cooldown is over; what refuses once has another cause.
        if ((await useAfterwards(tools, "after")) === 429) await useAfterwards(tools, "again");
      }),
  },
  {
    id: "settings/takes-effect",
    suite: "settings",
    title: "Enforces a burst limit that was set",
    covers: ["KEY-012", "KEY-015", "RATE-044"],
    needs: keySettingsNeeds,
    cost: { requests: { "key-settings": 2, models: mostRequests + 1 }, tokens: 0 },
    resource: settingsResource,
    run: (tools) =>
      tools.restoring({ kind: "key", key: settingsKey }, async () => {
        await change(tools, "set-burst", { ...burst, cooldown_seconds: triedCooldownSeconds });
        await exceed(tools, "exceed");
      }),
  },
  {
    id: "settings/leaves-other-keys",
    suite: "settings",
    title: "Does not apply a burst limit to another key",
    covers: ["KEY-013"],
    needs: [...keySettingsNeeds, { kind: "key", name: "secondary" }],
    cost: { requests: { "key-settings": 2, models: mostRequests + burst.burst_limit + 1 }, tokens: 0 },
    resource: settingsResource,
    run: (tools) =>
      tools.restoring({ kind: "key", key: settingsKey }, async () => {
        await change(tools, "set-burst", burst);
        await exceed(tools, "exceed");
        for (let request = 1; request <= burst.burst_limit + 1; request += 1) {
          await tools.send({
            endpoint: "models",
            label: `other-key-${request}`,
            credential: { kind: "bearer", key: "secondary" },
            intent: housekeeping,
            retry: false,
          });
        }
      }),
  },
  {
    id: "settings/keeps-other-members",
    suite: "settings",
    title: "Keeps the burst limit when only the cooldown is changed",
    covers: ["KEY-014"],
    needs: keySettingsNeeds,
    cost: { requests: { "key-settings": 3, models: mostRequests }, tokens: 0 },
    resource: settingsResource,
    run: (tools) =>
      tools.restoring({ kind: "key", key: settingsKey }, async () => {
        await change(tools, "set-burst", burst);
        await change(tools, "set-cooldown", { cooldown_seconds: burst.cooldown_seconds + 1 });
        await exceed(tools, "exceed");
      }),
  },
];
