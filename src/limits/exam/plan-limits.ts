import type { LimitsResult } from "../../core/result/limits-result.ts";
import type { Manifest } from "../../core/manifest.ts";
import { chooseExamKeys } from "./exam-keys.ts";
import { tolerancesFor } from "./judge-limits.ts";
import type { ExamDepth } from "./probe-tools.ts";
import { mayChange } from "./settings.ts";
import { spendExamPurchases } from "../spend/spend-exam.ts";
import { tokenExamRequests } from "../tokens/token-exam.ts";
import { declaredRequests } from "../history/declared-requests.ts";

export interface PlannedExam {
  readonly id: string;
  readonly title: string;
  readonly requests: number;
  readonly minutes: number;
  readonly cents: number;
  readonly phases: number;
}

/** What an exam will spend on the target, and what it cannot judge for lack of a fixture, permission or declaration. */
export interface LimitsPlan {
  readonly exams: readonly PlannedExam[];
  readonly requests: number;
  readonly minutes: number;
  readonly cents: number;
  readonly notJudged: LimitsResult["notJudged"];
}

export function planLimits(manifest: Manifest, exam: ExamDepth): LimitsPlan {
  const exams: PlannedExam[] = [];
  const keys = chooseExamKeys(manifest);
  const notJudged: { policy: string; reason: string }[] = [];
  const limit = declaredRequests(manifest, chooseExamKeys(manifest).requests ?? "") ?? 60;
  const windowMinutes = tolerancesFor(manifest).windowMs / 60_000;
  if (keys.requests === null) {
    notJudged.push({ policy: "requests", reason: "no-fixture: no key named primary" });
  } else {
    const drains = manifest.permissions.exhaustLimits;
    const virtual = manifest.control !== null;
    const requests = Math.ceil(drains ? 1.5 * limit + 60 + (virtual ? 1.2 * limit + 20 : 0) : limit / 3 + 10);
    exams.push({
      id: "requests",
      title: "Request limit",
      requests: exam === "full" && drains ? Math.ceil(6.9 * limit + 105) : requests,
      // By where in its window it begins: 0.4 to 2.3 windows, and 11 to 16.
      minutes: drains ? windowMinutes * (exam === "full" ? 13.3 : 1.25) : 0.4,
      cents: 0,
      phases: drains ? (exam === "full" ? 15 : virtual ? 9 : 8) : 3,
    });
    if (!drains) notJudged.push({ policy: "requests", reason: "not-permitted: exhaustLimits is off, so no limit is reached" });
    if (keys.requestsTwin === null) notJudged.push({ policy: "isolation of keys", reason: "no-fixture: no key named secondary" });
    if (!manifest.exclusive) {
      notJudged.push({ policy: "rejections and counting", reason: "not-declared: others may use the keys (exclusive is false)" });
    }
  }
  planBursts(manifest, exam, exams, notJudged);
  if (keys.tokens === null || manifest.models.chat === null) {
    notJudged.push({ policy: "tokens", reason: "no-fixture: no key with a small token limit (lowToken), or no chat model" });
  } else {
    exams.push({ id: "tokens", title: "Token limit", requests: tokenExamRequests, minutes: 0.3, cents: 2, phases: 2 });
  }
  planSpend(manifest, exams, notJudged);
  const sum = (pick: (exam: PlannedExam) => number): number => exams.reduce((total, planned) => total + pick(planned), 0);
  return {
    exams,
    requests: sum((planned) => planned.requests),
    minutes: manifest.control === null ? longestWait(exams) : 0,
    cents: sum((planned) => planned.cents),
    notJudged,
  };
}

/** Exams share the wait, all but that of spend caps. */
function longestWait(exams: readonly PlannedExam[]): number {
  const spend = exams.find(({ id }) => id === "spend")?.minutes ?? 0;
  const others = exams.filter(({ id }) => id !== "spend").map(({ minutes }) => minutes);
  return Math.round((Math.max(0, ...others) + spend) * 10) / 10;
}

function planBursts(
  manifest: Manifest,
  exam: ExamDepth,
  exams: PlannedExam[],
  notJudged: { policy: string; reason: string }[],
): void {
  const keys = chooseExamKeys(manifest);
  const members = ["burst_limit", "cooldown_seconds"];
  const thorough = exam === "full" || manifest.control !== null;
  const minutes = thorough ? 7.7 + (2 * manifest.propagationSeconds) / 60 : 1.25 + manifest.propagationSeconds / 60;
  if (keys.burst !== null && mayChange({ manifest }, `key:${keys.burst}`, members)) {
    exams.push({
      id: "burst",
      title: "Burst and cooldown",
      requests: thorough ? 55 : 22,
      minutes,
      cents: 0,
      phases: thorough ? 4 : 2,
    });
  } else
    notJudged.push({
      policy: "burst",
      reason: "not-permitted: patchSettings, a key with an id and its values to restore are needed",
    });
  if (keys.burstQueue === null) {
    notJudged.push({ policy: "queue", reason: "no-fixture: no key named queue, whose preference is to queue" });
  } else if (mayChange({ manifest }, `key:${keys.burstQueue}`, members)) {
    exams.push({
      id: "burst-queue",
      title: "Queueing in a cooldown",
      requests: 22,
      minutes: 1.25 + manifest.propagationSeconds / 60,
      cents: 0,
      phases: 2,
    });
  }
}

function planSpend(manifest: Manifest, exams: PlannedExam[], notJudged: { policy: string; reason: string }[]): void {
  const keys = chooseExamKeys(manifest);
  const cents = Math.ceil(manifest.prices.perImage * 100 * spendExamPurchases);
  if (keys.spend === null) {
    notJudged.push({ policy: "spend caps", reason: "no-fixture: no key named spendA whose cap may be reached" });
  } else if (!mayChange({ manifest }, `key:${keys.spend}`, ["monthly_spend_cap"])) {
    notJudged.push({
      policy: "spend caps",
      reason: "not-permitted: patchSettings, the id of the key and its values to restore are needed",
    });
  } else if (manifest.permissions.spendUpToCents < cents) {
    notJudged.push({
      policy: "spend caps",
      reason: `not-permitted: up to ${cents} cents are needed, ${manifest.permissions.spendUpToCents} are allowed`,
    });
  } else {
    exams.push({
      id: "spend",
      title: "Spend caps",
      requests: 45,
      minutes: 0.15 + (8 * (manifest.propagationSeconds + 0.5)) / 60,
      cents,
      phases: 5,
    });
    if (keys.spendTwin === null)
      notJudged.push({ policy: "account cap", reason: "no-fixture: no second key of the same account (spendB)" });
    if (manifest.control === null)
      notJudged.push({
        policy: "billing cycle",
        reason: "no-fixture: the end of a month can only be reached on a virtual clock",
      });
  }
}
