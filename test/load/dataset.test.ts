import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ProfileError } from "../../src/load/profile/profile-error.ts";
import { loadProfile } from "../../src/load/plan/read-profile.ts";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { manifestFor, startTarget } from "../make/load/load-target.ts";
import { sendProfile } from "../make/load/run-against.ts";

const service = await startReferenceService();
const folder = mkdtempSync(join(tmpdir(), "assay-dataset-"));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.close();
});

function profileWith(rows: string, item: object): ReturnType<typeof loadProfile> {
  writeFileSync(join(folder, "rows.jsonl"), rows);
  const profile = {
    id: "d",
    title: "D",
    arrivals: { kind: "constant", ratePerSecond: 20 },
    durationSeconds: 0.5,
    workload: [{ promptsFile: "rows.jsonl", ...item }],
  };
  writeFileSync(join(folder, "d.yaml"), JSON.stringify(profile));
  return loadProfile(join(folder, "d.yaml"));
}

describe("a dataset", () => {
  it.each([
    ["chat", { endpoint: "chat", stream: false }],
    ["embeddings", { endpoint: "embeddings", batch: 2 }],
  ])("of messages and prompts is answered by the reference service: %s", async (_, item) => {
    const rows = [
      {
        messages: [
          { role: "system", content: "be short" },
          { role: "user", content: "hi" },
        ],
        max_tokens: 3,
      },
      { prompt: "second" },
    ];
    const { profile } = profileWith(rows.map((row) => JSON.stringify(row)).join("\n"), item);
    const result = await sendProfile(profile, service.manifest);
    expect(result.outcomes).toEqual({ ok: 10 });
  });

  it("of long texts in few words cannot use more tokens than the budget holds", async () => {
    // The worst tokenizer of the kind: a token for each byte, and some around each message.
    let used = 0;
    const target = await startTarget(({ body }, response) => {
      const { messages } = body as { messages: { content: string }[] };
      const tokens = messages.reduce((sum, { content }) => sum + 8 + Buffer.byteLength(content), 0);
      used += tokens + 1;
      const usage = { prompt_tokens: tokens, completion_tokens: 1, total_tokens: tokens + 1 };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ choices: [], usage }));
    });
    const { profile } = profileWith(JSON.stringify("漢字".repeat(320)), { endpoint: "chat", stream: false, outputTokens: 1 });
    const manifest = manifestFor(target.baseUrl, { budget: { maxRequests: null, maxTokens: 4500, maxCostUsd: null } });
    const result = await sendProfile(profile, manifest);
    await target.close();
    expect(result.endedEarly).toContain("budget");
    expect(used).toBeGreaterThan(1900);
    expect(used).toBeLessThanOrEqual(4500);
  });

  it("with wrong lines is refused with their numbers and the file", () => {
    const problems = (): readonly string[] => {
      try {
        profileWith('"one"\n{"messages":[]}\n7', { endpoint: "chat" });
      } catch (error) {
        if (error instanceof ProfileError) return error.problems;
        throw error;
      }
      return [];
    };
    expect(problems()).toEqual([
      expect.stringMatching(/d\.yaml: rows\.jsonl: line 2 needs either/),
      expect.stringMatching(/d\.yaml: rows\.jsonl: line 3 is neither/),
    ]);
  });
});
