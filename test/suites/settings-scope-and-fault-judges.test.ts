import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/core/random.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { transcriptionIsJson } from "../../src/conformance/judges/audio/transcription-is-json.ts";
import { blockedAccount, cappedPurpose } from "../../src/conformance/judges/faults/blocked-account.ts";
import { freshKey, freshPurpose } from "../../src/conformance/judges/faults/fresh-key.ts";
import { serverErrors } from "../../src/conformance/judges/faults/server-errors.ts";
import { anonymousPurpose, pathAccess } from "../../src/conformance/judges/scopes/path-access.ts";
import {
  readingPurpose,
  scopedPurpose,
  scopeRefusals,
  unscopedPurpose,
} from "../../src/conformance/judges/scopes/scope-refusals.ts";
import { notFoundAnswers } from "../../src/conformance/judges/settings/not-found-answers.ts";
import { settingsAnswer } from "../../src/conformance/judges/settings/settings-answer.ts";
import { settingsEffect } from "../../src/conformance/judges/settings/settings-effect.ts";
import { inventId } from "../../suites/invent-id.ts";
import { judgeWith, verdictsOn } from "./judge-with.ts";
import { type ExchangeDraft, makeExchange, wallMs } from "../make/make-exchange.ts";

const coded = { error: { code: "some_code" } };

/** Rate fields of a response with something left, so that a 429 is not the window's. */
const left: ExchangeDraft["headers"] = [
  ["x-ratelimit-limit-requests", "600"],
  ["x-ratelimit-remaining-requests", "599"],
  ["x-ratelimit-limit-tokens", "1000"],
  ["x-ratelimit-remaining-tokens", "900"],
];
const usedUp: ExchangeDraft["headers"] = [
  ["x-ratelimit-limit-requests", "60"],
  ["x-ratelimit-remaining-requests", "0"],
  ["x-ratelimit-limit-tokens", "1000"],
  ["x-ratelimit-remaining-tokens", "900"],
];

describe("settings-effect", () => {
  const burst = { burst_limit: 2, cooldown_seconds: 2 };
  const tryBurst = (
    caseId: string,
    statuses: readonly (number | "queued")[],
    headers = left,
    others: readonly number[] = [],
  ): readonly Exchange[] => [
    makeExchange({ seq: 1, endpoint: "key-settings", caseId, label: "set-burst", sent: burst }),
    makeExchange({ seq: 2, endpoint: "key-settings", caseId, label: "set-cooldown", sent: { cooldown_seconds: 3 } }),
    ...statuses.map((status, index) => {
      const seq = index + 3;
      const endMs = status === "queued" ? seq * 100 + 2900 : seq * 100 + 20;
      return makeExchange({
        seq,
        caseId,
        label: `exceed-1-${index + 1}`,
        keyName: "examSettings",
        status: status === "queued" ? 200 : status,
        received: coded,
        headers: status === 429 ? headers : left,
        endMs,
      });
    }),
    ...others.map((status, index) =>
      makeExchange({
        seq: 20 + index,
        caseId,
        label: `other-key-${index + 1}`,
        keyName: "secondary",
        status,
        headers: left,
        received: coded,
      }),
    ),
  ];

  it.each([
    ["a refusal", [200, 200, 429], "pass"],
    ["a wait for the cooldown", [200, 200, "queued"], "pass"],
    ["neither", [200, 200, 200], "fail"],
    ["a server error", [200, 200, 503], "fail"],
    ["trouble within the limit", [200, 503, 200], "inconclusive"],
    ["a server error after trouble within the limit", [503, 200, 503], "inconclusive"],
  ] as const)("takes %s after the limit for what it is", (_name, statuses, outcome) => {
    expect(verdictsOn("KEY-012", settingsEffect, tryBurst("settings/takes-effect", statuses))).toEqual([outcome]);
    expect(verdictsOn("KEY-014", settingsEffect, tryBurst("settings/keeps-other-members", statuses))).toEqual([outcome]);
  });

  it("accuses nobody of serving requests that were spread over minutes", () => {
    const spread = (everyMs: number): readonly Exchange[] =>
      tryBurst("settings/takes-effect", [200, 200, 200]).map((exchange, index) => ({
        ...exchange,
        timing: { ...exchange.timing, sentMs: index * everyMs, headersMs: index * everyMs + 15, endMs: index * everyMs + 20 },
      }));
    expect(verdictsOn("KEY-012", settingsEffect, spread(29_999))).toEqual(["fail"]);
    expect(verdictsOn("KEY-012", settingsEffect, spread(30_000))).toEqual(["inconclusive"]);
  });

  it("does not take the request window for the burst limit", () => {
    const record = tryBurst("settings/takes-effect", [200, 200, 429], usedUp);
    expect(verdictsOn("KEY-012", settingsEffect, record)).toEqual(["inconclusive"]);
  });

  it("wants the other key to be served", () => {
    const id = "settings/leaves-other-keys";
    expect(verdictsOn("KEY-013", settingsEffect, tryBurst(id, [200, 200, 429], left, [200, 200, 200]))).toEqual(["pass"]);
    expect(verdictsOn("KEY-013", settingsEffect, tryBurst(id, [200, 200, 429], left, [200, 200, 429]))).toEqual(["fail"]);
    expect(verdictsOn("KEY-013", settingsEffect, tryBurst(id, [200, 200, 429], left, [200, 200, 500]))).toEqual(["inconclusive"]);
    // Without a held key there is nothing to compare with, and with too few requests nothing is proven.
    expect(verdictsOn("KEY-013", settingsEffect, tryBurst(id, [200, 200, 200], left, [200, 200, 200]))).toEqual([]);
    expect(verdictsOn("KEY-013", settingsEffect, tryBurst(id, [200, 200, 429], left, [200]))).toEqual([]);
  });
});

describe("settings-answer", () => {
  it("records what a target answers to a change", () => {
    const sent = { burst_limit: 3 };
    const answer = (received: unknown, status = 200): Exchange =>
      makeExchange({ endpoint: "key-settings", sent, received, status });
    expect(judgeWith(settingsAnswer, [answer({ burst_limit: 3, id: "k" }), answer({}), answer("", 204)])).toEqual(
      Array(3).fill("KEY-020 observed"),
    );
  });
});

describe("not-found-answers", () => {
  const asked = (seq: number, condition: "unknown-id" | "foreign-id", id: string, draft: ExchangeDraft = {}): Exchange =>
    makeExchange({
      seq,
      endpoint: "key-settings",
      caseId: "settings/foreign-key",
      path: `/v1/keys/${id}`,
      intent: { kind: "violates", requirement: "KEY-017", condition, twin: null },
      status: 404,
      received: { error: { code: "not_found", message: `no key ${id}`, request_id: `r${seq}` } },
      ...draft,
    });
  const unknown = [asked(1, "unknown-id", "key_a"), asked(2, "unknown-id", "key_b")];

  it("cannot tell answers apart by what names the request itself", () => {
    expect(verdictsOn("KEY-018", notFoundAnswers, [...unknown, asked(3, "foreign-id", "key_c")])).toEqual(["pass"]);
  });

  it.each([
    ["status", { status: 403 }],
    ["code", { received: { error: { code: "forbidden", message: "no key key_c" } } }],
    ["another member", { received: { error: { code: "not_found", message: "no key key_c", hint: "ask its owner" } } }],
    ["a missing member", { received: { error: { code: "not_found" } } }],
    ["a header field", { headers: [["x-workspace", "other"]] }],
    ["no JSON", { received: "not found" }],
  ] as const)("states by %s", (_name, draft) => {
    expect(verdictsOn("KEY-018", notFoundAnswers, [...unknown, asked(3, "foreign-id", "key_c", draft)])).toEqual(["fail"]);
    expect(verdictsOn("ERR-019", notFoundAnswers, [...unknown, asked(3, "foreign-id", "key_c", draft)])).toEqual(["fail"]);
  });

  it("takes nothing for a hint that differs between two unknown identifiers already", () => {
    const noisy = (seq: number, condition: "unknown-id" | "foreign-id"): Exchange =>
      asked(seq, condition, `key_${seq}`, { received: { error: { code: `not_found_${seq}` } } });
    expect(
      verdictsOn("KEY-018", notFoundAnswers, [noisy(1, "unknown-id"), noisy(2, "unknown-id"), noisy(3, "foreign-id")]),
    ).toEqual(["pass"]);
  });

  it("does not compare with trouble", () => {
    expect(verdictsOn("KEY-018", notFoundAnswers, [...unknown, asked(3, "foreign-id", "key_c", { status: 503 })])).toEqual([
      "inconclusive",
    ]);
  });
});

describe("inventId", () => {
  it("keeps the form and changes the rest", () => {
    const random = createRandom(3);
    expect(inventId("key_Ab3dEf5h", random)).toMatch(/^key_[A-Z][a-z]\d[a-z][A-Z][a-z]\d[a-z]$/);
    expect(inventId("6f9619ff-8b86-d011-b42d-00c04fc964ff", random)).toMatch(/^6f9619ff-8b86-d011-b\d\d[a-z]-[0-9a-z]{12}$/);
    expect(inventId("key_Ab3dEf5h", random)).not.toBe("key_Ab3dEf5h");
  });
});

describe("scope-refusals", () => {
  const refused = (status: number, received: unknown = coded): Exchange =>
    makeExchange({
      endpoint: "key-settings",
      keyName: "readOnly",
      status,
      received,
      intent: { kind: "violates", requirement: "KEY-023", condition: "missing-scope", twin: null },
    });
  const housekeeping = (purpose: string, status: number, draft: ExchangeDraft = {}): Exchange =>
    makeExchange({ endpoint: "agents", status, received: coded, intent: { kind: "housekeeping", purpose }, ...draft });

  it("wants 403 with a code", () => {
    expect(verdictsOn("AUTH-016", scopeRefusals, [refused(403)])).toEqual(["pass"]);
    expect(verdictsOn("AUTH-016", scopeRefusals, [refused(200)])).toEqual(["fail"]);
    expect(verdictsOn("AUTH-016", scopeRefusals, [refused(401)])).toEqual(["fail"]);
    expect(verdictsOn("AUTH-016", scopeRefusals, [refused(503)])).toEqual(["inconclusive"]);
    expect(verdictsOn("AUTH-015", scopeRefusals, [refused(403, {})])).toEqual(["fail"]);
  });

  it("holds a path that does not exist against nobody (AMB-22)", () => {
    expect(verdictsOn("PATH-001", scopeRefusals, [housekeeping(unscopedPurpose, 404)])).toEqual(["observed"]);
    expect(verdictsOn("PATH-001", scopeRefusals, [housekeeping(unscopedPurpose, 403)])).toEqual(["pass"]);
    expect(verdictsOn("PATH-001", scopeRefusals, [housekeeping(unscopedPurpose, 422)])).toEqual(["fail"]);
  });

  it("wants keys with the scope, and readers, to be let in", () => {
    expect(judgeWith(scopeRefusals, [housekeeping(scopedPurpose, 422, { keyName: "agentWrite" })])).toEqual(["PATH-003 pass"]);
    expect(judgeWith(scopeRefusals, [housekeeping(scopedPurpose, 403, { keyName: "agentWrite" })])).toEqual(["PATH-003 fail"]);
    expect(judgeWith(scopeRefusals, [housekeeping(scopedPurpose, 401, { keyName: "admin" })])).toEqual(["PATH-004 fail"]);
    expect(judgeWith(scopeRefusals, [housekeeping(readingPurpose, 403, { endpoint: "models" })])).toEqual(["AUTH-034 fail"]);
    expect(judgeWith(scopeRefusals, [housekeeping(readingPurpose, 200, { endpoint: "models" })])).toEqual(["AUTH-034 pass"]);
  });
});

describe("path-access", () => {
  it.each([
    ["workspaces", "PATH-005"],
    ["agents", "PATH-007"],
    ["verify", "PATH-008"],
  ] as const)("wants nobody to use %s without credentials", (endpoint, requirement) => {
    const intent = { kind: "housekeeping", purpose: anonymousPurpose } as const;
    const asked = [401, 404, 200, 500].map((status, seq) => makeExchange({ seq, endpoint, status, keyName: null, intent }));
    expect(judgeWith(pathAccess, asked)).toEqual(
      ["pass", "pass", "fail", "inconclusive"].map((outcome) => `${requirement} ${outcome}`),
    );
  });
});

describe("server-errors", () => {
  const fault = (requirement: string, status: number, received: unknown = coded): Exchange =>
    makeExchange({ status, received, intent: { kind: "violates", requirement, condition: "fault-trigger", twin: null } });

  it("wants the common shape of provoked faults", () => {
    expect(judgeWith(serverErrors, [fault("ERR-026", 500)])).toEqual(["ERR-026 pass"]);
    expect(judgeWith(serverErrors, [fault("ERR-026", 500, "Internal Server Error")])).toEqual(["ERR-026 fail"]);
    expect(judgeWith(serverErrors, [fault("ERR-028", 502, { error: "bad gateway" })])).toEqual(["ERR-028 fail"]);
    expect(judgeWith(serverErrors, [fault("ERR-033", 503, { error: { code: "" } })])).toEqual(["ERR-033 fail"]);
    expect(judgeWith(serverErrors, [fault("ERR-033", 503, { error: { code: "busy", details: null } })])).toEqual([
      "ERR-033 pass",
    ]);
  });

  it("distinguishes a trigger that does not work from a fault in disguise", () => {
    expect(judgeWith(serverErrors, [fault("ERR-026", 200, { object: "list" })])).toEqual(["ERR-026 inconclusive"]);
    expect(judgeWith(serverErrors, [fault("ERR-026", 404)])).toEqual(["ERR-026 inconclusive"]);
    expect(judgeWith(serverErrors, [fault("ERR-026", 200, coded)])).toEqual(["ERR-026 fail"]);
    expect(judgeWith(serverErrors, [fault("ERR-033", 500)])).toEqual(["ERR-033 fail", "ERR-030 fail", "ERR-026 pass"]);
  });

  it("only advises against the page of a gateway that was met by chance", () => {
    expect(judgeWith(serverErrors, [makeExchange({ status: 502, received: "<html>502</html>" })])).toEqual(["ERR-028 advisory"]);
    expect(judgeWith(serverErrors, [makeExchange({ status: 502, received: { message: "no" } })])).toEqual(["ERR-028 fail"]);
  });
});

describe("blocked-account", () => {
  const blocked = (status: number | null, headers = left, received: unknown = coded): Exchange =>
    makeExchange({
      keyName: "pastDue",
      status,
      headers,
      received,
      intent: { kind: "violates", requirement: "ERR-014", condition: "payment-required", twin: null },
    });

  it("wants 402 on every endpoint", () => {
    expect(judgeWith(blockedAccount, [blocked(402)])).toEqual(["ERR-016 pass", "ERR-014 pass"]);
    expect(judgeWith(blockedAccount, [blocked(200)])).toEqual(["ERR-016 fail", "ERR-014 fail"]);
    expect(judgeWith(blockedAccount, [blocked(503)])).toEqual(["ERR-016 fail", "ERR-014 fail"]);
    expect(judgeWith(blockedAccount, [blocked(null)])).toEqual(["ERR-016 inconclusive", "ERR-014 inconclusive"]);
  });

  it("excuses a 429 only where a window is used up", () => {
    expect(judgeWith(blockedAccount, [blocked(429, usedUp)])).toEqual(["ERR-016 inconclusive", "ERR-014 inconclusive"]);
    expect(judgeWith(blockedAccount, [blocked(429, left)])).toEqual(["ERR-016 fail", "ERR-014 fail"]);
  });

  it("keeps a reached cap and used-up credit apart, and leaves everything else to other rows", () => {
    const capped = (status: number, received: unknown): Exchange =>
      makeExchange({
        endpoint: "chat",
        status,
        received,
        headers: left,
        intent: { kind: "housekeeping", purpose: cappedPurpose },
      });
    const quota = { error: "quota_exceeded", retry_after_ms: 1, cap_type: "monthly_spend" };
    expect(judgeWith(blockedAccount, [capped(429, quota)])).toEqual(["SPEND-021 pass"]);
    expect(judgeWith(blockedAccount, [capped(402, coded)])).toEqual(["SPEND-021 fail"]);
    expect(judgeWith(blockedAccount, [capped(200, {})])).toEqual(["SPEND-021 inconclusive"]);
    const credit = (status: number, received: unknown): Exchange =>
      makeExchange({
        keyName: "noCredit",
        status,
        received,
        headers: left,
        intent: { kind: "violates", requirement: "SPEND-021", condition: "payment-required", twin: null },
      });
    expect(verdictsOn("SPEND-021", blockedAccount, [credit(402, coded)])).toEqual(["pass"]);
    expect(verdictsOn("SPEND-021", blockedAccount, [credit(429, quota)])).toEqual(["fail"]);
    expect(verdictsOn("SPEND-021", blockedAccount, [credit(200, {})])).toEqual(["inconclusive"]);
  });
});

describe("fresh-key", () => {
  const keys = { fresh: { secret: "", id: null, createdAtMs: wallMs } };
  const tried = (ageMs: number, status: number): Exchange =>
    makeExchange({ keyName: "fresh", status, sentMs: ageMs, intent: { kind: "housekeeping", purpose: freshPurpose } });

  it("allows refusals for a minute and no longer", () => {
    expect(judgeWith(freshKey, [tried(5000, 401)], { keys })).toEqual(["AUTH-023 pass"]);
    expect(judgeWith(freshKey, [tried(5000, 200)], { keys })).toEqual(["AUTH-023 pass", "AUTH-024 pass"]);
    expect(judgeWith(freshKey, [tried(65_000, 200)], { keys })).toEqual(["AUTH-024 pass"]);
    expect(judgeWith(freshKey, [tried(65_000, 401)], { keys })).toEqual(["AUTH-024 fail"]);
    expect(judgeWith(freshKey, [tried(60_500, 401)], { keys })).toEqual([]);
    expect(judgeWith(freshKey, [tried(65_000, 503)], { keys })).toEqual(["AUTH-024 inconclusive"]);
  });

  it("knows nothing about a key without a time of creation", () => {
    expect(judgeWith(freshKey, [tried(65_000, 401)], { keys: { fresh: { secret: "", id: null, createdAtMs: null } } })).toEqual(
      [],
    );
  });
});

describe("transcription-is-json", () => {
  const answered = (received: unknown, contentType: string): Exchange => {
    const one = makeExchange({ endpoint: "transcriptions", received });
    return { ...one, response: { ...one.response!, headers: [["content-type", contentType]] } };
  };

  it("wants JSON by body and by media type", () => {
    expect(judgeWith(transcriptionIsJson, [answered({ text: "a" }, "application/json; charset=utf-8")])).toEqual([
      "AUD-019 pass",
    ]);
    expect(judgeWith(transcriptionIsJson, [answered("hello", "text/plain")])).toEqual(["AUD-019 fail"]);
    expect(judgeWith(transcriptionIsJson, [answered({ text: "a" }, "text/plain")])).toEqual(["AUD-019 fail"]);
    expect(judgeWith(transcriptionIsJson, [answered({ text: "a" }, "application/vnd.audio+json")])).toEqual(["AUD-019 advisory"]);
  });
});
