import type { Case, CaseTools } from "../../src/conformance/plan/case.ts";
import { windowLabels } from "../../src/conformance/judges/usage/usage-windows.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";
import { type CaseDraft, casesOf } from "../cases-of.ts";
import {
  askTime,
  chat,
  chatNeed,
  dayMs,
  floorTo,
  hourMs,
  minuteMs,
  report,
  twoHoursAhead,
  usagePath,
  usageResource,
  utc,
  type UsageWindow,
} from "../requests/usage-tools.ts";
import { question, violates } from "../requests/intents.ts";

/** A closed window of days that no target can have forgotten yet. */
async function recentWindow(tools: CaseTools): Promise<{ readonly fromMs: number; readonly toMs: number }> {
  const today = floorTo(await askTime(tools), dayMs);
  return { fromMs: today - 2 * dayMs, toMs: today };
}

/** Wrong ends of a window around the present, so that no guess of the missing one could make the other wrong. */
function badEndCase(field: "from" | "to", missing: string, values: readonly string[]): CaseDraft {
  return {
    id: `usage/rejects-bad-${field}`,
    title: `Refuses bad values of ${field}`,
    covers: [missing, "USG-007", "ERR-021", "ERR-022"],
    cost: { requests: { models: 1, usage: values.length + 2 }, tokens: 0 },
    async run(tools) {
      const hour = floorTo(await askTime(tools), hourMs);
      const whole = { from: utc(hour - dayMs), to: utc(hour + dayMs) };
      await report(tools, "twin", whole);
      const { [field]: _removed, ...rest } = whole;
      await tools.send({
        endpoint: "usage",
        label: "missing",
        path: usagePath(rest),
        intent: violates(missing, "missing-field", { field }),
      });
      for (const [index, value] of values.entries()) {
        await report(
          tools,
          `bad-${index + 1}`,
          { ...whole, [field]: value },
          { intent: violates("USG-007", "out-of-range", { field }) },
        );
      }
    },
  };
}

interface LabelledWindow extends UsageWindow {
  readonly label: string;
}

/** A service may bound the length of a window, or have forgotten its begin. */
function longWindows(nowMs: number, to: string): readonly LabelledWindow[] {
  const daysAgo = (days: number): string => utc(floorTo(nowMs, dayMs) - days * dayMs);
  // Two months begin within 75 days, whichever day it is. Six days have fewer hours than a week, the usual bound.
  return [
    { label: "months", from: daysAgo(75), to, granularity: "month" },
    { label: "days-by-hour", from: daysAgo(5), to, granularity: "hour" },
  ];
}

/**
 * Windows that begin after now: a year later, and in the same day and the same month, so that a start that is moved back to where its
 * day or its month begins shows what was used today. Two hours lie between, since hours of other time zones begin within ours.
 */
function windowsToCome(nowMs: number): readonly LabelledWindow[] {
  const today = floorTo(nowMs, dayMs);
  const soon = floorTo(nowMs, hourMs) + 2 * hourMs;
  const [nextYear, laterToday, tomorrow] = windowLabels.futures;
  const far = floorTo(nowMs + 365 * dayMs, dayMs);
  return [
    { label: nextYear, from: utc(far), to: utc(far + dayMs) },
    // Late in the evening nothing of the day is left.
    ...(soon < today + dayMs ? [{ label: laterToday, from: utc(soon), to: utc(today + dayMs), granularity: "hour" }] : []),
    { label: tomorrow, from: utc(today + dayMs + 2 * hourMs), to: utc(today + 2 * dayMs), granularity: "hour" },
  ];
}

/** Not a valid request in the sense of the specification: it does not say that such a window may be asked for. */
function mayBeRefused(purpose: string): Intent {
  return { kind: "housekeeping", purpose, answers: ["2xx", "4xx"] };
}

/** Section "GET /v1/usage". */
export const usageCases: readonly Case[] = casesOf({ suite: "usage", resource: usageResource }, [
  {
    id: "usage/notations",
    title: "Takes a window in every notation and every granularity",
    covers: ["SVC-008", "USG-001", "USG-004", "USG-005", "USG-006", "USG-008", "USG-009", "USG-010"],
    cost: { requests: { models: 1, usage: 8 }, tokens: 0 },
    async run(tools) {
      const { fromMs, toMs } = await recentWindow(tools);
      const [from, to] = [utc(fromMs), utc(toMs)];
      await report(tools, "plain", { from, to });
      // Each notation with and without a granularity and beside another, so that a refusal can be blamed on one of them.
      const exact = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
      const ahead = { from: twoHoursAhead(fromMs), to: twoHoursAhead(toMs) };
      const exactAhead = { from: ahead.from.replace("+", ".000+"), to: ahead.to.replace("+", ".000+") };
      await report(tools, "milliseconds", exact);
      await report(tools, "milliseconds-offset", { ...exactAhead, granularity: "day" });
      await report(tools, "offset", ahead);
      await report(tools, "offset-day", { ...ahead, granularity: "day" });
      for (const granularity of ["hour", "day", "month"]) await report(tools, granularity, { from, to, granularity });
    },
  },
  {
    id: "usage/unstated-windows",
    title: "Records the answers to windows without a stated rule",
    covers: ["USG-013", "USG-043"],
    cost: { requests: { models: 1, usage: 2 }, tokens: 0 },
    async run(tools) {
      const { fromMs, toMs } = await recentWindow(tools);
      const [from, to] = [utc(fromMs), utc(toMs)];
      await report(
        tools,
        "reversed",
        { from: to, to: from },
        { intent: question("USG-013", "a window that ends before it starts") },
      );
      await report(tools, "empty", { from, to: from }, { intent: question("USG-043", "a window without duration") });
    },
  },
  {
    id: "usage/windows",
    title: "Reports the same for the same window, however it is asked for",
    covers: [
      "USG-005",
      "USG-011",
      "USG-014",
      "USG-015",
      "USG-016",
      "USG-017",
      "USG-018",
      "USG-019",
      "USG-020",
      "USG-021",
      "USG-022",
      "USG-023",
      "USG-024",
      "USG-025",
      "USG-026",
      "USG-027",
      "USG-028",
      "USG-029",
      "USG-030",
      "USG-031",
      "USG-034",
      "USG-035",
      "USG-037",
      "USG-038",
      "USG-045",
    ],
    needs: [chatNeed],
    // Reports of one window are compared where their tokens are the same: nothing else may be used between them.
    alone: true,
    cost: { requests: { chat: 1, usage: 20 }, tokens: 60 },
    async run(tools) {
      // Something has to be used, or equal windows would be equally empty.
      const nowMs = (await chat(tools, "something")).targetNowSeconds * 1000;
      const [fromMs, toMs] = [floorTo(nowMs, dayMs) - dayMs, floorTo(nowMs, dayMs) + dayMs];
      const edgeMs = floorTo(nowMs, hourMs);
      const whole: UsageWindow = { from: utc(fromMs), to: utc(toMs), granularity: "day" };
      const { from, to } = whole;
      const [first, second, third, fourth] = windowLabels.frames;
      await report(tools, first, whole);
      await report(tools, windowLabels.offset, { from: twoHoursAhead(fromMs), to: twoHoursAhead(toMs), granularity: "day" });
      await report(tools, second, whole);
      if (tools.manifest.keys["secondary"] !== undefined) await report(tools, "other-key", whole, { key: "secondary" });
      await report(tools, windowLabels.hour, { from, to, granularity: "hour" });
      await report(tools, windowLabels.month, { from, to, granularity: "month" });
      await report(tools, windowLabels.omitted, { from, to });
      await report(tools, third, whole);
      await report(tools, windowLabels.left, { from, to: utc(edgeMs), granularity: "hour" });
      await report(tools, windowLabels.daysBefore, { from, to: utc(floorTo(nowMs, dayMs)), granularity: "day" });
      await report(tools, windowLabels.today, { from: utc(floorTo(nowMs, dayMs)), to, granularity: "day" });
      const early = { from: twoHoursAhead(fromMs), to: twoHoursAhead(edgeMs) };
      await report(tools, windowLabels.leftOffset, { ...early, granularity: "hour" });
      await report(tools, windowLabels.right, { from: utc(edgeMs), to, granularity: "hour" });
      await report(tools, fourth, whole);
      // Begins inside an hour: the rest of that hour may begin with the window, the next ones begin where hours do.
      await report(tools, "cut", { from: utc(edgeMs - hourMs - 17 * minuteMs), to: utc(edgeMs + hourMs), granularity: "hour" });
      for (const window of longWindows(nowMs, to)) {
        await report(tools, window.label, window, { intent: mayBeRefused("read usage of a long window") });
      }
      for (const window of windowsToCome(nowMs)) {
        await report(tools, window.label, window, { intent: mayBeRefused("read usage of the future") });
      }
    },
  },
  badEndCase("from", "USG-002", ["yesterday", "1700000000"]),
  badEndCase("to", "USG-003", ["tomorrow", "1900000000"]),
  {
    id: "usage/rejects-bad-granularity",
    title: "Refuses bad values of granularity",
    covers: ["USG-012"],
    cost: { requests: { models: 1, usage: 3 }, tokens: 0 },
    async run(tools) {
      const { fromMs, toMs } = await recentWindow(tools);
      const window: UsageWindow = { from: utc(fromMs), to: utc(toMs) };
      await report(tools, "twin", { ...window, granularity: "day" });
      for (const [index, granularity] of ["week", ""].entries()) {
        const intent = violates("USG-012", "out-of-range", { field: "granularity" });
        await report(tools, `bad-${index + 1}`, { ...window, granularity }, { intent });
      }
    },
  },
]);
