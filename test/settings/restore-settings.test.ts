import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { completeManifest } from "../../src/config/complete-manifest.ts";
import type { Clock } from "../../src/core/clock.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { changeSettings, UndeclaredSettingsError } from "../../src/settings/change-settings.ts";
import { restoreSettings, type RestoreTools } from "../../src/settings/restore-settings.ts";
import { createMemoryJournal, type PendingSettings, type ReadableJournal } from "../../src/settings/settings-journal.ts";
import { createBudget } from "../../src/wire/budget/budget.ts";
import { createWire, type Wire } from "../../src/wire/client/wire.ts";

interface Answer {
  readonly status: number;
  readonly retryAfter?: number;
}

interface Bench {
  readonly manifest: Manifest;
  readonly tools: RestoreTools & { readonly manifest: Manifest; readonly journal: ReadableJournal };
  readonly entry: PendingSettings;
  /** Bodies of the PATCH requests that arrived. */
  readonly received: unknown[];
  readonly slept: number[];
  readonly notes: string[];
}

let server: Server | null = null;
let wire: Wire | null = null;
afterEach(async () => {
  await wire?.close();
  server?.close();
});

/** A target that answers PATCH requests in this order, and 200 from then on. */
async function open(answers: readonly Answer[], maxRequests: number | null = null): Promise<Bench> {
  const received: unknown[] = [];
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const { status, retryAfter } = answers[received.length] ?? { status: 200 };
      received.push(JSON.parse(text));
      if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter);
      response.writeHead(status).end("{}");
    });
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  const manifest = completeManifest({
    target: { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    keys: { primary: "sk-primary-1", admin: "sk-admin-1", burst: { secret: "sk-burst-1", id: "key 7" } },
    restore: { keys: { burst: { burst_limit: 60, cooldown_seconds: null, monthly_spend_cap: 9 } } },
    budget: { maxRequests },
  });
  const slept: number[] = [];
  const clock: Clock = {
    nowMs: () => performance.now(),
    wallMs: () => Date.now(),
    sleep: async (ms) => {
      slept.push(ms);
    },
  };
  wire = createWire({ manifest, clock, budget: createBudget(manifest) });
  const notes: string[] = [];
  const tools = {
    manifest,
    sender: wire,
    clock,
    journal: createMemoryJournal(),
    onProgress: (event: Parameters<RestoreTools["onProgress"]>[0]): void => {
      if (event.kind === "note") notes.push(event.text);
    },
    stage: "setup",
    caseId: "test",
  } as const;
  const { baseUrl } = manifest.target;
  const settings = { burst_limit: 60, cooldown_seconds: null };
  return {
    manifest,
    tools,
    entry: { subject: "key:burst", baseUrl, path: "/v1/keys/key%207", by: "admin", settings },
    received,
    slept,
    notes,
  };
}

describe("putting settings back", () => {
  it("succeeds at the third attempt where two were answered 500, and the journal is empty", async () => {
    const { tools, entry, received, slept, notes } = await open([{ status: 500 }, { status: 500 }]);
    tools.journal.record(entry);
    expect(await restoreSettings(entry, tools)).toBe("restored");
    expect(received).toEqual([entry.settings, entry.settings, entry.settings]);
    expect(slept).toEqual([1000, 2000]);
    expect(notes).toHaveLength(2);
    expect(tools.journal.own()).toEqual([]);
  });

  it("gives up after three attempts, says so, and leaves it in the journal", async () => {
    const refused = { status: 500 };
    const { tools, entry, received, notes } = await open([refused, refused, refused, refused]);
    tools.journal.record(entry);
    expect(await restoreSettings(entry, tools)).toBe("left");
    expect(received).toHaveLength(3);
    expect(notes.at(-1)).toBe("putting back the settings of key:burst: attempt 3 of 3 failed, answered 500");
    expect(tools.journal.own()).toEqual([entry]);
  });

  it("waits as long as a refusal asks for, and not for the end of a billing cycle", async () => {
    const { tools, entry, slept } = await open([
      { status: 429, retryAfter: 65 },
      { status: 429, retryAfter: 1_000_000 },
    ]);
    expect(await restoreSettings(entry, tools)).toBe("restored");
    expect(slept).toEqual([65_000, 2000]);
  });

  it("is sent although the budget of requests is used up", async () => {
    const { tools, entry, received } = await open([], 0);
    expect(await restoreSettings(entry, tools)).toBe("restored");
    expect(received).toHaveLength(1);
  });

  it("does not send a request with a key that the manifest no longer holds", async () => {
    const { tools, entry, received, notes } = await open([]);
    expect(await restoreSettings({ ...entry, by: "former" }, tools)).toBe("left");
    expect(received).toEqual([]);
    expect(notes[0]).toContain('no key "former"');
  });

  it("does not stop at a clock that no longer moves", async () => {
    const { tools, entry } = await open([{ status: 503 }]);
    const stopped = { ...tools.clock, sleep: () => Promise.reject(new Error("the clock does not advance")) };
    expect(await restoreSettings(entry, { ...tools, clock: stopped })).toBe("restored");
  });
});

describe("changing settings", () => {
  it("is in the journal before it begins, and is put back when it fails: the members that changed, or all", async () => {
    const { tools, received } = await open([]);
    const subject = "key:burst";
    const pending: number[] = [];
    const during = async (): Promise<void> => {
      pending.push(tools.journal.own().length);
      throw new Error("stopped in the middle");
    };
    await expect(changeSettings({ subject, by: "admin", members: ["burst_limit"] }, tools, during)).rejects.toThrow(
      "in the middle",
    );
    await expect(changeSettings({ subject, by: "admin", members: null }, tools, during)).rejects.toThrow("in the middle");
    expect(pending).toEqual([1, 1]);
    expect(tools.journal.own()).toEqual([]);
    expect(received).toEqual([{ burst_limit: 60 }, { burst_limit: 60, cooldown_seconds: null, monthly_spend_cap: 9 }]);
  });

  it("does not begin where nobody said what to put back, or under which id", async () => {
    const { tools, received } = await open([]);
    const during = async (): Promise<void> => expect.fail("nothing may be changed");
    for (const subject of ["key:primary", "account"]) {
      await expect(changeSettings({ subject, by: "admin", members: null }, tools, during)).rejects.toThrow(
        UndeclaredSettingsError,
      );
    }
    expect(received).toEqual([]);
  });

  it("does not begin where the journal cannot keep it", async () => {
    const { tools, received } = await open([]);
    const journal = {
      ...tools.journal,
      record: (): void => {
        throw new Error("no setting is changed: disk full");
      },
    };
    const during = async (): Promise<void> => expect.fail("nothing may be changed");
    await expect(
      changeSettings({ subject: "key:burst", by: "admin", members: null }, { ...tools, journal }, during),
    ).rejects.toThrow("disk full");
    expect(received).toEqual([]);
  });
});
