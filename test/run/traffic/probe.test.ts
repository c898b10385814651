import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { rejudgeRun, type Result, run } from "../../../src/index.ts";
import { completeManifest } from "../../../src/config/complete-manifest.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { describeBlockers } from "../../../src/load/profile/blocker.ts";
import { planLoad } from "../../../src/load/plan/plan-load.ts";
import { profileBlockers } from "../../../src/load/plan/profile-blockers.ts";
import { manifestFor } from "../../make/load/load-target.ts";
import { shortProfile } from "../../make/load/run-against.ts";

const outDir = mkdtempSync(join(tmpdir(), "assay-probe-"));
afterAll(() => rmSync(outDir, { recursive: true, force: true }));

const { keys } = completeManifest({
  target: { name: "test", baseUrl: "http://127.0.0.1:1" },
  keys: { primary: { secret: "sk_test_9f3k2m1q", id: "key_1" }, secondary: { secret: "sk_test_7w5x8z4v", id: "key_2" } },
});

interface Asked {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | null;
  /** Requests of this key and endpoint so far, this one included. */
  readonly count: number;
  /** The same of all keys. */
  readonly countOfAll: number;
}

/** The answer that the probe gets; null: none at all. */
type Change = (asked: Asked) => { readonly status?: number; readonly remaining?: number; readonly body?: object } | null;

const limit = 600;

function answer(response: ServerResponse, { path, body, count }: Asked, change: NonNullable<ReturnType<Change>>): void {
  const isError = path.includes("chat") && body?.["messages"] === undefined;
  const status = change.status ?? (isError ? 422 : 200);
  const remaining = change.remaining ?? limit - count;
  const reset = Math.ceil(Date.now() / 60_000) * 60;
  response.writeHead(status, {
    "content-type": "application/json",
    "x-ratelimit-limit-requests": String(limit),
    "x-ratelimit-remaining-requests": String(remaining),
    "x-ratelimit-reset-requests": String(reset),
    "x-ratelimit-limit-tokens": "100000",
    "x-ratelimit-remaining-tokens": "99000",
    "x-ratelimit-reset-tokens": String(reset),
    ...(status === 429 ? { "retry-after": "30" } : {}),
  });
  const error = (code: string): object => ({
    error: { code, message: "no", details: [{ field: "messages", message: "required" }] },
    "retry-after": 30,
  });
  const models = { object: "list", data: [{ id: "chat-model", object: "model", created: 1, owned_by: "test" }] };
  const plain = change.body ?? (path.includes("models") ? models : { id: "c" });
  response.end(
    JSON.stringify(status === 429 ? error("rate_limit_exceeded") : status === 422 ? error("validation_error") : plain),
  );
}

/** A run of a second of load against a server that answers the load correctly, and the probe with this change. */
async function probed(change: Change, probe: object = {}): Promise<Result> {
  const counts = new Map<string, number>();
  const count = (name: string): number => {
    const next = (counts.get(name) ?? 0) + 1;
    counts.set(name, next);
    return next;
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path, key] = [request.url ?? "", request.headers.authorization ?? ""];
    const sent = await text(request);
    const body = sent === "" ? null : (JSON.parse(sent) as Readonly<Record<string, unknown>>);
    const asked = { path, body, count: count(`${key} ${path}`), countOfAll: count(path) };
    const changed = key === "Bearer sk_test_7w5x8z4v" ? change(asked) : {};
    if (changed === null) request.socket.destroy();
    else answer(response, asked, changed);
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const manifest = { ...manifestFor(`http://127.0.0.1:${port}`), keys };
    const profile = shortProfile({
      durationSeconds: 2,
      workload: [{ endpoint: "models" }],
      probe: { everySeconds: 0.5, ask: ["models"], ...probe },
    });
    const { result, folder } = await run({ stages: ["load"], manifest, profiles: [{ profile, trace: null }], outDir });
    const again = await rejudgeRun(folder);
    expect(again.result.load).toEqual(JSON.parse(JSON.stringify(result.load)));
    return result;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe("a probe while load is on", () => {
  it("passes on a target that serves another key as it should, and is in no figure of the load", async () => {
    const result = await probed(() => ({}), { ask: ["models", "error"] });
    const [profile] = result.load!.profiles;
    expect(profile!.probe).toMatchObject({
      key: "secondary",
      verdict: "pass",
      violated: [],
      operations: [
        { operation: "models", refused: 0 },
        { operation: "error", refused: 0, ttftMs: null },
      ],
    });
    expect(profile!.probe!.sent).toBeGreaterThanOrEqual(4);
    expect(profile!.probe!.answered).toBe(profile!.probe!.sent);
    expect(profile!.counts.planned).toBe(80);
    expect(profile!.counts.sent).toBe(80);
    expect(result.findings).toEqual([]);
  });

  it("finds a counter that the load of another key uses up", async () => {
    const result = await probed(({ countOfAll }) => ({ remaining: limit - countOfAll }));
    expect(result.load!.profiles[0]!.probe).toMatchObject({ verdict: "fail", violated: expect.arrayContaining(["RATE-013"]) });
    const finding = result.findings.find(({ check }) => check === "limits.phantom-consumption");
    expect(finding!.verdict).toBe("fail");
    expect(finding!.message).toContain("probe with key secondary");
    expect(finding!.exchanges.length).toBeGreaterThan(0);
    expect(result.exitCode).toBe(1);
  });

  it("says nothing of a key that gets no answer", async () => {
    const result = await probed(() => null);
    expect(result.load!.profiles[0]!.probe).toMatchObject({ verdict: "inconclusive", answered: 0 });
    expect(result.exitCode).toBe(3);
    expect(result.reason).toContain("the probe with key secondary");
  });

  it("is not run with the key of the load, nor with one that is missing", () => {
    const blockersOf = (all: Manifest["keys"]): readonly string[] => {
      const manifest = manifestFor("http://127.0.0.1:1", { keys: all });
      const profile = shortProfile({ probe: {} });
      return describeBlockers(profileBlockers(profile, manifest, planLoad({ profile, manifest, seed: 1 })));
    };
    const own = keys["primary"]!;
    expect(blockersOf(keys)).toEqual([]);
    expect(blockersOf({ primary: own, secondary: own })).toEqual([
      expect.stringContaining("the probe and the load have the same key"),
    ]);
    expect(blockersOf({ primary: own })).toEqual(["the probe needs a key named secondary in the manifest"]);
  });
});
