import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type LiveTarget, openLiveTarget } from "./live-target.ts";
import { isWhole } from "../make/sample.ts";
import { openSettingsProxy } from "./settings-proxy.ts";
import { type Ended, hasFiles, readResult, spawnAssay } from "./run-assay.ts";

const declared = { burst_limit: 77, cooldown_seconds: 9, monthly_spend_cap: 4321 };
const files = ["result.json", "report.html", "junit.xml", "evidence.ndjson", "run.json"];

let live: LiveTarget;

/** Runs until the settings of the key are changed, then sends the signal. */
async function interruptAtChange(args: readonly string[], key: string, signal: NodeJS.Signals): Promise<Ended> {
  live = await openLiveTarget(["primary", "admin", key], {
    permissions: { patchSettings: true, exhaustLimits: true },
    propagationSeconds: 1,
    restore: { keys: { [key]: declared } },
  });
  const before = settingsOf(key);
  let timer: NodeJS.Timeout | undefined;
  const ended = await spawnAssay(args, {
    folder: live.folder,
    env: live.env,
    onStart: (kill) => {
      timer = setInterval(() => {
        if (settingsOf(key) === before) return;
        clearInterval(timer);
        setTimeout(() => kill(signal), 50);
      }, 1);
    },
  });
  clearInterval(timer);
  return ended;
}

function settingsOf(key: string): string {
  return JSON.stringify(live.service.engine.keys.byName(key)?.settings);
}

function journalFiles(): readonly string[] {
  return readdirSync(join(live.folder, "reports")).filter((name) => name.startsWith(".pending-restore-"));
}

describe("a signal while settings of the target are changed", () => {
  const [check, limits] = [["check", "--suite", "settings"], ["limits"]];
  // Each signal and each command; all pairs in `npm run test:all`.
  it.each([
    ["SIGINT", 130, check, "examSettings"],
    ["SIGTERM", 143, limits, "examBurst"],
    ...(isWhole
      ? ([
          ["SIGTERM", 143, check, "examSettings"],
          ["SIGINT", 130, limits, "examBurst"],
        ] as const)
      : []),
  ] as const)("%s: ends with %i, settings put back and the reports written (%j)", async (signal, code, args, key) => {
    const { exitCode, stdout, folder } = await interruptAtChange(args, key, signal);
    expect(exitCode).toBe(code);
    expect(stdout).toContain(`INTERRUPTED  exit ${code}`);
    expect(hasFiles(folder, files)).toEqual(files);
    expect(readResult(folder)).toMatchObject({ verdict: "interrupted", interrupted: true });
    expect(JSON.parse(settingsOf(key))).toMatchObject(args[0] === "limits" ? { burst_limit: 77, cooldown_seconds: 9 } : declared);
    expect(journalFiles()).toEqual([]);
  });
});

describe("a second signal", () => {
  it("leaves at once, although the target holds the request that puts settings back; the journal stays for the next run", async () => {
    let kill: (signal: NodeJS.Signals) => void = () => undefined;
    let secondMs = Number.POSITIVE_INFINITY;
    const answer = (_: unknown, before: number): "hold" | null => {
      if (before === 0) {
        setTimeout(() => kill("SIGINT"), 50);
        return null;
      }
      // The restore: the run is waiting for this answer when the second signal comes.
      setTimeout(() => {
        secondMs = performance.now();
        kill("SIGINT");
      }, 150);
      return "hold";
    };
    const permissions = { patchSettings: true, exhaustLimits: true };
    const changes = { permissions, propagationSeconds: 1, restore: { keys: { examBurst: declared } } };
    live = await openLiveTarget(["primary", "admin", "examBurst"], changes, (serviceUrl) =>
      openSettingsProxy(serviceUrl, answer),
    );
    const { folder, env } = live;
    const { exitCode, stdout } = await spawnAssay(["limits"], {
      folder,
      env,
      onStart: (send) => {
        kill = send;
      },
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
    expect(performance.now() - secondMs).toBeLessThan(5000);
    expect(journalFiles()).toHaveLength(1);
  });
});
