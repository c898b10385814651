import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPrompts, rowOf } from "../../../src/load/workload/read-prompts.ts";
import { ProfileError } from "../../../src/load/profile/profile-error.ts";
import { chooseProfiles } from "../../../src/command/choose-profiles.ts";
import { builtInProfiles, loadProfile, readProfile } from "../../../src/load/plan/read-profile.ts";
import { sendingSeconds } from "../../../src/load/plan/sending-seconds.ts";
import { mostProbes } from "../../../src/load/profile/probe-policy.ts";

const least = { id: "x", title: "X", arrivals: { kind: "poisson", ratePerSecond: 1 }, workload: [{ endpoint: "chat" }] };
const read = (change: object): ReturnType<typeof readProfile> => readProfile(JSON.stringify({ ...least, ...change }), "x.yaml");
const problemsOf = (change: object): readonly string[] => {
  try {
    read(change);
  } catch (error) {
    if (error instanceof ProfileError) return error.problems;
    throw error;
  }
  return [];
};

describe("the probe of a profile", () => {
  it.each([
    { durationSeconds: 3600 },
    { arrivals: { kind: "capacity-search", of: "concurrency" }, gates: ["ttft.p95 < 800ms"] },
    { arrivals: { kind: "steps", steps: [{ ratePerSecond: 1, seconds: 7200 }] } },
  ])("asks at most a thousand times, until the end of %j", (change) => {
    const profile = read({ probe: {}, ...change });
    expect(profile.probe!.everySeconds).toBeGreaterThan(2);
    expect(profile.probe!.everySeconds).toBeGreaterThanOrEqual(sendingSeconds(profile) / mostProbes);
  });

  it("asks every two seconds of a short one", () => {
    expect(read({ probe: {} }).probe).toMatchObject({ everySeconds: 2 });
  });

  it("asks until the end of a profile to which a flag adds it", () => {
    const [soak] = chooseProfiles({ profile: ["soak"], probe: true });
    expect(soak!.profile.probe!.everySeconds).toBeGreaterThanOrEqual(3.6);
  });
});

describe("built-in profiles", () => {
  it("holds the profiles that the documentation names", () => {
    expect(builtInProfiles()).toEqual(
      [
        "burst",
        "cooldown",
        "latency",
        "mixed",
        "ratelimit-headers",
        "saturation",
        "smoke",
        "soak",
        "spend-cap",
        "spike",
        "sweep",
        "window-edges",
      ].sort(),
    );
  });

  it.each(builtInProfiles())("%s is valid and is named as its file", (id) => {
    expect(loadProfile(id).profile.id).toBe(id);
  });
});

describe("readProfile", () => {
  it("fills in every default", () => {
    const profile = read({});
    expect(profile).toMatchObject({ durationSeconds: 30, warmUpSeconds: 0, key: "load", engine: "assay" });
    expect(profile.workload[0]).toMatchObject({ label: "chat stream", weight: 1, outputTokens: { kind: "fixed", value: 32 } });
  });

  it("names the kinds where the kind is missing", () => {
    expect(problemsOf({ arrivals: { ratePerSecond: 1 } }).join("\n")).toContain(
      "kind is missing (expected one of constant, poisson, gamma",
    );
  });

  it("reports every problem at once, wrong gates included", () => {
    const problems = problemsOf({
      durationSeconds: -1,
      warmup: 3,
      arrivals: { kind: "poisson", ratePerSecond: "5" },
      gates: ["ttft < 800ms", "p95(ttft) < 1"],
    });
    expect(problems.join("\n")).toMatch(/durationSeconds.*\n?/);
    expect(problems.join("\n")).toContain("warmup: unknown member");
    expect(problems.join("\n")).toContain("arrivals.ratePerSecond");
    expect(problems.join("\n")).toContain("ttft needs a statistic");
    expect(problems.length).toBeGreaterThanOrEqual(5);
  });

  it("names the line, what is allowed and what was meant", () => {
    const text = [
      "id: x",
      "title: X",
      "duration: 30",
      "arrivals:",
      "  kind: poison",
      "workload:",
      "  - endpoint: chat",
      "    promptTokens: { kind: fixed }",
      "workers: lots",
      "gates:",
      "  - ttft.p95 < 800ms",
      "  - ttft.p95 < 800",
    ].join("\n");
    let problems: readonly string[] = [];
    try {
      readProfile(text, "x.yaml");
    } catch (error) {
      problems = (error as ProfileError).problems;
    }
    expect(problems).toEqual([
      expect.stringMatching(/^x\.yaml:3: duration: unknown member \(expected one of .*id, .*; did you mean durationSeconds\?\)$/),
      expect.stringMatching(/^x\.yaml:5: arrivals\.kind: "poison" is not allowed .*did you mean poisson\?\)$/),
      expect.stringMatching(/^x\.yaml:8: workload\.0\.promptTokens: value is missing/),
      expect.stringMatching(/^x\.yaml:9: workers: "lots" is not allowed \(expected worker threads/),
      expect.stringMatching(/^x\.yaml:12: gates\.1: .*the bound needs a unit/),
    ]);
  });

  it("refuses members of another kind of arrivals", () => {
    expect(problemsOf({ arrivals: { kind: "constant", ratePerSecond: 1, shape: 2 } })).toEqual([
      "x.yaml:1: arrivals.shape: unknown member (expected one of kind, ratePerSecond)",
    ]);
  });

  it("takes a profile about the spend cap by its word only, and asks for what that needs", () => {
    expect(problemsOf({ limitScenario: "spend-cap" })).toEqual([
      "x.yaml:1: limitScenario: spend-cap needs patchSettings, exhaustLimits, spend below needs",
      "x.yaml:1: limitScenario: spend-cap buys one item of images, so that every request costs the same",
    ]);
    expect(loadProfile("spend-cap").profile.limitScenario).toBe("spend-cap");
    expect(loadProfile("smoke").profile.limitScenario).toBeNull();
  });

  it("refuses what contradicts itself", () => {
    expect(problemsOf({ arrivals: { kind: "sweep", ratesPerSecond: [4, 2], secondsPerRate: 1 } })).toHaveLength(2);
    expect(problemsOf({ engine: "autocannon" })).toHaveLength(1);
    expect(
      problemsOf({ arrivals: { kind: "bisect", lowPerSecond: 3, highPerSecond: 2, secondsPerProbe: 1 }, slo: { ttftMs: 1 } }),
    ).toEqual(["x.yaml:1: arrivals.lowPerSecond: must be below highPerSecond"]);
    const bursts = (...ats: readonly number[]): readonly string[] =>
      problemsOf({ arrivals: { kind: "bursts", bursts: ats.map((at) => ({ at, size: 1 })) } });
    expect(bursts(0, 3, 3)).toEqual([]);
    expect(bursts(3, 2)).toEqual(["x.yaml:1: arrivals.bursts: the instants of the bursts (at) must rise"]);
  });

  it("refuses gates on figures that its workload cannot give, and says what to do", () => {
    const chat = { workload: [{ endpoint: "chat" }] };
    const models = { workload: [{ endpoint: "models" }] };
    const reported = (change: object, gate: string): string => problemsOf({ ...change, gates: [gate] }).join();
    expect(reported(chat, "images.user_latency.p50 < 1s")).toContain(
      "the workload holds no images, only chat; add it or name another",
    );
    for (const gate of ["ttft.p50 < 1s", "models.tpot.p50 < 1s", "observations.buffered == 0", "tokens_per_second.p50 > 1"]) {
      expect(reported(models, gate)).toContain("only streamed chat gives this figure");
    }
    expect(reported({ workload: [{ endpoint: "chat", stream: false }] }, "ttft.p50 < 1s")).toContain("only streamed chat");
    expect(reported(models, "output_tokens_rate > 1")).toContain("only chat gives output tokens");
    expect(reported(chat, "retries == 0")).toContain("sends nothing twice");
    const possible = ["chat.ttft.p50 < 1s", "observations.buffered == 0", "retries < 9", "output_tokens_rate > 1"];
    expect(problemsOf({ ...chat, retry: { max: 1 }, gates: possible })).toEqual([]);
    expect(reported(models, "observations.closes-connections == 0")).toBe("");
  });

  it("reads prompts from JSON lines and names the wrong ones", () => {
    const said = [
      { role: "system", content: "be short" },
      { role: "user", content: "three" },
    ];
    const text = ['"one"', '{"prompt":"two","id":3}', JSON.stringify({ messages: said, max_tokens: 7 }), ""].join("\n");
    expect(readPrompts(text)).toEqual({ rows: [rowOf("one"), rowOf("two"), { messages: said, maxTokens: 7 }], problems: [] });
    const wrong = [
      '"one"',
      "5",
      '{"text":"x"}',
      "{",
      '{"prompt":"x","max_tokens":0}',
      '{"messages":[{"role":"tool","content":"x"}]}',
      '{"prompt":"x","messages":[]}',
    ];
    expect(readPrompts(wrong.join("\n")).problems).toEqual([
      expect.stringMatching(/^line 2 is neither/),
      expect.stringMatching(/^line 3 needs either/),
      "line 4 is no JSON",
      expect.stringMatching(/^line 5 has a "max_tokens"/),
      expect.stringMatching(/^line 6 needs either/),
      expect.stringMatching(/^line 7 needs either/),
    ]);
    expect(readPrompts("\n").problems).toEqual(["it holds no prompt"]);
  });

  it("finds the files of a profile beside it", () => {
    const folder = mkdtempSync(join(tmpdir(), "assay-profile-"));
    writeFileSync(join(folder, "prompts.jsonl"), '"hello"\n');
    writeFileSync(join(folder, "trace.jsonl"), '{"at_ms":5}\n{"at_ms":9}\n');
    const arrivals = { kind: "trace", file: "trace.jsonl", format: "jsonl" };
    const file = join(folder, "mine.yaml");
    writeFileSync(file, JSON.stringify({ ...least, arrivals, workload: [{ endpoint: "chat", promptsFile: "prompts.jsonl" }] }));
    const { profile, trace } = loadProfile(file);
    expect(profile.workload[0]).toMatchObject({ prompts: [rowOf("hello")] });
    expect(trace?.map(({ atMs }) => atMs)).toEqual([0, 4]);
    rmSync(folder, { recursive: true });
    expect(() => loadProfile(file)).toThrow(/cannot be read/);
  });

  it("names an unknown profile and what is known", () => {
    expect(() => loadProfile("smok")).toThrow(/no profile named "smok"; did you mean smoke\? known are burst/);
  });
});
