import type { Case, CaseRequest, CaseTools, Need } from "../../src/conformance/plan/case.ts";
import type { StatedAnswer } from "../../src/core/exchange/intent.ts";
import { announcedWaitMs } from "../../src/conformance/judges/limits/announced-wait.ts";
import { effectLabels, effectSeries, type RefusedHow } from "../../src/conformance/judges/settings/effect-labels.ts";
import type { LabelSeries } from "../../src/conformance/judging/label-series.ts";
import { casesOf } from "../cases-of.ts";
import { keyChange, keySettingsNeeds, settingsKey, settingsResource } from "../requests/settings-target.ts";
import { exceeding, lowerBurst, roundsWithin, untilRefused } from "../requests/burst-limit.ts";

/** Small enough to be exceeded with a few free requests, and a cooldown that a queued request survives. */
const burst = { burst_limit: 3, cooldown_seconds: 2 };
/** Lasts while a wait of nothing is tried twice. */
const triedCooldownSeconds = 3;

const exceed = { credential: { kind: "bearer", key: settingsKey }, intent: exceeding, retry: false } as const;

/** Exceeds the limit until a request is refused or the propagation time is over. */
async function exceedBurst(tools: CaseTools): Promise<void> {
  const rounds = roundsWithin(tools.manifest.propagationSeconds);
  let refused = await untilRefused(tools, exceed, { labels: effectSeries.exceed, limit: burst.burst_limit, rounds });
  // No wait at all, in a cooldown that has just begun: tried with what rounding may have taken from it, twice in the same state.
  for (let again = 1; again <= 2 && refused?.status === 429; again += 1) {
    if ((announcedWaitMs(refused, "longest") ?? 1000) >= 1000) return;
    await tools.sleep(1100);
    refused = await tools.send({ ...exceed, endpoint: "models", label: effectSeries.exceed.label("again", again) });
  }
}

/** Presses the same low limit in ways that have to be refused, one respect each. */
async function sendRefused(tools: CaseTools): Promise<void> {
  const send = async (how: RefusedHow, answers: readonly StatedAnswer[], request: Partial<CaseRequest>): Promise<void> => {
    const purpose = `change settings in a way that is refused (${how})`;
    const change = keyChange(tools.manifest, effectSeries.refused.label(how), burst, { kind: "housekeeping", purpose, answers });
    await tools.send({ ...change, retry: false, ...request });
  };
  // A wrong type may be converted (AMB-05).
  await send("type", ["2xx", "4xx"], { body: { kind: "json", value: { ...burst, monthly_spend_cap: "much" } } });
  const bytes = JSON.stringify(burst).slice(0, -1);
  await send("malformed", [422], { body: { kind: "raw", bytes, contentType: "application/json" } });
  await send("no-key", [401], { credential: { kind: "none" } });
  for (const [key, how, ...answers] of refusedKeys) {
    if (tools.manifest.keys[key] !== undefined) await send(how, answers, { credential: { kind: "bearer", key } });
  }
}

/** Keys that may not change settings: an account that has to pay is another one, and may lack the scope as well. */
const refusedKeys = [
  ["readOnly", "scope", 403],
  ["pastDue", "past-due", 402, 403, 404],
  ["noCredit", "no-credit", 402, 403, 404],
] as const;

/** Uses the key up to two requests more than the limit that was asked for; the status of the last one. */
async function useAfterwards(tools: CaseTools, labels: LabelSeries): Promise<number | null> {
  let status: number | null = null;
  for (let request = 1; request <= burst.burst_limit + 2 && status !== 429; request += 1) {
    ({ status } = await tools.send({
      endpoint: "models",
      label: labels.label(request),
      credential: { kind: "bearer", key: settingsKey },
      intent: { kind: "housekeeping", purpose: "use a key after refused changes", answers: ["2xx"] },
      retry: false,
    }));
  }
  return status;
}

/** A key whose settings are changed beside those of the one set aside. */
const otherKey = "secondary";
const otherKeyNeeds: readonly Need[] = [
  { kind: "key-id", name: otherKey },
  { kind: "restore", key: otherKey },
];

const lateSeconds = 3;

/** One request more than the limit that was set on another key. */
async function useOtherKey(tools: CaseTools, from: number): Promise<void> {
  for (let request = from; request <= from + burst.burst_limit; request += 1) {
    const credential = { kind: "bearer", key: otherKey } as const;
    await tools.send({ ...exceed, endpoint: "models", label: effectSeries.otherKey.label(request), credential });
  }
}

/** Requests of one case at the longest propagation time that manifests usually give. */
const mostRequests = 3 + roundsWithin(60) * (burst.burst_limit + 1);

const common = { suite: "settings", needs: keySettingsNeeds, resource: settingsResource } as const;

export const settingsEffectCases: readonly Case[] = casesOf(common, [
  {
    id: "settings/refused-changes",
    title: "Carries out no change that it refuses",
    covers: ["KEY-029"],
    cost: { requests: { "key-settings": 8, models: 2 * (burst.burst_limit + 2) }, tokens: 0 },
    run: (tools) =>
      tools.restoring({ kind: "key", key: settingsKey }, async () => {
        const settle = async (): Promise<void> => tools.sleep(Math.min(tools.manifest.propagationSeconds, 1) * 1000);
        // A change that was put back before may take effect late, and would undo one that is wrongly carried out now.
        await settle();
        await sendRefused(tools);
        await settle();
        // A limit that is in force refuses again when its cooldown is over; what refuses once has another cause.
        if ((await useAfterwards(tools, effectSeries.after)) === 429) await useAfterwards(tools, effectSeries.again);
      }),
  },
  {
    id: "settings/takes-effect",
    title: "Enforces a burst limit that was set",
    covers: ["KEY-012", "KEY-014", "KEY-015", "KEY-030", "RATE-044"],
    // That a limit is lost shows only where one is enforced at all.
    needsOfRows: { "KEY-030": otherKeyNeeds },
    cost: { requests: { "key-settings": 2, models: mostRequests + 1 }, tokens: 0 },
    run: (tools) =>
      tools.restoring({ kind: "key", key: settingsKey }, async () => {
        await tools.send(lowerBurst(tools.manifest, effectLabels.setBurst, { ...burst, cooldown_seconds: triedCooldownSeconds }));
        await exceedBurst(tools);
      }),
  },
  {
    id: "settings/leaves-other-keys",
    title: "Does not apply a burst limit to another key",
    covers: ["KEY-013"],
    needs: [...keySettingsNeeds, { kind: "key", name: otherKey }],
    cost: {
      requests: { "key-settings": 2, models: mostRequests + 2 * (burst.burst_limit + 1) },
      tokens: 0,
      waitSeconds: lateSeconds,
    },
    run: (tools) =>
      tools.restoring({ kind: "key", key: settingsKey }, async () => {
        await tools.send(lowerBurst(tools.manifest, effectLabels.setBurst, burst));
        await exceedBurst(tools);
        await useOtherKey(tools, 1);
        // Copies of settings may be read again after some seconds, while the limit is still in force.
        const { burst_limit: ownLimit = 0 } = tools.manifest.restore.keys[otherKey] ?? {};
        // More requests than the limit of that key may be refused for it, and so may they where nobody states it.
        if (ownLimit !== null && ownLimit < 2 * (burst.burst_limit + 1)) return;
        await tools.sleep(lateSeconds * 1000);
        await useOtherKey(tools, 2 + burst.burst_limit);
      }),
  },
  {
    id: "settings/after-another-key",
    title: "Keeps the burst limit of a key when the settings of another one are changed",
    covers: ["KEY-030"],
    needs: [...keySettingsNeeds, ...otherKeyNeeds],
    cost: { requests: { "key-settings": 4, models: mostRequests }, tokens: 0 },
    run: (tools) =>
      tools.restoring({ kind: "key", key: settingsKey }, async () =>
        tools.restoring({ kind: "key", key: otherKey }, async () => {
          const { manifest } = tools;
          await tools.send(lowerBurst(manifest, effectLabels.setBurst, burst));
          const intent = { kind: "housekeeping", purpose: "change the settings of another key", answers: ["2xx"] } as const;
          // The declared values and no other member: whatever is changed can be put back.
          const declared = manifest.restore.keys[otherKey];
          await tools.send(keyChange(manifest, effectLabels.setOther, declared, intent, manifest.keys[otherKey]?.id ?? ""));
          await exceedBurst(tools);
        }),
      ),
  },
  {
    id: "settings/keeps-other-members",
    title: "Keeps the burst limit when only the cooldown is changed",
    covers: ["KEY-014"],
    cost: { requests: { "key-settings": 3, models: mostRequests }, tokens: 0 },
    run: (tools) =>
      tools.restoring({ kind: "key", key: settingsKey }, async () => {
        await tools.send(lowerBurst(tools.manifest, effectLabels.setBurst, burst));
        const cooldown = { cooldown_seconds: burst.cooldown_seconds + 1 };
        await tools.send(lowerBurst(tools.manifest, effectLabels.setCooldown, cooldown));
        await exceedBurst(tools);
      }),
  },
]);
