import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import { planLoad } from "../../../src/load/plan/plan-load.ts";
import { readProfile } from "../../../src/load/plan/read-profile.ts";
import { plannedSend } from "../../../src/load/profile/planned-send.ts";
import { readPrompts, type PromptsUse } from "../../../src/load/workload/read-prompts.ts";
import { createWorkload } from "../../../src/load/workload/workload.ts";
import { manifestFor } from "../../make/load/load-target.ts";
import { shortProfile } from "../../make/load/run-against.ts";

const chat: PromptsUse = { endpoint: "chat", stream: true, isConversation: false };
const manifest = manifestFor("http://127.0.0.1:1");

describe("ShareGPT", () => {
  const conversation = {
    id: "q1",
    conversations: [
      { from: "human", value: "one" },
      { from: "gpt", value: "two" },
      { from: "human", value: "three" },
      { from: "gpt", value: "four" },
    ],
  };

  it("gives a row for each turn of a person, after all that was said before it", () => {
    const expected = [["user:one"], ["user:one", "assistant:two", "user:three"]];
    for (const text of [JSON.stringify([conversation], null, 1), JSON.stringify(conversation)]) {
      const { rows, problems } = readPrompts(text, chat);
      expect(problems).toEqual([]);
      expect(rows.map(({ messages }) => messages.map(({ role, content }) => `${role}:${content}`))).toEqual(expected);
    }
  });

  it("is refused where it would be sent wrongly", () => {
    const odd = { conversations: [{ from: "tool", value: "x" }] };
    expect(readPrompts(JSON.stringify(odd), chat).problems[0]).toContain('line 1 has a turn in "conversations" without "from"');
    expect(readPrompts(JSON.stringify(conversation), { ...chat, isConversation: true }).problems[0]).toContain(
      "a history of their own",
    );
  });
});

describe("a batch of OpenAI", () => {
  const line = (body: object, rest: object = {}): string =>
    JSON.stringify({ custom_id: "r1", method: "POST", url: "/v1/chat/completions", body, ...rest });
  const messages = [{ role: "user", content: "Hello" }];

  it("sends every member of the body that it knows", () => {
    const body = { model: "m-9", messages, max_completion_tokens: 7, temperature: 0.2, n: 3, metadata: { a: 1 } };
    const { rows } = readPrompts(line(body), chat);
    expect(rows).toEqual([{ messages, maxTokens: 7, body: { model: "m-9", temperature: 0.2, n: 3 } }]);
    const profile = shortProfile({ workload: [{ endpoint: "chat" }] });
    const items = profile.workload.map((item) => Object.assign({}, item, { prompts: rows }));
    const random = createRandom(1);
    const request = createWorkload(items, { manifest, keyName: "primary", random, wallMs: () => 0 }).request(0, plannedSend(0));
    const sent = JSON.parse(request.body?.kind === "raw" ? String(request.body.bytes) : "") as object;
    expect(sent).toMatchObject({ model: "m-9", temperature: 0.2, n: 3, max_tokens: 7, stream: true });
    // Three answers may be paid for, and the plan of the profile has them as well.
    expect(request.reserve.tokens).toBeGreaterThan(3 * 7 + 128);
    const plan = planLoad({ profile: { ...profile, workload: items }, manifest, seed: 1 });
    expect(plan.worstCase.tokens).toBeGreaterThanOrEqual(2 * plan.sends.length * request.reserve.tokens);
  });

  it.each([
    [line({ messages }, { url: "/v1/embeddings" }), 'is for "/v1/embeddings"'],
    [line({ messages, stream: false }), 'has "stream": false; say stream: false'],
    [line({ messages: [{ role: "tool", content: "x" }] }), 'needs either "prompt"'],
    [line({ messages, max_tokens: 0 }), "no positive integer"],
  ])("is refused by name: %s", (text, message) => {
    expect(readPrompts(text, chat).problems[0]).toContain(message);
  });
});

describe("further members of a body", () => {
  const read = (item: object): ReturnType<typeof readProfile> =>
    readProfile(
      JSON.stringify({ id: "x", title: "X", arrivals: { kind: "poisson", ratePerSecond: 1 }, workload: [item] }),
      "x.yaml",
    );

  it("are sent as they are, with the model of the entry", () => {
    const { workload } = read({ endpoint: "chat", model: "m-2", body: { ignore_eos: true, min_tokens: 5 } });
    const request = createWorkload(workload, { manifest, keyName: "primary", random: createRandom(1), wallMs: () => 0 });
    const { body, item } = request.request(0, plannedSend(0));
    expect(JSON.parse(body?.kind === "raw" ? String(body.bytes) : "")).toMatchObject({
      ignore_eos: true,
      min_tokens: 5,
      model: "m-2",
    });
    expect(item.label).toBe("chat stream m-2");
  });

  it("do not replace what the profile says elsewhere", () => {
    expect(() => read({ endpoint: "chat", body: { max_tokens: 5 } })).toThrow("max_tokens");
    expect(() => read({ endpoint: "embeddings", body: { input: "x" } })).toThrow("input");
  });
});
