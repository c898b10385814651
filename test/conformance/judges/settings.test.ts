import { describe, expect, it } from "vitest";
import { notFoundAnswers } from "../../../src/conformance/judges/settings/not-found-answers.ts";
import {
  accountSettingsAcceptance,
  keySettingsAcceptance,
} from "../../../src/conformance/judges/settings/settings-acceptance.ts";
import { settingsAnswer } from "../../../src/conformance/judges/settings/settings-answer.ts";
import { settingsEffect } from "../../../src/conformance/judges/settings/settings-effect.ts";
import type { Judge } from "../../../src/conformance/judging/judge.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange } from "../../make/exchanges/make-exchange.ts";
import { printJudge } from "./print-occurrences.ts";

const caseId = "settings/foreign-key";

describe("not-found-answers", () => {
  const asked = (seq: number, condition: "unknown-id" | "foreign-id", id: string, draft: ExchangeDraft = {}): Exchange =>
    makeExchange({
      seq,
      endpoint: "key-settings",
      caseId,
      path: `/v1/keys/${id}`,
      intent: { kind: "violates", requirement: "KEY-017", condition, twin: null },
      status: 404,
      received: { error: { code: "not_found" } },
      ...draft,
    });
  const outcomes = (...exchanges: readonly Exchange[]): readonly string[] => printJudge(notFoundAnswers, exchanges);
  const times = "time of the two answers = recorded [observed 15 ms for the foreign identifier, 15 ms for the unknown one]";
  const passed = ["KEY-018 pass #3 #1 #2", "ERR-019 pass #3 #1 #2", `ERR-037 observed #3 #1 #2: ${times}`];
  /** The difference between two unknown identifiers that are answered alike and a foreign one. */
  const difference = (unknown: ExchangeDraft, foreign: ExchangeDraft): string => {
    const [line = ""] = outcomes(
      asked(1, "unknown-id", "key_1a", unknown),
      asked(2, "unknown-id", "key_1b", unknown),
      asked(3, "foreign-id", "key_2c", foreign),
    );
    return line.replace("KEY-018 fail #3 #1 #2: the answer distinguishes a foreign identifier from an unknown one by its ", "");
  };
  const body = (error: unknown): ExchangeDraft => ({ received: { error } });

  it.each([
    ["the status", {}, { status: 403 }, "status [expected the same status: 404] [observed 403]"],
    [
      "a field",
      { headers: [["X-Hint", "a"]] },
      {},
      "header field x-hint [expected the same header field x-hint: present] [observed absent]",
    ],
    [
      "a further member",
      {},
      body({ code: "not_found", why: 1 }),
      "body member error.why [expected the same body member error.why: absent] [observed 1]",
    ],
    [
      "an item",
      body([{ at: "a" }, "b"]),
      body([{ at: "a" }, "c"]),
      'body member error[1] [expected the same body member error[1]: "b"] [observed "c"]',
    ],
    ["a text", { received: "gone" }, { received: "none" }, "body [expected the same body: gone] [observed none]"],
  ] satisfies readonly [string, ExchangeDraft, ExchangeDraft, string][])(
    "states them apart by %s",
    (_, unknown, foreign, reported) => {
      expect(difference(unknown, foreign)).toBe(reported);
    },
  );

  it.each(["request_id", "requestId", "trace-id", "correlationid", "time", "timestamp", "date"])(
    "expects another %s in every answer",
    (member) => {
      expect(difference({ received: { [member]: "a" } }, { received: { [member]: "b" } })).toBe("KEY-018 pass #3 #1 #2");
      expect(difference(body({ [member]: "a" }), body({ [member]: "b" }))).toBe("KEY-018 pass #3 #1 #2");
    },
  );

  it.each(["request_idle", "request.id", "subrequest_id", "timezone", "lifetime", "update"])(
    "compares the member %s",
    (member) => {
      expect(difference({ received: { [member]: "a" } }, { received: { [member]: "b" } })).toContain(`body member ${member} [`);
    },
  );

  it("does not compare what the request itself names, nor fields of the connection", () => {
    const named = (id: string): ExchangeDraft => body({ message: `no key ${id}` });
    expect(
      outcomes(
        asked(1, "unknown-id", "key_1a", named("key_1a")),
        asked(2, "unknown-id", "key_1b", named("key_1b")),
        asked(3, "foreign-id", "key_2c", named("key_2c")),
      ),
    ).toEqual(passed);
    const differs = asked(3, "foreign-id", "key_2c", { received: "key_2c is not yours" });
    const unknown = ["key_1a", "key_1b"].map((id, index) => asked(index + 1, "unknown-id", id, { received: `no ${id}` }));
    expect(outcomes(...unknown, differs)[0]).toContain("[expected the same body: no <id>] [observed <id> is not yours]");
    for (const name of ["Connection", "Keep-Alive", "Transfer-Encoding", "Content-Length"]) {
      expect(difference({ headers: [[name, "x"]] }, {})).toBe("KEY-018 pass #3 #1 #2");
    }
    expect(difference({ headers: [["X-Hint", "a"]] }, { headers: [["x-hint", "b"]] })).toBe("KEY-018 pass #3 #1 #2");
  });

  it("takes nothing for a hint that differs between two unknown identifiers already", () => {
    const noisy = [1, 2, 3].map((seq) =>
      asked(seq, seq < 3 ? "unknown-id" : "foreign-id", `key_${seq}`, body({ code: `not_found_${seq}` })),
    );
    expect(outcomes(...noisy)).toEqual(passed);
  });

  it("takes a body that was not kept for an empty one", () => {
    const unknown = [1, 2].map((seq) => asked(seq, "unknown-id", `key_${seq}`, { received: "" }));
    const foreign = asked(3, "foreign-id", "key_3");
    const bare = { ...foreign, response: { ...foreign.response!, body: null } };
    expect(outcomes(...unknown, bare)).toEqual(passed);
  });

  it("needs two unknown identifiers of the same case before the foreign one, and takes the last", () => {
    const foreign = asked(4, "foreign-id", "key_4");
    const [first, second] = [asked(1, "unknown-id", "key_1"), asked(2, "unknown-id", "key_2")];
    expect(outcomes(foreign)).toEqual([]);
    expect(outcomes(second, foreign)).toEqual([]);
    expect(outcomes(asked(1, "unknown-id", "key_1", { caseId: "other" }), second, foreign)).toEqual([]);
    expect(outcomes(first, foreign, asked(5, "unknown-id", "key_5"))).toEqual([]);
    expect(outcomes(first, second, asked(3, "unknown-id", "key_3"))).toEqual([]);
    expect(outcomes(first, makeExchange({ seq: 2, caseId }), foreign)).toEqual([]);
    expect(outcomes(first, second, asked(3, "unknown-id", "key_3"), foreign)[0]).toBe("KEY-018 pass #4 #2 #3");
  });

  it("reports trouble of any of the three", () => {
    const [first, second] = [asked(1, "unknown-id", "key_1"), asked(2, "unknown-id", "key_2", { status: 503 })];
    expect(outcomes(first, second, asked(3, "foreign-id", "key_3"))).toEqual([
      "KEY-018 inconclusive #3 #1 #2: answered 503",
      "ERR-019 inconclusive #3 #1 #2: answered 503",
    ]);
  });
});

describe("settings-effect", () => {
  const left: ExchangeDraft["headers"] = [
    ["x-ratelimit-remaining-requests", "9"],
    ["x-ratelimit-remaining-tokens", "9"],
  ];
  const effect = "settings/takes-effect";
  const set = (seq: number, sent: unknown = { burst_limit: 2, cooldown_seconds: 2 }, draft: ExchangeDraft = {}): Exchange =>
    makeExchange({ seq, endpoint: "key-settings", caseId: effect, label: "set-burst", sent, ...draft });
  const asked = (seq: number, status = 200, draft: ExchangeDraft = {}): Exchange =>
    makeExchange({ seq, caseId: effect, label: `exceed-${seq}`, status, headers: left, received: {}, ...draft });
  const outcomes = (...exchanges: readonly Exchange[]): readonly string[] => printJudge(settingsEffect, exchanges);
  const showed = "time until a changed burst limit showed";

  it("says that a limit is not enforced, and whether a change of the cooldown lifted it", () => {
    expect(outcomes(set(1), asked(2), asked(3), asked(4))).toEqual([
      "KEY-012 fail #1 #4: a burst limit was accepted but is not enforced [expected a refusal or a wait after 2 requests] [observed 3 requests, all served at once]",
    ]);
    const keeps = { caseId: "settings/keeps-other-members" };
    const lost = [set(1, undefined, keeps), asked(2, 200, keeps)];
    expect(outcomes(...lost)).toEqual([
      "KEY-014 inconclusive #1 #2: no burst limit that was set showed, also without any other change",
    ]);
    expect(outcomes(...lost, set(5), asked(6, 429)).find((line) => line.startsWith("KEY-014"))).toBe(
      "KEY-014 fail #1 #2 #6: a burst limit is no longer enforced after a change of the cooldown alone [expected a refusal or a wait after 2 requests] [observed 1 requests, all served at once]",
    );
    const trouble = "the requests of the key were answered 503";
    expect(outcomes(set(1), asked(2, 503))).toEqual([`KEY-012 inconclusive #1 #2: ${trouble}`]);
    expect(outcomes(set(1), asked(2, 503), asked(3), asked(4, 503))).toEqual([`KEY-012 inconclusive #1 #4: ${trouble}`]);
  });

  it("says that another key ends a limit only where a limit that was set is enforced", () => {
    const after = { caseId: "settings/after-another-key" };
    const lost = [set(5, undefined, after), asked(6, 200, after), asked(7, 200, after), asked(8, 200, after)];
    const stated = (...before: readonly Exchange[]): string | undefined =>
      outcomes(...before, ...lost).find((line) => line.startsWith("KEY-030"));
    const unseen = "KEY-030 inconclusive #5 #8: no burst limit that was set showed, also without any other change";
    expect(stated(set(1), asked(2), asked(3), asked(4))).toBe(unseen);
    expect(stated()).toBe(unseen);
    expect(stated(set(1), asked(2), asked(3, 429))).toContain(
      "KEY-030 fail #5 #8 #3: a burst limit is no longer enforced after the settings of another key were changed",
    );
    expect(outcomes(set(5, undefined, after), asked(6, 429, after))).toEqual(["KEY-030 pass #5 #6"]);
  });

  it("accuses nobody of serving requests that were spread over minutes, and takes no request window for the burst limit", () => {
    const spread = (everyMs: number): string | undefined =>
      outcomes(set(1), ...[2, 3, 4].map((seq) => asked(seq, 200, { sentMs: seq * everyMs })))[0]?.split(" #")[0];
    expect([spread(29_999), spread(30_000)]).toEqual(["KEY-012 fail", "KEY-012 inconclusive"]);
    const usedUp = { headers: [["x-ratelimit-remaining-requests", "0"], left[1]!] } as const;
    expect(outcomes(set(1), asked(2), asked(3), asked(4, 429, usedUp))[0]).toContain("KEY-012 inconclusive");
  });

  it("reports a limit that is lost among other changes at the same time", () => {
    const atOnce = { caseId: "settings/changes-at-once" };
    const cooldown = makeExchange({ seq: 2, ...atOnce, label: "set-cooldown-1", sent: { cooldown_seconds: 2 } });
    const sent = [asked(3, 200, atOnce), asked(4, 200, atOnce), asked(5, 200, atOnce)];
    const changed = [set(1, undefined, atOnce), cooldown, ...sent];
    expect(outcomes(...changed)[0]).toContain("KEY-014 inconclusive");
    const ofKept = outcomes(...changed, set(7), asked(8, 429)).find((line) => line.startsWith("KEY-014"));
    expect(ofKept).toContain("KEY-014 fail #1 #5 #8: a burst limit is lost");
    expect(outcomes(...changed, asked(6, 429, atOnce))[0]).toContain("KEY-014 pass");
  });

  it("reports a refused change that is carried out, and no converted one", () => {
    const made = (seq: number, label: string, status: number): Exchange =>
      makeExchange({
        seq,
        status,
        label,
        endpoint: label.startsWith("a") ? "models" : "key-settings",
        caseId: "settings/refused-changes",
      });
    const changes = (status: number): readonly Exchange[] => [made(1, "refused-type", status), made(2, "refused-malformed", 422)];
    expect(outcomes(...changes(422), made(3, "after-1", 200), made(4, "after-2", 429))[0]).toContain("KEY-029 fail #1 #2 #4");
    expect(outcomes(...changes(400), made(3, "after-1", 200), made(4, "after-2", 200))).toEqual(["KEY-029 pass #1 #2 #4"]);
    expect(outcomes(...changes(200), made(3, "after-1", 200), made(4, "after-2", 429))).toEqual([]);
    const refusedOnce = [...changes(422), made(3, "after-1", 200), made(4, "after-2", 429), made(5, "again-1", 200)];
    expect(outcomes(...refusedOnce)).toEqual(["KEY-029 pass #1 #2 #4"]);
    expect(outcomes(...refusedOnce, made(6, "again-2", 429))[0]).toContain("KEY-029 fail #1 #2 #6");
  });

  it("is decided where the key has a burst limit of its own: more served than the refused limit lets through is a pass", () => {
    const restore = { keys: { examSettings: { burst_limit: 3 } }, account: null };
    const made = (seq: number, label: string, status: number, sent?: unknown): Exchange =>
      makeExchange({ seq, status, label, sent, endpoint: "models", caseId: "settings/refused-changes" });
    const change = made(1, "refused-type", 422, { burst_limit: 2 });
    const declared = (...statuses: readonly number[]): readonly string[] =>
      printJudge(settingsEffect, [change, ...statuses.map((status, at) => made(at + 2, `after-${at + 1}`, status))], { restore });
    expect(declared(200, 200, 200, 429)).toEqual(["KEY-029 pass #1 #5"]);
    expect(declared(200, 200, 200, 200)).toEqual(["KEY-029 pass #1 #5"]);
    expect(declared(200, 200, 429)[0]).toContain("KEY-029 inconclusive #1 #4: the key was held back after 2 requests");
  });

  it("reports when a limit shows at the first request beyond it, and when later", () => {
    expect(outcomes(set(1), asked(2), asked(3), asked(24, 429))).toEqual([
      "KEY-012 pass #1 #24",
      `KEY-015 observed #1 #24: ${showed} = at once [observed at most 2 s]`,
    ]);
    expect(outcomes(set(1), asked(2), asked(3), asked(4), asked(5, 429)).at(-1)).toBe(
      `KEY-015 observed #1 #5: ${showed} = not at once [observed at most 0 s]`,
    );
  });

  it("takes four fifths of the last cooldown for a wait", () => {
    const cooldown = makeExchange({ seq: 2, caseId: effect, label: "set-cooldown", sent: { cooldown_seconds: 5 } });
    const waited = (ms: number): Exchange => asked(3, 200, { endMs: 300 + ms + 5 });
    expect(outcomes(set(1), cooldown, waited(4000))[0]).toBe("KEY-012 pass #1 #3");
    expect(outcomes(set(1), cooldown, waited(3999))[0]).toContain("KEY-012 fail #1 #3");
    expect(outcomes(set(1), waited(1600))[0]).toBe("KEY-012 pass #1 #3");
  });

  it("judges no change that was not made, or that it cannot read", () => {
    const cooldown = (draft: ExchangeDraft): Exchange =>
      makeExchange({ seq: 2, caseId: effect, label: "set-cooldown", sent: { cooldown_seconds: 3 }, ...draft });
    expect(outcomes(set(1, { burst_limit: 2 }), asked(3))).toEqual([]);
    expect(outcomes(set(1, { cooldown_seconds: 2 }), asked(3))).toEqual([]);
    expect(outcomes(set(1, undefined, { status: 422 }), asked(3))).toEqual([]);
    expect(outcomes(set(1, undefined, { status: 422 }), cooldown({}), asked(3))).toEqual([]);
    expect(outcomes(set(1), cooldown({ status: 422 }), asked(3))).toEqual([]);
    expect(outcomes(set(1), cooldown({ sent: {} }), asked(3))).toEqual([]);
    const silent = (exchange: Exchange): Exchange => ({ ...exchange, request: { ...exchange.request, body: null } });
    expect(outcomes(silent(set(1)), asked(3))).toEqual([]);
    expect(outcomes(set(1), silent(cooldown({})), asked(3))).toEqual([]);
    expect(outcomes(set(1))).toEqual([]);
    expect(outcomes(set(1), makeExchange({ seq: 2, caseId: effect, label: "else", status: 429 }))).toEqual([]);
  });

  it("keeps a repeated try apart from the first", () => {
    const record = [asked(1, 429), set(2), asked(3), set(4), asked(5, 429)];
    expect(outcomes(...record).map((line) => line.split(":")[0])).toEqual([
      "KEY-012 fail #2 #3",
      "KEY-012 pass #4 #5",
      "KEY-015 observed #4 #5",
    ]);
  });

  it("says what happened to the other key, where that was asked more often than the limit allows", () => {
    const leaves = { caseId: "settings/leaves-other-keys" };
    const other = (seq: number, status = 200): Exchange => asked(seq, status, { ...leaves, label: `other-key-${seq}` });
    const held = [set(1, undefined, leaves), asked(2, 429, leaves)];
    expect(outcomes(...held, other(3), other(4))).toEqual([]);
    // If the key itself was not held, there is nothing to compare with.
    expect(outcomes(set(1, undefined, leaves), asked(2, 200, leaves), other(3), other(4), other(5))).toEqual([]);
    expect(outcomes(...held, other(3), other(4), other(5))).toEqual(["KEY-013 pass #1 #5 #2"]);
    const declaring = (burst_limit: number, ...exchanges: readonly Exchange[]): readonly string[] =>
      printJudge(settingsEffect, exchanges, { restore: { keys: { secondary: { burst_limit } }, account: null } });
    expect(declaring(60, ...held, other(3), other(4, 429), other(5))).toEqual([
      "KEY-013 fail #1 #4 #2: a burst limit that was set on one key holds back another key as well [expected 3 answers with 2xx to the other key] [observed 429]",
    ]);
    expect(outcomes(...held, other(3), other(4, 500), other(5))).toEqual([
      "KEY-013 inconclusive #1 #5 #2: the other key was answered 500",
    ]);
    // A limit of the other key itself counts what it was asked in the minute before, by whatever case.
    const own = "KEY-013 inconclusive #1 #10 #2: the other key was held back, which a burst limit of its own may have done";
    const used = [3, 4, 5, 6, 7].map((seq) => other(seq));
    expect(declaring(5, ...held, ...used, other(10, 429))).toEqual([own]);
    expect(outcomes(...held, ...used, other(10, 429))).toEqual([own]);
    expect(declaring(60, ...held, ...used, other(10, 429))[0]).toContain("KEY-013 fail #1 #10 #2");
  });
});

describe("acceptance of settings", () => {
  const changed = (sent: unknown, status: number, draft: ExchangeDraft = {}): Exchange =>
    makeExchange({ seq: status === 200 ? 1 : 2, endpoint: "key-settings", sent, status, ...draft });
  const refusals = (judge: Judge, ...exchanges: readonly Exchange[]): readonly string[] =>
    printJudge(judge, exchanges)
      .filter((line) => line.includes(" fail "))
      .map((line) => line.replace(" fail #2: a valid request is refused", "").replace(/ \[.*/, ""));

  it("names what was refused", () => {
    const accepted = changed({ burst_limit: 1 }, 200);
    const reported = (sent: unknown, draft: ExchangeDraft = {}): readonly string[] =>
      refusals(keySettingsAcceptance, accepted, changed(sent, 422, draft));
    expect(reported({ monthly_spend_cap: 1 })).toEqual(["KEY-001: monthly_spend_cap alone"]);
    expect(reported({ burst_limit: 2 })).toEqual(["KEY-002: burst_limit alone"]);
    expect(reported({ cooldown_seconds: 1 })).toEqual(["KEY-003: cooldown_seconds alone"]);
    expect(reported({ burst_limit: 1, cooldown_seconds: 1 })).toEqual(["KEY-004: a combination of members"]);
    expect(reported({ burst_limit: 1 }, { label: "repetition" })).toEqual(["KEY-025: the same change once more"]);
    const account = { endpoint: "account-settings" } as const;
    const cap = { account_spend_cap: 1 };
    expect(refusals(accountSettingsAcceptance, changed(cap, 200, account), changed(cap, 422, account))).toEqual([
      "ACC-001: account_spend_cap",
    ]);
  });
});

describe("settings-answer", () => {
  it("says whether the answer shows the new settings", () => {
    const sent = { burst_limit: 3, cooldown_seconds: 4 };
    const answer = (received: unknown, draft: ExchangeDraft = {}): readonly string[] =>
      printJudge(settingsAnswer, [makeExchange({ endpoint: "key-settings", sent, received, ...draft })]);
    const reported = "KEY-020 observed #1: the answer to a successful change = 200";
    expect(answer({ ...sent, id: "k" })).toEqual([`${reported} with the new settings`]);
    expect(answer({ burst_limit: 3, cooldown_seconds: 5 })).toEqual([`${reported} with another JSON object`]);
    expect(answer("")).toEqual([`${reported} without a JSON object`]);
    expect(answer({}, { sent: {} })).toEqual([`${reported} with another JSON object`]);
    expect(answer({}, { endpoint: null })).toEqual([]);
    expect(answer({}, { endpoint: "account-settings" })[0]).toContain("ACC-009 observed");
  });
});
