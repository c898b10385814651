import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../src/core/manifest.ts";
import { watchBursts } from "../../../src/limits/traffic/watch-bursts.ts";
import { manifestFor } from "../../make/load/load-target.ts";

const manifest = (settings: object): Manifest =>
  manifestFor("http://127.0.0.1:9", { restore: { keys: { primary: settings }, account: null } });

describe("watchBursts", () => {
  it("needs to know allowance and cooldown", () => {
    expect(watchBursts(manifest({}), "primary")).toBeNull();
    expect(watchBursts(manifest({ burst_limit: 5 }), "primary")).toBeNull();
    expect(watchBursts(manifest({ burst_limit: null, cooldown_seconds: 5 }), "primary")).toBeNull();
    expect(watchBursts(manifest({ burst_limit: 5, cooldown_seconds: 5 }), "another")).toBeNull();
    expect(watchBursts(manifest({ burst_limit: 5, cooldown_seconds: 5 }), "primary")?.finish()).toBeNull();
  });
});
