import { describe, expect, it } from "vitest";
import { runAssay } from "./run-assay.ts";

const target = ["--base-url", "http://127.0.0.1:1"];

describe("the flags of agents", () => {
  it.each([
    [["load", "--agents", "2", ...target], "--agents and --redis belong together"],
    [["load", "--agents", "2", "--redis", "redis://127.0.0.1:1"], "agents need a target that they can reach"],
    [["load", "--agents", "2", "--workers", "2", "--redis", "redis://127.0.0.1:1", ...target], "give one of them"],
    [["load", "--agents", "2", "--redis", "http://127.0.0.1:1", ...target], "expected redis:// or rediss://"],
    [
      ["load", "--agents", "2", "--redis", "redis://user:geheim@127.0.0.1:1", ...target],
      "redis://127.0.0.1:1: connect ECONNREFUSED",
    ],
    [["agent", "--redis", "redis://127.0.0.1:1"], "no target is given"],
    [["doctor", "--profile", "smoke", ...target], "--profile"],
  ])("%j ends in 2 and says what to do", async (args, message) => {
    const { exitCode, stderr, stdout } = await runAssay(args, { env: { ASSAY_API_KEY: "sk_test_usage_of_agents" } });
    expect(stderr).toContain(message);
    expect(stderr + stdout).not.toContain("geheim");
    expect(exitCode).toBe(2);
  });
});
