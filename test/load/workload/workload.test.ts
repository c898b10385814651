import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import { describePlan, planLoad } from "../../../src/load/plan/plan-load.ts";
import { describeBlockers } from "../../../src/load/profile/blocker.ts";
import { profileBlockers } from "../../../src/load/plan/profile-blockers.ts";
import { createWorkload, type LoadRequest, noPlan as planned, type Workload } from "../../../src/load/workload/workload.ts";
import { startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { keep } from "../../make/keep.ts";
import { manifestFor } from "../../make/load/load-target.ts";
import { sendProfile, shortProfile } from "../../make/load/run-against.ts";

function workloadOf(items: readonly object[], seed = 1, manifest = manifestFor("http://127.0.0.1:1")): Workload {
  const { workload } = shortProfile({ workload: items });
  return createWorkload(workload, { manifest, keyName: "primary", random: createRandom(seed), wallMs: () => 1_790_000_000_000 });
}

function bodyOf(request: LoadRequest): { messages: { content: string }[]; max_tokens?: number; input?: unknown } {
  return JSON.parse(request.body?.kind === "raw" ? String(request.body.bytes) : "null") as ReturnType<typeof bodyOf>;
}

describe("createWorkload", () => {
  it("gives every prompt a beginning of its own, and a shared one only on request", () => {
    const contents = (item: object): readonly string[] => {
      const workload = workloadOf([{ endpoint: "chat", promptTokens: 30, ...item }]);
      return Array.from({ length: 200 }, (_, index) => bodyOf(workload.request(index, planned)).messages[0]?.content ?? "");
    };
    expect(new Set(contents({}).map((content) => content.split(" ").slice(0, 6).join(" "))).size).toBe(200);
    const shared = contents({ sharedPrefixTokens: 10 });
    expect(new Set(shared.map((content) => content.split(" ").slice(0, 10).join(" "))).size).toBe(1);
    expect(new Set(shared).size).toBe(200);
  });

  it("is the same for the same seed, whatever the order of the sends", () => {
    const [one, other] = [workloadOf([{ endpoint: "chat" }], 4), workloadOf([{ endpoint: "chat" }], 4)];
    other.request(9, planned);
    expect(bodyOf(one.request(3, planned))).toEqual(bodyOf(other.request(3, planned)));
    expect(bodyOf(one.request(3, planned))).not.toEqual(bodyOf(workloadOf([{ endpoint: "chat" }], 5).request(3, planned)));
  });

  it("mixes by weight", () => {
    const workload = workloadOf([
      { endpoint: "chat", weight: 3 },
      { endpoint: "models", weight: 1 },
    ]);
    const chats = Array.from({ length: 2000 }, (_, index) => workload.request(index, planned)).filter(
      ({ endpoint }) => endpoint === "chat",
    );
    expect(chats.length / 2000).toBeCloseTo(0.75, 1);
  });

  it("takes lengths from the trace and prompts from a list where they are given", () => {
    const traced = bodyOf(workloadOf([{ endpoint: "chat" }]).request(0, { ...planned, promptTokens: 100, outputTokens: 7 }));
    expect(traced.max_tokens).toBe(7);
    expect(traced.messages[0]?.content.split(" ")).toHaveLength(100);
    const listed = workloadOf([{ endpoint: "chat", prompts: ["a", "b"], uniqueBeginnings: false }]);
    expect([0, 1, 2].map((index) => bodyOf(listed.request(index, planned)).messages[0]?.content)).toEqual(["a", "b", "a"]);
  });

  it("begins every send of a row with words of its own, after the shared ones, whoever speaks first", () => {
    const row = {
      messages: [
        { role: "system", content: "be short" },
        { role: "user", content: "hi" },
      ],
      maxTokens: 5,
    } as const;
    const { workload } = shortProfile({ workload: [{ endpoint: "chat", prompts: ["placeholder"], sharedPrefixTokens: 4 }] });
    const items = workload.map((item) => (item.endpoint === "chat" ? { ...item, prompts: [row] } : item));
    const manifest = manifestFor("http://127.0.0.1:1");
    const made = createWorkload(items, { manifest, keyName: "primary", random: createRandom(1), wallMs: () => 0 });
    const bodies = Array.from({ length: 50 }, (_, index) => bodyOf(made.request(index, planned)));
    const firsts = bodies.map(({ messages }) => messages[0]?.content ?? "");
    expect(new Set(firsts.map((text) => text.split(" ").slice(0, 4).join(" "))).size).toBe(1);
    expect(new Set(firsts.map((text) => text.split(" ").slice(4, 10).join(" "))).size).toBe(50);
    expect(firsts.every((text) => text.endsWith(" be short"))).toBe(true);
    expect(bodies.every(({ messages, max_tokens }) => messages[1]?.content === "hi" && max_tokens === 5)).toBe(true);
  });

  it("embeds the rows of a dataset, each time with another beginning", () => {
    const workload = workloadOf([{ endpoint: "embeddings", batch: 2, prompts: ["a", "b", "c"] }]);
    const inputs = [0, 1, 2].flatMap((index) => bodyOf(workload.request(index, planned)).input as string[]);
    expect(inputs.map((text) => text.split(" ").at(-1))).toEqual(["a", "b", "c", "a", "b", "c"]);
    expect(new Set(inputs).size).toBe(6);
    const plain = workloadOf([{ endpoint: "embeddings", prompts: ["a", "b"], uniqueBeginnings: false }]);
    expect([0, 1, 2].map((index) => bodyOf(plain.request(index, planned)).input)).toEqual(["a", "b", "a"]);
  });

  it("carries an answer on with a bounded length, however much the target says", () => {
    const workload = workloadOf([{ endpoint: "chat", outputTokens: 10 }]);
    const history = [
      { role: "user", content: "hi" },
      { role: "assistant", content: '"漢'.repeat(500) },
    ] as const;
    const carried = bodyOf(workload.request(0, planned, history)).messages[1]?.content ?? "";
    expect(carried).toBe('"漢'.repeat(32));
  });

  it("never reserves less than a request can cost: a token for each byte of what is sent", () => {
    const text = "漢".repeat(640);
    const workload = workloadOf([
      { endpoint: "chat", prompts: [text], outputTokens: 20, tools: true },
      { endpoint: "embeddings", prompts: [text], batch: 3 },
    ]);
    for (let index = 0; index < 60; index += 1) {
      const request = workload.request(index, planned);
      const bytes = request.body?.kind === "raw" ? Buffer.byteLength(request.body.bytes) : Infinity;
      expect(bytes).toBeGreaterThan(1920);
      expect(request.reserve.tokens).toBeGreaterThanOrEqual(bytes + (request.endpoint === "chat" ? 20 : 0));
    }
  });

  it("asks the manifest for everything it needs, at once", () => {
    const bare = manifestFor("http://127.0.0.1:1", { models: { chat: null, embedding: null, transcription: null } });
    const items = [{ endpoint: "chat" }, { endpoint: "transcriptions" }, { endpoint: "key-settings" }];
    expect(() => workloadOf(items, 1, bare)).toThrow(
      /no chat model in the manifest; no transcription model in the manifest; permissions.patchSettings is not granted; restore.keys.primary/,
    );
  });
});

describe("profileBlockers", () => {
  const blockers = (baseUrl: string, change: object, permissions: object = {}): readonly string[] => {
    const arrivals = { kind: "constant", ratePerSecond: 20 };
    const profile = shortProfile({ arrivals, workload: [{ endpoint: "models" }], ...change });
    const manifest = manifestFor(baseUrl);
    const allowed = { ...manifest, permissions: { ...manifest.permissions, ...permissions } };
    return describeBlockers(profileBlockers(profile, allowed, planLoad({ profile, manifest: allowed, seed: 1 })));
  };

  it("lets this machine be loaded and asks before it loads another", () => {
    for (const url of ["http://127.0.0.1:1", "http://127.9.9.9:1", "http://localhost:1", "http://[::1]:1"])
      expect(blockers(url, {})).toEqual([]);
    for (const url of ["https://api.example.test", "http://127.0.0.1.example.test", "http://10.0.0.1"]) {
      expect(blockers(url, {})).toEqual([expect.stringContaining("permissions.loadUpToRps allows 5")]);
    }
    expect(blockers("https://api.example.test", {}, { loadUpToRps: 20 })).toEqual([]);
    // The declared bound holds on this machine, too.
    const declared = "it sends up to 20 requests in one second; permissions.loadUpToRps allows 10";
    expect(blockers("http://127.0.0.1:1", {}, { loadUpToRps: 10 })).toEqual([declared]);
    expect(blockers("https://api.example.test", { arrivals: { kind: "constant", ratePerSecond: 4 } })).toEqual([]);
    const closed = { arrivals: { kind: "closed", concurrency: 6 } };
    expect(blockers("https://api.example.test", closed)).toEqual([]);
    expect(blockers("https://api.example.test", { ...closed, engine: "autocannon" })).toHaveLength(1);
  });

  it("follows the declared limit or the plan, and cannot run a size that nobody declared", () => {
    const arrivals = { kind: "bursts", bursts: [{ at: 0, size: "limit+1" }] };
    const profile = shortProfile({ arrivals, workload: [{ endpoint: "models" }] });
    const manifest = manifestFor("http://127.0.0.1:1");
    const planned = (plan: "starter" | "pro" | null): ReturnType<typeof planLoad> =>
      planLoad({ profile, manifest: { ...manifest, target: { ...manifest.target, plan } }, seed: 1 });
    expect([planned("starter").sends.length, planned("pro").sends.length]).toEqual([61, 601]);
    expect(profileBlockers(profile, manifest, planned(null))).toEqual([
      { code: "no-schedule", problem: expect.stringContaining('burst size "limit+1" needs') },
    ]);
    expect(describePlan(planned(null))[1]).toContain("it cannot run");
  });

  it("asks for the permissions of the profile and a key that exists", () => {
    expect(blockers("http://127.0.0.1:1", { needs: ["exhaustLimits", "patchSettings", "spend"] })).toHaveLength(3);
    expect(blockers("http://127.0.0.1:1", { key: "lowLimit" })).toEqual(["no key named lowLimit in the manifest"]);
    expect(blockers("http://127.0.0.1:1", { key: "load" })).toEqual([]);
  });
});

describe("a mix over every endpoint", () => {
  it("is accepted by the reference service, PATCH during load included", async () => {
    const service = keep(await startReferenceService());
    const workload = [
      { endpoint: "chat" },
      { endpoint: "chat", stream: false, tools: true },
      { endpoint: "embeddings", batch: 4, encodingFormat: "base64" },
      { endpoint: "images" },
      { endpoint: "transcriptions", audioSeconds: 1 },
      { endpoint: "models" },
      { endpoint: "usage" },
      { endpoint: "key-settings" },
    ];
    const profile = shortProfile({ arrivals: { kind: "constant", ratePerSecond: 30 }, key: "admin", workload });
    const statuses = new Map<string, Set<number | null>>();
    const result = await sendProfile(profile, service.manifest, {
      onExchange: ({ endpoint, response }) => {
        statuses.set(endpoint ?? "", (statuses.get(endpoint ?? "") ?? new Set()).add(response?.status ?? null));
      },
    });
    expect(result.outcomes).toEqual({ ok: 30 });
    expect([...statuses.keys()].sort()).toEqual([
      "chat",
      "embeddings",
      "images",
      "key-settings",
      "models",
      "transcriptions",
      "usage",
    ]);
    const endpoints = new Set(result.distributions.map(({ endpoint }) => endpoint));
    expect(endpoints.size).toBe(7);
    expect(result.distributions.filter(({ metric }) => metric === "ttft").map(({ endpoint }) => endpoint)).toEqual(["chat"]);
  });
});
