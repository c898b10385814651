import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { flagProfile, type FlagLoad } from "../../../src/load/plan/flag-profile.ts";
import { loadProfile } from "../../../src/load/plan/read-profile.ts";

const five: FlagLoad = {
  arrivals: { kind: "poisson", ratePerSecond: 5 },
  durationSeconds: 60,
  warmUpSeconds: 0,
  promptTokens: 256,
  outputTokens: 64,
  gates: ["ttft.p95 < 800ms"],
};

function written(name: string, text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "assay-profile-")), name);
  writeFileSync(path, text);
  return path;
}

const digestOf = (load: FlagLoad): string | undefined => flagProfile(load).loaded.profile.content?.digest;

describe("a profile made of flags", () => {
  it("is the same profile when it is read from the file that it prints", () => {
    const { text, loaded } = flagProfile(five);
    expect(loadProfile(written("mine.yaml", text))).toEqual(loaded);
    expect(loaded.profile).toMatchObject({ durationSeconds: 60, gates: [{ expression: "ttft.p95 < 800ms" }] });
  });

  it("has a name that follows from the load and not from its gates", () => {
    const id = (change: Partial<FlagLoad>): string => flagProfile({ ...five, ...change }).loaded.profile.id;
    expect(id({})).toMatch(/^flags-[0-9a-f]{8}$/);
    expect(id({ gates: [] })).toBe(id({}));
    for (const change of [
      { durationSeconds: 61 },
      { warmUpSeconds: 1 },
      { promptTokens: 257 },
      { outputTokens: 65 },
      { arrivals: { kind: "closed", concurrency: 5 } },
    ] satisfies Partial<FlagLoad>[])
      expect(id(change)).not.toBe(id({}));
  });
});

describe("the audit for a cache of responses", () => {
  it("is part of the file that is printed, and not of what identifies the load", () => {
    const { text, loaded } = flagProfile({ ...five, cacheAudit: true });
    expect(loaded.profile.cacheAudit).toBe(true);
    expect(text).toContain("cacheAudit: true");
    expect(loadProfile(written("audit.yaml", text))).toEqual(loaded);
    expect(loaded.profile.id).toBe(flagProfile(five).loaded.profile.id);
    expect(flagProfile(five).text).not.toContain("cacheAudit");
  });
});

describe("the content of a profile", () => {
  const file = (change: object): string => {
    const profile = { id: "a", title: "A", arrivals: { kind: "poisson", ratePerSecond: 5 }, workload: [{ endpoint: "chat" }] };
    return written("p.yaml", JSON.stringify({ ...profile, ...change }));
  };
  const content = (change: object): string | undefined => loadProfile(file(change)).profile.content?.digest;

  it("is the same under another name, with defaults written out, and in another order of members", () => {
    expect(content({ id: "b", title: "B", gates: ["errors == 0"], workers: 2 })).toBe(content({}));
    expect(content({ durationSeconds: 30, workload: [{ promptTokens: 64, endpoint: "chat" }] })).toBe(content({}));
    expect(content({ timeoutSeconds: 61 })).not.toBe(content({}));
    expect(content({ slo: { ttftMs: 5 } })).not.toBe(content({}));
  });

  it("follows what a trace and a dataset hold, whatever their files are called", () => {
    const folder = mkdtempSync(join(tmpdir(), "assay-profile-"));
    const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);
    put("a.jsonl", '{"at_ms": 0, "prompt_tokens": 5}\n');
    put("b.jsonl", '{"at_ms": 0, "prompt_tokens": 5}\n\n');
    put("c.jsonl", '{"at_ms": 0, "prompt_tokens": 6}\n');
    const digest = (trace: string, prompts: string): string | undefined => {
      const arrivals = { kind: "trace", file: trace, format: "jsonl" };
      put("p.json", JSON.stringify({ id: "a", title: "A", arrivals, workload: [{ endpoint: "chat", promptsFile: prompts }] }));
      return loadProfile(join(folder, "p.json")).profile.content?.digest;
    };
    put("one.jsonl", '"hello"\n');
    put("same.jsonl", '{"prompt": "hello"}\n');
    put("other.jsonl", '"goodbye"\n');
    expect(digest("b.jsonl", "same.jsonl")).toBe(digest("a.jsonl", "one.jsonl"));
    expect(digest("c.jsonl", "one.jsonl")).not.toBe(digest("a.jsonl", "one.jsonl"));
    expect(digest("a.jsonl", "other.jsonl")).not.toBe(digest("a.jsonl", "one.jsonl"));
  });

  it("is sixteen digits", () => expect(digestOf(five)).toMatch(/^[0-9a-f]{16}$/));
});
