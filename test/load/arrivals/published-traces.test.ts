import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { planLoad } from "../../../src/load/plan/plan-load.ts";
import { loadProfile } from "../../../src/load/plan/read-profile.ts";
import { readTrace } from "../../../src/load/arrivals/read-trace.ts";
import { sendProfile } from "../../make/load/run-against.ts";
import { manifestFor, startTarget, streamWords } from "../../make/load/load-target.ts";
import { keep } from "../../make/keep.ts";

const lines = (...rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join("\n");

function load(
  trace: string,
  arrivals: object,
  workload: readonly object[] = [{ endpoint: "chat" }],
): ReturnType<typeof loadProfile> {
  const folder = mkdtempSync(join(tmpdir(), "assay-trace-"));
  writeFileSync(join(folder, "trace.txt"), trace);
  const profile = { id: "t", title: "T", arrivals: { kind: "trace", file: "trace.txt", ...arrivals }, workload };
  writeFileSync(join(folder, "p.json"), JSON.stringify(profile));
  return loadProfile(join(folder, "p.json"));
}

describe("a Mooncake trace", () => {
  it("keeps ids apart that are one number to a program, and takes texts as ids", () => {
    const row = '{"timestamp":0,"input_length":1000,"hash_ids":[13835058055282163712,13835058055282163713]}';
    expect(readTrace(row, "mooncake")[0]?.blocks?.ids).toEqual(["13835058055282163712", "13835058055282163713"]);
    const texts = lines({ timestamp: 0, input_length: 1000, hash_ids: ["9f86d081884c7d65", "00000000000000001"] });
    expect(readTrace(texts, "mooncake")[0]?.blocks?.ids).toEqual(["9f86d081884c7d65", "00000000000000001"]);
  });

  it.each([
    [{ timestamp: 0, input_length: 5, text_input: "x" }, '"text_input" and "input_length" each state the prompt'],
    [{ timestamp: 0, input_length: 5, priority: 3 }, '"priority" is not known'],
    [{ timestamp: 4.5, input_length: 5 }, "timeUnit: s or timeUnit: ms"],
    [{ input_length: 5 }, 'no "timestamp", so that nothing says when it is sent'],
    [{ timestamp: 0, input_length: 5, session_id: "s", delay: 5 }, '"delay" needs an earlier row'],
    [{ timestamp: 0, text_input: 7 }, '"text_input" is 7, no text'],
  ])("names the member that it cannot use: %j", (row, message) => {
    expect(() => readTrace(lines(row), "mooncake")).toThrow(message);
  });

  it("takes seconds where the profile says so", () => {
    const rows = lines({ timestamp: 0, input_length: 5 }, { timestamp: 4.5, input_length: 5 });
    expect(readTrace(rows, "mooncake", { timeUnit: "s" }).map(({ atMs }) => atMs)).toEqual([0, 4500]);
  });

  it("sends texts as they are and the turns of a session after each other, each with what was said before", async () => {
    const seen: { readonly messages: readonly string[]; readonly atMs: number }[] = [];
    const target = keep(
      await startTarget(({ body }, response) => {
        const { messages } = body as { readonly messages: readonly { readonly content: string }[] };
        seen.push({ messages: messages.map(({ content }) => content.slice(0, 12)), atMs: performance.now() });
        streamWords(response, 3, 5, 1);
      }),
    );
    const trace = lines(
      { timestamp: 0, text_input: "Name three rivers.", output_length: 3 },
      { timestamp: 10, text_input: "first turn", output_length: 3, session_id: "s1" },
      { timestamp: 20, text_input: "second turn", output_length: 3, session_id: "s1", delay: 80 },
    );
    const { profile, trace: entries } = load(trace, { format: "mooncake" });
    const result = await sendProfile(profile, manifestFor(target.baseUrl), { trace: entries });
    expect(result.conversations).toMatchObject({ planned: 1, completed: 1 });
    expect(result.counts).toMatchObject({ planned: 3, completed: 3 });
    expect(seen.map(({ messages }) => messages)).toEqual([
      ["Name three r"],
      ["first turn"],
      ["first turn", "word0 word1 ", "second turn"],
    ]);
    expect((seen[2]?.atMs ?? 0) - (seen[1]?.atMs ?? 0)).toBeGreaterThanOrEqual(80);
    // It is over with its last answer, and its rates are of that time.
    expect(result.durationMs).toBeLessThan(20_000);
  });

  it("plans the worst case of every turn", () => {
    const rows = [10, 4000].map((length, turn) => ({ timestamp: turn, input_length: length, output_length: 5, session_id: 1 }));
    const { profile, trace } = load(lines(...rows), { format: "mooncake" });
    const { worstCase, sends } = planLoad({ profile, manifest: manifestFor("http://127.0.0.1:1"), seed: 1, trace });
    expect([sends.length, sends[0]?.turns, sends[0]?.later?.[0]?.promptTokens]).toEqual([1, 2, 4000]);
    expect(worstCase.tokens).toBeGreaterThan(2 * 4010);
  });
});

describe("tables", () => {
  const azure =
    "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-12 00:00:00.001163+00:00,2162,0\n2024-05-12 00:00:00+00:00,0,6\n";
  const burst = [
    "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type",
    "5,ChatGPT,472,18,490,Conversation log",
    "7,GPT-4,417,276,693,API log",
  ].join("\n");

  it("says what becomes of lengths of 0 tokens", () => {
    const { profile } = load(azure, { format: "azure" });
    expect(profile.arrivals).toMatchObject({ rows: { total: 2, raised: 2 } });
  });

  it("reads BurstGPT and sends its models to the entries of that label", () => {
    expect(readTrace(burst, "burstgpt").map(({ atMs, promptTokens, label }) => [atMs, promptTokens, label])).toEqual([
      [0, 472, "chatgpt"],
      [2000, 417, "gpt-4"],
    ]);
    const entries = ["chatgpt", "gpt-4"].map((label) => ({ endpoint: "chat", label, model: label }));
    expect(load(burst, { format: "burstgpt" }, entries).profile.arrivals).not.toHaveProperty("rows.merged");
    expect(load(burst, { format: "burstgpt" }).profile.arrivals).toMatchObject({ rows: { merged: ["chatgpt", "gpt-4"] } });
    expect(() => load(burst, { format: "burstgpt" }, entries.slice(0, 1))).toThrow("has the label gpt-4");
  });

  it.each([
    ["azure", burst, "say format: burstgpt"],
    ["azure", "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n2025-05-01 00:00:00,1,5,5\n", "line 2: NumImages is 1"],
    ["azure", "TIMESTAMP,ContextTokens,GeneratedTokens,Priority\n2025-05-01 00:00:00,5,5,5\n", '"Priority" is not known'],
    ["burstgpt", burst.replace("490", "491"), "Total tokens is 491"],
    ["burstgpt", burst.replace("Log Type", "Session ID"), '"Session ID" cannot be replayed'],
  ] as const)("refuses by name: %s %#", (format, text, message) => {
    expect(() => readTrace(text, format)).toThrow(message);
  });

  it.each([
    ["jsonl", `{"at_ms":1,"${"q".repeat(5000)}":1}`],
    ["mooncake", `{"timestamp":1,"input_length":9,"output_length":4,"${"q".repeat(5000)}":1}`],
    ["azure", `TIMESTAMP,ContextTokens,GeneratedTokens\n${"q".repeat(5000)},5,5\n`],
    ["azure", `TIMESTAMP,ContextTokens,GeneratedTokens,${"q".repeat(5000)}\n2025-05-01 00:00:00,5,5,5\n`],
    ["burstgpt", burst.replace("418", "q".repeat(5000)).replace("ChatGPT", "q".repeat(5000)).replace("472", "q".repeat(5000))],
  ] as const)("cuts long names and values in its refusal: %s %#", (format, text) => {
    const messageOf = (): string => {
      try {
        readTrace(text, format);
      } catch (error) {
        return (error as Error).message;
      }
      return "it was read";
    };
    expect(messageOf()).toMatch(/^trace cannot be read: .*q{60}/);
    expect(messageOf()).not.toMatch(/q{81}/);
  });
});
