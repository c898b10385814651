import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openLiveTarget } from "./live-target.ts";
import { runAssay, runFolder } from "./run-assay.ts";

const restore = { keys: { secondary: { burst_limit: 77, cooldown_seconds: 9, monthly_spend_cap: 4321 } } };

describe("settings that a crashed run left changed", () => {
  it("are put back by the next run, which says so", async () => {
    const { service, folder, env } = await openLiveTarget(["primary", "secondary", "admin"], {
      permissions: { patchSettings: true },
      restore,
    });
    try {
      const file = join(folder, "reports/.pending-restore-999999.json");
      mkdirSync(join(folder, "reports"));
      const pending = [{ subject: "key:secondary", baseUrl: service.manifest.target.baseUrl, settings: restore.keys.secondary }];
      writeFileSync(file, JSON.stringify(pending));
      const ended = await runAssay(["check", "--suite", "models"], { folder, env });
      expect(ended.exitCode).toBe(0);
      expect(existsSync(file)).toBe(false);
      const { settings } = service.engine.keys.byName("secondary") ?? {};
      expect(settings).toMatchObject({ burst_limit: 77, cooldown_seconds: 9, monthly_spend_cap: 4321 });
      expect(readFileSync(join(runFolder(folder), "result.json"), "utf8")).toContain(
        "settings that an earlier run had left changed were put back: key:secondary",
      );
    } finally {
      await service.close();
    }
  });

  it("stay pending, and are told, while the target cannot be reached for it", async () => {
    const { service, folder, env } = await openLiveTarget(["primary", "secondary"], {
      permissions: { patchSettings: true },
      restore,
    });
    try {
      const file = join(folder, "reports/.pending-restore-999999.json");
      mkdirSync(join(folder, "reports"));
      const pending = [{ subject: "key:secondary", baseUrl: service.manifest.target.baseUrl, settings: restore.keys.secondary }];
      writeFileSync(file, JSON.stringify(pending));
      const ended = await runAssay(["check", "--suite", "models", "--base-url", "http://127.0.0.1:9"], { folder, env });
      expect(ended.exitCode).toBe(3);
      expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(pending);
    } finally {
      await service.close();
    }
  });
});
