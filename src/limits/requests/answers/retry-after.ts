import type { CertificateKind } from "../../verdict/certificate-kind.ts";
import {
  accused,
  inconclusive,
  notApplicable,
  passed,
  type Check,
  type CheckHead,
  checkHead,
  describeUnattributed,
} from "../../verdict/check.ts";
import { retryAgreementMs } from "../../../core/exchange/headers/retry-hints.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";
import { findAbsurdWait } from "../../verdict/find-absurd-wait.ts";
import { shortestWait, type StatedWait } from "../../history/shortest-wait.ts";

const spec = "Errors (429) and Limits > Rate limits (retry-after)";

const formHead: CheckHead = checkHead("limits.retry-after-form");

export function checkRetryForm(view: GroupView): Check {
  const judged = view.rejected.filter((op) => op.cause !== "spend");
  if (judged.length === 0) return inconclusive(formHead, 0, describeUnattributed(view.rejected));
  const wrong = judged.find(
    (op) => op.retry?.seconds === null || op.retry?.problems.some((problem) => problem.kind === "negative"),
  );
  if (!wrong) return passed(formHead, judged.length, `${judged.length} rejections state a usable wait`);
  const raw = wrong.retry?.problems.map((problem) => `${problem.hint}: ${problem.raw} (${problem.kind})`).join(", ") ?? "";
  return accused(formHead, judged.length, "fail", {
    kind: "retry-form",
    message:
      raw === ""
        ? `#${wrong.seq} was rejected with neither Retry-After nor retry-after`
        : `#${wrong.seq} was rejected with an unusable wait: ${raw}`,
    rule: "A 429 states the wait in seconds, in the header or in the body.",
    spec,
    ops: [wrong],
    parameters: { problems: raw },
    correct: "Retry-After with a whole number of seconds",
    expected: "a wait of zero or more seconds",
    observed: raw === "" ? "none" : raw,
  });
}

const agreeHead: CheckHead = checkHead("limits.retry-after-disagrees");

export function checkRetryAgreement(view: GroupView): Check {
  const both = view.rejected.filter((op) => hintsOf(op).length > 1);
  if (both.length === 0) {
    // Refusals for spend may state no wait.
    const judged = view.rejected.filter((op) => op.cause !== "spend" || placesOf(op).length > 0);
    const once = judged.filter((op) => placesOf(op).length === 1 && hintsOf(op).length === 1);
    // Header, body or both may give the wait: a service that gives it in one place always does so.
    if (once.length > 0 && once.length === judged.length)
      return notApplicable(agreeHead, 0, `each of ${once.length} rejections gives its wait in one place`);
    return inconclusive(
      agreeHead,
      0,
      view.rejected.length === 0
        ? "no request was rejected"
        : `no rejection gave two usable waits, and ${once.length} of ${judged.length} gave one in one place`,
    );
  }
  const wrong = both.find(
    (op) => Math.max(...hintsOf(op)) - Math.min(...hintsOf(op)) > retryAgreementMs(op.retry?.header ?? null),
  );
  if (!wrong) return passed(agreeHead, both.length, `${both.length} rejections name one wait`);
  return accused(agreeHead, both.length, "fail", {
    kind: "retry-agree",
    message: `#${wrong.seq} names two waits: ${hintsOf(wrong)
      .map((ms) => `${ms / 1000} s`)
      .join(" and ")}`,
    rule: "Where header and body both give the wait, they agree to a second.",
    spec,
    ops: [wrong],
    parameters: { waitsMs: hintsOf(wrong).join(" ") },
    correct: "the same wait in both places",
    expected: "one wait",
    observed: hintsOf(wrong)
      .map((ms) => `${ms / 1000} s`)
      .join(", "),
  });
}

function hintsOf(op: LimitOp): readonly number[] {
  return placesOf(op)
    .map(({ waitMs }) => waitMs)
    .filter((wait) => wait !== null);
}

/** The places that state a wait, readable or not. */
function placesOf({ retry }: LimitOp): readonly { readonly waitMs: number | null }[] {
  return [retry?.header, retry?.bodySeconds, retry?.bodyMs].filter((place) => place != null);
}

const shortHead: CheckHead = checkHead("limits.retry-after-too-short");

/**
 * Waited as stated, nobody else can have consumed, rejected again. Own rejections in between excuse the limiter unless strict:
 * some limiters count them (AMB-12). One pass over instants; O(n log n).
 */
export function checkRetryKept(view: GroupView): Check {
  const due = view.rejected
    .flatMap((op) => {
      const wait = view.judgesRejection(op) ? shortestWait(op.retry) : null;
      return wait === null ? [] : { op, wait, dueMs: op.headersMs + wait.seconds * 1000 + view.tolerances.fuzzMs };
    })
    .sort((a, b) => a.op.headersMs - b.op.headersMs);
  if (due.length === 0) return inconclusive(shortHead, 0, "no rejection named a wait");
  let considered = 0;
  // The latest promise that had run out before each request is the only one without requests in between.
  let next = 0;
  let latest: (typeof due)[number] | null = null;
  for (const op of view.ops) {
    while (next < due.length && due[next]!.op.headersMs < op.sentMs) latest = due[next++]!;
    if (latest === null || op.sentMs < latest.dueMs) continue;
    if (view.contenders.possible(latest.op.sentMs, op.headersMs) > 2) continue;
    considered += 1;
    if (op.outcome !== "rejected" || !view.judgesRejection(op) || !view.exclusive) continue;
    return accused(shortHead, considered, "fail", {
      kind: "retry-short",
      message: `#${latest.op.seq} said to wait ${latest.wait.seconds} s${placeOf(latest.wait, latest.op)}; #${op.seq} waited ${((op.sentMs - latest.op.headersMs) / 1000).toFixed(2)} s, nobody else came, and it was refused with 429 again. A correct limiter of any kind admits it, or names the longer wait`,
      rule: "A request that waits as long as the rejection says is admitted, if nobody used the allowance meanwhile.",
      spec,
      ops: [latest.op, op],
      parameters: { waitSeconds: latest.wait.seconds, fuzzMs: view.tolerances.fuzzMs },
      lawfulAlternative: `#${latest.op.seq} names a longer wait, or #${op.seq} is admitted`,
      expected: "admitted",
      observed: "429",
    });
  }
  return passed(shortHead, considered, `${considered} requests that waited as asked were admitted`);
}

/** Names the place of the wait, where another place of the same refusal names another wait. */
function placeOf({ place, seconds }: StatedWait, { retry }: LimitOp): string {
  return retry?.seconds === seconds ? "" : ` (${place})`;
}

const unitHead: CheckHead = checkHead("limits.retry-after-unit");

/**
 * A wait of many windows that matches the time to the reset when read as milliseconds. One of two windows is none: a sliding counter
 * that counts rejections may need as long.
 */
export function checkRetryUnit(view: GroupView): Check {
  const { offset, tolerances } = view;
  const judged = view.rejected.filter((op) => op.retry?.seconds !== null && op.cause !== "spend");
  if (judged.length === 0) return inconclusive(unitHead, 0, "no rejection named a wait");
  for (const op of judged) {
    const waitMs = op.retry!.seconds! * 1000;
    if (waitMs <= 10 * tolerances.windowMs || op.requests.resetMs === null || offset === null) continue;
    const leftMs = op.requests.resetMs - (op.headersMs + (offset.lowMs + offset.highMs) / 2);
    if (Math.abs(waitMs / 1000 - leftMs) > 2000) continue;
    return accused(unitHead, judged.length, "fail", {
      kind: "retry-unit",
      message: `#${op.seq} says to wait ${op.retry!.seconds} s; its reset is ${(leftMs / 1000).toFixed(1)} s away: the wait is in milliseconds`,
      rule: "retry-after is in seconds.",
      spec,
      ops: [op],
      parameters: { leftMs },
      correct: `retry-after: ${Math.ceil(leftMs / 1000)}`,
      expected: `${Math.ceil(leftMs / 1000)}`,
      observed: `${op.retry!.seconds}`,
    });
  }
  return passed(unitHead, judged.length, `${judged.length} waits are plausible in seconds`);
}

const longHead: CheckHead = checkHead("limits.retry-after-too-long");

/** Admitted clearly before the stated wait was over: the client was asked to wait too long. */
export function checkRetryNotLong(view: GroupView): Check {
  const promises = view.rejected.filter((op) => op.retry?.seconds !== null && view.judgesRejection(op));
  if (promises.length === 0) return inconclusive(longHead, 0, "no rejection named a wait");
  const { granularityMs, fuzzMs, windowMs } = view.tolerances;
  const absurd = findAbsurdWait(promises, { offset: view.offset, windowMs, resetOf: ({ requests }) => requests.resetMs });
  if (absurd !== null) {
    const { says, lawful, proof } = absurd;
    const message = `#${proof.ops[0]!.seq} ${says}`;
    return accused(longHead, promises.length, "fail", { ...proof, kind: "retry-absurd", message, spec, correct: lawful });
  }
  const far = promises.find((op) => op.retry!.seconds! * 1000 > windowMs + 2 * granularityMs);
  if (far)
    return accuseLong(
      promises.length,
      [far],
      `#${far.seq} says to wait ${far.retry?.seconds} s; the window is ${windowMs / 1000} s`,
      "retry-far",
    );
  const answered = [...promises].sort((a, b) => a.headersMs - b.headersMs);
  let next = 0;
  let longest: { readonly op: LimitOp; readonly untilMs: number } | null = null;
  for (const op of view.admitted) {
    while (next < answered.length && answered[next]!.headersMs < op.sentMs) {
      const promise = answered[next++]!;
      const untilMs = promise.sentMs + promise.retry!.seconds! * 1000;
      if (longest === null || untilMs > longest.untilMs) longest = { op: promise, untilMs };
    }
    if (longest === null || op.headersMs >= longest.untilMs - 2 * granularityMs - fuzzMs) continue;
    const early = ((longest.untilMs - op.headersMs) / 1000).toFixed(1);
    return accuseLong(
      promises.length,
      [longest.op, op],
      `#${op.seq} was admitted ${early} s before the wait of ${longest.op.retry?.seconds} s that #${longest.op.seq} demanded was over`,
      "retry-long",
    );
  }
  return passed(longHead, promises.length, `${promises.length} waits were not longer than needed, as far as probed`);
}

function accuseLong(considered: number, ops: readonly LimitOp[], message: string, kind: CertificateKind): Check {
  return accused(longHead, considered, "advisory", {
    kind,
    message,
    rule: "The wait agrees with the reset of the window.",
    spec,
    ops,
    parameters: { waitSeconds: ops[0]?.retry?.seconds ?? null },
    correct: "a shorter wait",
    expected: "a wait that ends when requests are admitted again",
    observed: message,
  });
}
