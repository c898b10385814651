import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRandom } from "../../src/core/random.ts";
import { describePlan, planLoad } from "../../src/load/plan/plan-load.ts";
import { loadProfile } from "../../src/load/plan/read-profile.ts";
import { plannedSend } from "../../src/load/profile/planned-send.ts";
import { readTrace } from "../../src/load/arrivals/read-trace.ts";
import { createWorkload } from "../../src/load/workload/workload.ts";
import { longestPromptBytes } from "../../src/load/workload/write-prompt.ts";
import { manifestFor } from "../make/load/load-target.ts";
import { shortProfile } from "../make/load/run-against.ts";

const manifest = manifestFor("http://127.0.0.1:1");

describe("readTrace", () => {
  it("reads the three formats to the same entries", () => {
    const jsonl = '\uFEFF{"at_ms":500,"prompt_tokens":7,"output_tokens":3}\n{"at_ms":2000,"output_tokens":null}\n';
    const mooncake = '{"timestamp":500,"input_length":7,"output_length":3}\n{"timestamp":2000}';
    const azure =
      "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.5000000,7,3\r\n2023-11-16 18:17:05.0000000,8,0\r\n";
    const entries = [
      { atMs: 0, promptTokens: 7, outputTokens: 3 },
      { atMs: 1500, promptTokens: null, outputTokens: null },
    ];
    expect(readTrace(jsonl, "jsonl")).toEqual(entries);
    expect(readTrace(mooncake, "mooncake")).toEqual(entries);
    expect(readTrace(azure, "azure")).toEqual([entries[0], { atMs: 1500, promptTokens: 8, outputTokens: 0 }]);
  });

  it("lists the lines that cannot be read", () => {
    expect(() => readTrace('{"at_ms":1}\nx\n{"at_ms":"2"}', "jsonl")).toThrow(/line 2 is no JSON object; line 3 has no number/);
    expect(() => readTrace("", "mooncake")).toThrow(/holds no request/);
    expect(() => readTrace("a,b\n", "azure")).toThrow(/must name the columns/);
    const wrong = '{"at_ms":1,"prompt_tokens":"abc"}\n{"at_ms":2,"output_tokens":-1}\n{"at_ms":3,"prompt_tokens":1.5}';
    expect(() => readTrace(wrong, "jsonl")).toThrow(
      'line 1: "prompt_tokens" is "abc", not a whole number; line 2: "output_tokens" is -1, not a whole number; line 3: "prompt_tokens" is 1.5, not a whole number',
    );
  });

  it("names line and column of every wrong cell, and takes an empty one for no number", () => {
    const cells =
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.97,abc,\nsoon,-5,3.5\n2023-11-16 18:17:03.97,374,44\n";
    expect(() => readTrace(cells, "azure")).toThrow(
      [
        'line 2, column 2 (ContextTokens) is "abc", not a whole number',
        "line 2, column 3 (GeneratedTokens) is empty",
        'line 3, column 1 (TIMESTAMP) is "soon", no instant',
        'line 3, column 2 (ContextTokens) is "-5", not a whole number',
        'line 3, column 3 (GeneratedTokens) is "3.5", not a whole number',
      ].join("; "),
    );
    expect(() => readTrace("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.97,7\n", "azure")).toThrow(
      "line 2, column 3 (GeneratedTokens) is empty",
    );
  });

  it("reads the blocks of a Mooncake trace, as many as the prompt is long", () => {
    const line = (ids: unknown, length = 600): string => JSON.stringify({ timestamp: 0, input_length: length, hash_ids: ids });
    expect(readTrace(line([4, 7]), "mooncake")[0]?.blocks).toEqual({ ids: ["4", "7"], tokens: 512 });
    expect(readTrace(line([4, 7, 9], 80), "mooncake", { blockTokens: 32 })[0]?.blocks).toEqual({
      ids: ["4", "7", "9"],
      tokens: 32,
    });
    expect(() => readTrace(line([4]), "mooncake")).toThrow('line 1: "hash_ids" holds 1 ids, 600 tokens are 2 blocks of 512');
    expect(() => readTrace(line("x"), "mooncake")).toThrow('line 1: "hash_ids" is no list of ids: whole numbers or texts');
    expect(() => readTrace('{"timestamp":0,"hash_ids":[1]}', "mooncake")).toThrow('"hash_ids" needs "input_length"');
  });
});

describe("a profile that replays a trace", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "assay-trace-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const load = (trace: string, arrivals: object, change: object = {}): ReturnType<typeof loadProfile> => {
    writeFileSync(join(folder, "trace.txt"), trace);
    const profile = {
      id: "t",
      title: "T",
      arrivals: { kind: "trace", file: "trace.txt", ...arrivals },
      workload: [{ endpoint: "chat" }],
      ...change,
    };
    writeFileSync(join(folder, "mine.json"), JSON.stringify(profile));
    return loadProfile(join(folder, "mine.json"));
  };
  const plan = ({ profile, trace }: ReturnType<typeof loadProfile>): ReturnType<typeof planLoad> =>
    planLoad({ profile, manifest, seed: 1, trace });
  const rows = Array.from({ length: 11 }, (_, index) => JSON.stringify({ at_ms: 10_000 * index })).join("\n");

  it("lasts as long as the trace does at its speed, whatever warm-up takes of it", () => {
    for (const change of [{}, { warmUpSeconds: 20 }, { warmUpSeconds: 0.5 }]) {
      const loaded = load(rows, { format: "jsonl" }, change);
      expect(plan(loaded).sends).toHaveLength(11);
      const seconds = loaded.profile.durationSeconds + loaded.profile.warmUpSeconds;
      expect([seconds > 100, seconds <= 102]).toEqual([true, true]);
      expect(plan(loaded).arrivals).not.toContain("left out");
    }
    expect(plan(load(rows, { format: "jsonl", speed: 0.1 })).sends).toHaveLength(11);
    expect(load(rows, { format: "jsonl", speed: 0.1 }).profile.durationSeconds).toBe(1001);
  });

  it("says how many rows a shorter duration leaves out", () => {
    const planned = plan(load(rows, { format: "jsonl" }, { durationSeconds: 30 }));
    expect(planned.sends).toHaveLength(3);
    expect(planned.arrivals).toBe("replay of trace.txt for 30 s; 8 of 11 rows fall due later and are left out");
    expect(describePlan(planned)[0]).toContain("8 of 11 rows");
  });

  it("names the file of a wrong line", () => {
    expect(() => load("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.97,abc,1\n", { format: "azure" })).toThrow(
      /trace\.txt: trace cannot be read: line 2, column 2/,
    );
  });

  it("plans the blocks of every prompt", () => {
    const trace = '{"timestamp":0,"input_length":100,"hash_ids":[0,1]}\n{"timestamp":9,"input_length":120,"hash_ids":[0,2]}\n';
    expect(() => load(trace, { format: "mooncake" })).toThrow(/2 ids, 100 tokens are 1 blocks of 512 \(blockTokens/);
    const planned = plan(load(trace, { format: "mooncake", blockTokens: 64 }));
    expect(planned.sends.map(({ promptTokens, blocks }) => [promptTokens, blocks?.ids])).toEqual([
      [100, ["0", "1"]],
      [120, ["0", "2"]],
    ]);
  });
});

describe("prompts of blocks", () => {
  const contentOf = (index: number, promptTokens: number, ids: readonly number[], seed = 1, sharedPrefixTokens = 0): string => {
    const { workload: items } = shortProfile({ workload: [{ endpoint: "chat", sharedPrefixTokens }] });
    const context = { manifest, keyName: "primary", random: createRandom(seed), wallMs: () => 0 };
    const workload = createWorkload(items, context);
    const planned = plannedSend(0, { promptTokens, blocks: { ids: ids.map(String), tokens: 512 } });
    return workload.request(index, planned).messages?.[0]?.content ?? "";
  };
  const sharedWords = (left: string, right: string): number => {
    const [a, b] = [left.split(" "), right.split(" ")];
    const first = a.findIndex((word, place) => word !== b[place]);
    return first === -1 ? a.length : first;
  };

  it("share exactly the blocks that their ids share, whichever sends they are", () => {
    const one = contentOf(3, 1500, [5, 6, 7]);
    expect(one.split(" ").length).toBeGreaterThan(1480);
    expect(contentOf(8, 1500, [5, 6, 7])).toBe(one);
    // Two different blocks may begin with the same word by chance.
    expect([1024, 1025, 1026]).toContain(sharedWords(one, contentOf(9, 1500, [5, 6, 8])));
    expect([512, 513, 514]).toContain(sharedWords(one, contentOf(9, 2000, [5, 9, 7, 4])));
    expect(sharedWords(one, contentOf(9, 1500, [1, 6, 7]))).toBeLessThan(3);
    // A shorter prompt of the same blocks is the beginning of the longer one.
    expect(one.startsWith(contentOf(1, 1100, [5, 6, 7]))).toBe(true);
  });

  it("follow from the seed", () => {
    expect(contentOf(1, 600, [1, 2], 1)).toBe(contentOf(1, 600, [1, 2], 1));
    expect(sharedWords(contentOf(1, 600, [1, 2], 1), contentOf(1, 600, [1, 2], 2))).toBeLessThan(3);
  });

  it("are no longer than the worst case of their length", () => {
    for (const tokens of [1, 7, 512, 513, 5000]) {
      const ids = Array.from({ length: Math.ceil(tokens / 512) }, (_, index) => index);
      expect(contentOf(1, tokens, ids).length).toBeLessThanOrEqual(longestPromptBytes(tokens, 0));
      expect(contentOf(1, tokens, ids, 1, 20).length).toBeLessThanOrEqual(longestPromptBytes(tokens, 20));
    }
  });
});
