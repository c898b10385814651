import { describe, expect, it } from "vitest";
import { isWhole } from "../make/runner/sample.ts";
import { declared, journalFiles, openChangeableTarget, settingsOf, signalAtChange } from "./changed-settings.ts";
import { openSettingsProxy } from "./settings-proxy.ts";
import { hasFiles, readResult, spawnAssay } from "./run-assay.ts";

const files = ["result.json", "report.html", "junit.xml", "evidence.ndjson", "run.json"];

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
    const { live, ended } = await signalAtChange(args, key, signal);
    const { exitCode, stdout, folder } = ended;
    expect(exitCode).toBe(code);
    expect(stdout).toContain(`INTERRUPTED  exit ${code}`);
    expect(hasFiles(folder, files)).toEqual(files);
    expect(readResult(folder)).toMatchObject({ verdict: "interrupted", interrupted: true });
    expect(settingsOf(live, key)).toMatchObject(args[0] === "limits" ? { burst_limit: 77, cooldown_seconds: 9 } : declared);
    expect(journalFiles(live)).toEqual([]);
  });
});

describe("a second signal", () => {
  it("leaves at once, although the target holds the request that puts settings back; the journal stays for the next run", async () => {
    let kill: (signal: NodeJS.Signals) => void = () => undefined;
    let secondMs = Number.POSITIVE_INFINITY;
    const answer = (_: unknown, before: number): "hold" | null => {
      if (before === 0) return null;
      // The restore: the run is waiting for this answer when the second signal comes, later than one that a parent passes on.
      setTimeout(() => {
        secondMs = performance.now();
        kill("SIGINT");
      }, 500);
      return "hold";
    };
    const first = (): void => kill("SIGINT");
    const live = await openChangeableTarget(["examBurst"], (serviceUrl) => openSettingsProxy(serviceUrl, answer, first));
    const { folder, env } = live;
    const { exitCode, stdout } = await spawnAssay(["limits"], {
      folder,
      env,
      onStart: (send) => {
        kill = send;
      },
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
    // The target holds its answer for good: without the signal the run would wait for its time-out.
    expect(performance.now() - secondMs).toBeLessThan(20_000);
    expect(journalFiles(live)).toHaveLength(1);
  });
});
