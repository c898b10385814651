import type { Mutant } from "../switch.ts";
import { besideLoad, mutantNeeding } from "../switch-builders.ts";

const inExam = mutantNeeding("stage:limits", "permission:patchSettings");

/** Rows that fail with any service that lets too many in, or too early. */
const allowanceRows = ["BURST-002", "BURST-003", "BURST-013", "BURST-014", "BURST-019", "KEY-012", "KEY-014"];

/** Rows that hold a wait against what follows it. */
const waitRows = ["BURST-007", "BURST-008", "burst.cooldown-prolonged", "burst.retry-after-untrue"];

export const burstMutants: readonly Mutant[] = [
  inExam("burst/ignored", "burst_limit has no effect", ["BURST-002", "BURST-019", "KEY-012", "burst.over-admission"], {
    mayAlsoFail: allowanceRows,
  }),
  inExam("burst/no-cooldown", "Beyond the allowance there is a limit per minute, but no cooldown", ["burst.over-admission"], {
    mayAlsoFail: [...allowanceRows, "BURST-004", "BURST-007", "burst.cooldown-too-long", "burst.retry-after-untrue"],
  }),
  inExam("burst/cooldown-half", "The cooldown lasts half as long", ["BURST-003", "burst.over-admission"], {
    mayAlsoFail: [...allowanceRows, "BURST-007", "burst.retry-after-untrue"],
  }),
  inExam("burst/cooldown-double", "The cooldown lasts twice as long", ["BURST-004", "burst.cooldown-too-long"], {
    mayAlsoFail: ["BURST-007", "BURST-009", "burst.retry-after-untrue", "queue.released-late"],
  }),
  inExam("burst/cooldown-in-milliseconds", "cooldown_seconds is read as milliseconds", ["BURST-003", "burst.over-admission"], {
    mayAlsoFail: [...allowanceRows, "BURST-007", "burst.retry-after-untrue"],
  }),
  inExam("burst/cooldown-in-minutes", "cooldown_seconds is read as minutes", ["BURST-004", "burst.cooldown-too-long"], {
    mayAlsoFail: [
      "BURST-001",
      "BURST-007",
      "BURST-015",
      "BURST-016",
      "BURST-018",
      "burst.under-admission",
      "burst.retry-after-untrue",
      "queue.request-lost",
    ],
  }),
  inExam(
    "burst/over-admit-one",
    "Admits one request more than the allowance",
    ["BURST-002", "BURST-019", "burst.over-admission"],
    { mayAlsoFail: allowanceRows },
  ),
  inExam(
    "burst/under-admit-one",
    "Admits one request less than the allowance",
    ["BURST-001", "BURST-015", "BURST-016", "BURST-018", "burst.under-admission"],
    { mayAlsoFail: ["BURST-007", "BURST-019", "burst.retry-after-untrue"] },
  ),
  inExam(
    "burst/check-then-increment",
    "Checks the allowance, then counts in a second step",
    ["BURST-019", "burst.over-admission"],
    { mayAlsoFail: allowanceRows },
  ),
  inExam("burst/per-endpoint", "Every endpoint has an allowance of its own", ["burst.over-admission"], {
    mayAlsoFail: allowanceRows,
  }),
  inExam(
    "burst/counted-per-endpoint",
    "Every endpoint is counted by itself; the cooldown is that of the key",
    ["burst.over-admission"],
    { mayAlsoFail: allowanceRows },
  ),
  inExam("burst/usage-uncounted", "Requests of usage are not counted, but refused in a cooldown", ["burst.over-admission"], {
    mayAlsoFail: allowanceRows,
  }),
  inExam("burst/per-second", "burst_limit is counted over a second", ["burst.over-admission"], {
    mayAlsoFail: allowanceRows,
  }),
  inExam("burst/per-instance", "Three processes, each with its own allowance", ["BURST-019", "burst.over-admission"], {
    mayAlsoFail: [...allowanceRows, "BURST-004"],
  }),
  inExam("burst/shared-by-keys", "One allowance for all keys of the account", ["BURST-012", "KEY-013"], {
    mayAlsoFail: ["BURST-001", "BURST-015", "BURST-016", "BURST-018", "SVC-021", "burst.under-admission"],
  }),
  besideLoad(
    "burst/shared-under-load",
    "While more than eight requests are under way, all keys of the account use one allowance",
    ["burst.under-admission"],
    { mayAlsoFail: ["BURST-001", "BURST-012", "BURST-015", "BURST-016", "BURST-018", "KEY-013"] },
  ),
  inExam("burst/extended-by-attempts", "Every attempt during the cooldown restarts it", ["burst.cooldown-prolonged"], {
    mayAlsoFail: ["BURST-004", "BURST-007", "BURST-008", "BURST-017", "burst.cooldown-too-long", "burst.retry-after-untrue"],
    origin: "youtube-thumbs#22",
  }),
  inExam("burst/retry-after-constant", "Retry-After always names the whole cooldown", ["burst.retry-after-untrue"], {
    mayAlsoFail: ["BURST-017", "limits.retry-after-too-long", ...waitRows],
  }),
  inExam("burst/retry-after-window", "Retry-After always names a minute", ["burst.retry-after-untrue"], {
    mayAlsoFail: ["BURST-017", "limits.retry-after-too-long", "limits.retry-after-too-short", ...waitRows],
  }),
  inExam("burst/anchored-early", "The cooldown is counted from the first request of the burst", ["burst.over-admission"], {
    mayAlsoFail: [...allowanceRows, "burst.retry-after-untrue"],
  }),
  inExam("burst/queue-leaks-early", "The queue is released at 70 % of the cooldown", ["burst.over-admission"], {
    mayAlsoFail: [...allowanceRows, "burst.cooldown-too-long"],
    needs: ["key:queue"],
  }),
  inExam("burst/queue-drops", "Every second queued request is never answered", ["BURST-009", "queue.request-lost"], {
    needs: ["key:queue"],
  }),
  inExam("burst/queue-waits-twice", "The queue is looked at after two cooldowns", ["BURST-009", "queue.released-late"], {
    mayAlsoFail: ["BURST-004", "burst.cooldown-too-long"],
    needs: ["key:queue"],
  }),
  inExam("burst/queue-releases-all", "The queue lets out everything at the end of a cooldown", ["queue.released-at-once"], {
    mayAlsoFail: ["BURST-024"],
    needs: ["key:queue"],
  }),
  inExam("burst/change-empties-windows", "A change of a key's settings empties its request windows", [
    "BURST-025",
    "burst.change-empties-window",
  ]),
  inExam("burst/raising-ignored", "A higher burst_limit does not replace a lower one", ["BURST-026", "burst.raise-ignored"]),
  inExam("burst/mixed-preference", "Queues and refuses in turn", ["queue.mixed-with-refusals"], { mayAlsoFail: ["BURST-010"] }),
  inExam("burst/enforced-once", "After the first cooldown the allowance is never enforced again", ["burst.over-admission"], {
    mayAlsoFail: [...allowanceRows, "KEY-030"],
  }),
  inExam("burst/streams-exempt", "Streams pass a cooldown", ["BURST-013"]),
  inExam("burst/status-403", "A cooldown answers 403", ["BURST-005", "burst.refusal-status"], {
    mayAlsoFail: ["BURST-006", "BURST-013", "BURST-022", "KEY-012", "ERR-001", "ERR-038"],
  }),
  inExam("burst/status-503", "A cooldown answers 503", ["BURST-005", "burst.refusal-status"], {
    mayAlsoFail: ["BURST-006", "BURST-013", "BURST-022", "KEY-012", "ERR-001", "ERR-038", "SVC-021"],
  }),
  inExam("burst/retry-after-zero", "A cooldown says to wait 0 s", ["burst.retry-after-too-short"], {
    mayAlsoFail: ["RATE-024", ...waitRows],
  }),
  inExam("burst/retry-after-milliseconds", "A cooldown states its wait in milliseconds", ["burst.retry-after-too-long"], {
    mayAlsoFail: ["RATE-023", "limits.retry-after-too-long", ...waitRows],
  }),
  inExam("burst/quota-error-shape", "A cooldown answers with the quota shape", ["SPEND-015", "BURST-005", "BURST-006"], {
    mayAlsoFail: [
      "BURST-005",
      "ERR-001",
      "ERR-038",
      "KEY-014",
      "RATE-020",
      "RATE-021",
      "limits.retry-after-form",
      "spend.refusal-shape",
    ],
  }),
];
