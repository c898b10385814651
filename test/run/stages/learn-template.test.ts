import { describe, expect, it } from "vitest";
import { keep } from "../../make/keep.ts";
import { manifestFor, startTarget, streamWords } from "../../make/load/load-target.ts";
import { sendProfile, shortProfile } from "../../make/load/run-against.ts";
import type { LoadProfile } from "../../../src/load/profile/load-profile.ts";
import { planLoad } from "../../../src/load/plan/plan-load.ts";
import { learnTemplate } from "../../../src/run/stages/learn-template.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { createWire } from "../../../src/wire/client/wire.ts";

interface ChatBody {
  readonly messages: readonly { readonly content: string }[];
  readonly stream?: boolean;
}

/** A server that counts words, and what its template adds. */
async function learnFrom(
  count: (words: number) => object,
  item: object = {},
): Promise<{
  readonly profile: LoadProfile;
  readonly notes: readonly string[];
  readonly asked: number;
  readonly baseUrl: string;
}> {
  let asked = 0;
  const target = keep(
    await startTarget(({ body }, response) => {
      const { messages, stream } = body as ChatBody;
      const usage = count(messages[0]?.content.split(" ").length ?? 0);
      if (stream === true) return streamWords(response, 3, 1, 1);
      asked += 1;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ choices: [], usage }));
    }),
  );
  const manifest = manifestFor(target.baseUrl);
  const wire = createWire({ manifest, clock: createRealClock() });
  const notes: string[] = [];
  try {
    const given = shortProfile({ workload: [{ endpoint: "chat", promptTokens: 50, exactPrompts: true, ...item }] });
    const profile = await learnTemplate({
      profile: given,
      manifest,
      sender: wire,
      seed: 1,
      note: (text) => void notes.push(text),
    });
    return { profile, notes, asked, baseUrl: target.baseUrl };
  } finally {
    await wire.close();
  }
}

describe("what a template adds", () => {
  it("is learned from three requests, and prompts are so much shorter", async () => {
    const { profile, notes, asked, baseUrl } = await learnFrom((words) => ({ prompt_tokens: words + 13 }));
    expect([profile.workload[0], notes, asked]).toEqual([expect.objectContaining({ templateTokens: 13 }), [], 3]);
    const item = Object.assign({}, profile.workload[0], { stream: false });
    const result = await sendProfile({ ...profile, workload: [item] }, manifestFor(baseUrl));
    expect(result.lengths?.prompt).toEqual({ requests: 40, asked: 2000, counted: 2000, exact: 40 });
  });

  it("is not guessed where the target counts in another way, and the reason is noted", async () => {
    const odd = await learnFrom((words) => ({ prompt_tokens: Math.ceil(1.3 * words) }));
    expect(odd.profile.workload[0]).not.toHaveProperty("templateTokens");
    expect(odd.notes[0]).toContain("the target adds 8 or 29 tokens to prompts of 24, 96, 24 words");
    expect((await learnFrom(() => ({}))).notes[0]).toContain("no usage.prompt_tokens");
  });

  it("is asked of entries that want exact prompts of generated words, and nothing else", async () => {
    for (const item of [{ exactPrompts: false }, { prompts: ["hello"] }])
      expect((await learnFrom((words) => ({ prompt_tokens: words }), item)).asked).toBe(0);
  });

  it("is part of the worst case", () => {
    const manifest = manifestFor("http://127.0.0.1:1");
    const requests = (exactPrompts: boolean): number =>
      planLoad({ profile: shortProfile({ workload: [{ endpoint: "chat", exactPrompts }] }), manifest, seed: 1 }).worstCase
        .requests ?? 0;
    expect(requests(true) - requests(false)).toBe(6);
  });
});
