import type { Manifest } from "../../src/core/manifest.ts";
import type { LoadProfileResult } from "../../src/core/result/load-result.ts";
import { loadProfile } from "../../src/load/plan/read-profile.ts";
import { planLoad } from "../../src/load/plan/plan-load.ts";
import { runLoadProfile } from "../../src/load/run-load-profile.ts";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { allSwitches } from "../../src/reference/switches/all-switches.ts";
import type { Switch } from "../../src/reference/switches/switch.ts";
import { withSpendRoom } from "../../src/run/traffic/spend-room.ts";
import { watchProfile } from "../../src/run/traffic/watch-profile.ts";
import { createMemoryJournal } from "../../src/settings/settings-journal.ts";
import { ControlClock } from "../../src/wire/clock/control-clock.ts";
import { createWire } from "../../src/wire/client/wire.ts";

/**
 * Which load profile about limits catches which defect of the reference service's limiters, and that lawful variants stay green:
 * the table of docs/measurements/limits-under-load.md. Real sockets, the clock of the service moved by hand. Arguments: profiles by comma, then ids where
 * not all are wanted; `cooldown@20` gives the key that it drives another cooldown.
 */
const [names = "burst,window-edges,ratelimit-headers,cooldown,spend-cap", ...wanted] = process.argv.slice(2);
const profiles = names.split(",");

interface Said {
  /** Gates that failed, and the checks behind them. */
  readonly failed: readonly string[];
  readonly result: LoadProfileResult;
}

async function drive(name: string, ids: readonly string[]): Promise<Said> {
  const service = await startReferenceService({ clock: "real", mutants: ids });
  try {
    const { control } = service.manifest;
    if (control === null) throw new Error("the reference service lends no clock");
    const clock = new ControlClock(control);
    const [profileName = "", seconds] = name.split("@");
    const { profile } = loadProfile(profileName);
    const declared: Manifest = { ...service.manifest, limits: { ...service.manifest.limits, requestsPerMinute: 600 } };
    const manifest = seconds === undefined ? declared : await setCooldown(declared, Number(seconds));
    const watch = watchProfile(profile, manifest, false);
    const wire = createWire({ manifest, clock });
    const { onExchange, finish: watched } = watch;
    const load = { profile, manifest, sender: wire, clock, virtualTime: true, seed: 3, onExchange, watched };
    const run = (): Promise<LoadProfileResult> => runLoadProfile(load);
    const plan = planLoad({ profile, manifest, seed: 3 });
    const journal = createMemoryJournal();
    const { signal } = new AbortController();
    const room = { ...load, plan, journal, signal, onProgress: () => undefined };
    const result = profile.limitScenario === "spend-cap" ? await withSpendRoom(room, run) : await run();
    await wire.close();
    if (process.env["SHOW"] !== undefined) for (const finding of watch.finish().findings) console.error(finding.message);
    const checks = [...new Set(watch.finish().findings.map(({ check }) => check ?? ""))];
    const gates = result.gates.filter(({ id, verdict }) => verdict === "fail" && !id.startsWith("limits.")).map(({ id }) => id);
    return { failed: [...checks, ...gates], result };
  } finally {
    await service.close();
  }
}

/** Settings of the key `reject` as the owner of a target would have them. */
async function setCooldown(manifest: Manifest, cooldown_seconds: number): Promise<Manifest> {
  const settings = { burst_limit: 8, cooldown_seconds };
  const key = manifest.keys["reject"];
  const response = await fetch(`${manifest.target.baseUrl}/v1/keys/${key?.id ?? ""}`, {
    method: "PATCH",
    headers: {
      authorization: `Bearer ${manifest.keys["admin"]?.secret ?? key?.secret ?? ""}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(settings),
  });
  if (!response.ok) throw new Error(`PATCH answered ${response.status}: ${await response.text()}`);
  const { keys, account } = manifest.restore;
  return { ...manifest, restore: { account, keys: { ...keys, reject: { ...keys["reject"], ...settings } } } };
}

const areas: ReadonlySet<string> = new Set(["limits", "burst", "spend", "tokens"]);
const switches: readonly (Switch | null)[] = [
  null,
  ...allSwitches.filter(({ id, area }) => areas.has(area) && (wanted.length === 0 || wanted.includes(id))),
];
console.log(`| switch | kind | ${profiles.join(" | ")} |`);
console.log(`|---|---|${profiles.map(() => "---").join("|")}|`);
for (const one of switches) {
  const cells: string[] = [];
  for (const profile of profiles) {
    const { failed, result } = await drive(profile, one === null ? [] : [one.id]);
    cells.push(failed.join(", "));
    if (process.env["SHOW"] !== undefined)
      console.error(
        one?.id,
        profile,
        JSON.stringify(result.outcomes),
        JSON.stringify(result.gates.map((gate) => [gate.expression, gate.verdict, gate.observed])),
      );
  }
  console.log(`| ${one?.id ?? "correct service"} | ${one?.kind ?? ""} | ${cells.join(" | ")} |`);
}
