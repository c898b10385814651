import type { Case, CaseRequest, CaseTools, Need } from "../src/conformance/plan/case.ts";
import { tokensOf, usageLabels } from "../src/conformance/judges/usage/usage-interval.ts";
import { readUsageReport } from "../src/conformance/judges/usage/usage-report.ts";
import { windowLabels } from "../src/conformance/judges/usage/usage-windows.ts";
import type { ExchangeFacts } from "../src/core/exchange/exchange-facts.ts";
import type { Intent } from "../src/core/exchange/intent.ts";

const endpoint = "usage";
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const resource = "usage";
const chatNeed: Need = { kind: "model", use: "chat" };

interface Window {
  readonly from: string;
  readonly to: string;
  readonly granularity?: string;
}

function usagePath(query: Readonly<Record<string, string>>): string {
  return `/v1/usage?${new URLSearchParams(query).toString()}`;
}

async function report(
  tools: CaseTools,
  label: string,
  { from, to, granularity }: Window,
  intent?: Intent,
): Promise<ExchangeFacts> {
  const path = usagePath({ from, to, ...(granularity === undefined ? {} : { granularity }) });
  return tools.send({ endpoint, label, path, ...(intent === undefined ? {} : { intent }) });
}

/** In UTC without a fraction: `2026-01-31T00:00:00Z`. */
function utc(unixMs: number): string {
  return `${new Date(unixMs).toISOString().slice(0, 19)}Z`;
}

/** The same instant as read from a clock two hours ahead of UTC. */
function twoHoursAhead(unixMs: number): string {
  return `${new Date(unixMs + 2 * hourMs).toISOString().slice(0, 19)}+02:00`;
}

function floorTo(unixMs: number, stepMs: number): number {
  return Math.floor(unixMs / stepMs) * stepMs;
}

/** Now on the clock of the target, Unix milliseconds. */
async function askTime(tools: CaseTools): Promise<number> {
  return (await tools.send({ endpoint: "models", label: "clock" })).targetNowSeconds * 1000;
}

/** A closed window of days that no target can have forgotten yet. */
async function recentWindow(tools: CaseTools): Promise<{ readonly fromMs: number; readonly toMs: number }> {
  const today = floorTo(await askTime(tools), dayMs);
  return { fromMs: today - 2 * dayMs, toMs: today };
}

const notation: readonly Case[] = [
  {
    id: "usage/notations",
    suite: "usage",
    title: "Takes a window in every notation and every granularity",
    covers: ["SVC-008", "USG-001", "USG-004", "USG-005", "USG-006", "USG-008", "USG-009", "USG-010"],
    needs: [],
    cost: { requests: { models: 1, usage: 8 }, tokens: 0 },
    resource,
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
    suite: "usage",
    title: "Records the answers to windows without a stated rule",
    covers: ["USG-013", "USG-043"],
    needs: [],
    cost: { requests: { models: 1, usage: 2 }, tokens: 0 },
    resource,
    async run(tools) {
      const ask = (requirement: string, question: string): Intent => ({ kind: "probe-unspecified", requirement, question });
      const { fromMs, toMs } = await recentWindow(tools);
      const [from, to] = [utc(fromMs), utc(toMs)];
      await report(tools, "reversed", { from: to, to: from }, ask("USG-013", "a window that ends before it starts"));
      await report(tools, "empty", { from, to: from }, ask("USG-043", "a window without duration"));
    },
  },
];

/** Seconds after which a case no longer waits for usage to show; `features.usageSettleSeconds` of the manifest. */
function settleMs(tools: CaseTools): number {
  const declared = tools.manifest.features["usageSettleSeconds"];
  return (typeof declared === "number" ? declared : 30) * 1000;
}

interface ChatOptions {
  readonly key?: string;
  readonly stream?: boolean;
}

async function chat(tools: CaseTools, label: string, more: ChatOptions = {}): Promise<ExchangeFacts> {
  return tools.send(chatAbout(tools, label, more));
}

function chatAbout(tools: CaseTools, label: string, more: ChatOptions = {}): CaseRequest {
  const value = {
    model: tools.manifest.models.chat,
    messages: [{ role: "user", content: `Name one colour. (${label})` }],
    max_tokens: 12,
    ...(more.stream === true ? { stream: true } : {}),
  };
  return {
    endpoint: "chat",
    label,
    credential: { kind: "bearer", key: more.key ?? "primary" },
    body: { kind: "json", value },
  };
}

/** Reports before and after some traffic; asks again until its tokens show or the settling time is over. */
async function around(tools: CaseTools, traffic: () => Promise<readonly ExchangeFacts[]>): Promise<void> {
  const hour = floorTo(await askTime(tools), hourMs);
  const window: Window = { from: utc(hour - 2 * hourMs), to: utc(hour + 2 * hourMs), granularity: "hour" };
  const before = readUsageReport(await report(tools, usageLabels.before, window));
  const sent = await traffic();
  const wanted = Math.max(
    1,
    sent.reduce((sum, exchange) => sum + tokensOf(exchange), 0),
  );
  const deadlineMs = tools.wallMs() + settleMs(tools);
  for (let [round, pauseMs] = [1, 1000]; ; round += 1, pauseMs *= 2) {
    const after = readUsageReport(await report(tools, `${usageLabels.after}${round}`, window));
    const growth = (after?.totalTokens ?? 0) - (before?.totalTokens ?? 0);
    const restMs = deadlineMs - tools.wallMs();
    if (growth >= wanted || before === null || restMs <= 0) return;
    await tools.sleep(Math.min(pauseMs, restMs));
  }
}

/** Reads the report until two in a row say the same: what was used before may still be on its way. */
async function untilStill(tools: CaseTools, window: Window): Promise<void> {
  let last: number | null = null;
  for (let round = 1; round <= 6; round += 1) {
    const tokens = readUsageReport(await report(tools, `still-${round}`, window))?.totalTokens ?? null;
    if (tokens === last) return;
    last = tokens;
    await tools.sleep(2000);
  }
}

const reconciliation: readonly Case[] = [
  {
    id: "usage/reconciles",
    suite: "usage",
    title: "Reports the tokens that its answers reported, in the bucket of their time",
    covers: ["USG-032", "USG-036", "USG-040"],
    needs: [chatNeed],
    cost: { requests: { models: 1, usage: 8, chat: 2, embeddings: 1 }, tokens: 120 },
    resource,
    alone: true,
    run: (tools) =>
      around(tools, async () => {
        const { embedding } = tools.manifest.models;
        const sent = [await chat(tools, "chat-1"), await chat(tools, "chat-2")];
        if (embedding === null) return sent;
        const body = {
          kind: "json",
          value: { model: embedding, input: ["One colour.", "Another colour.", "A third colour."] },
        } as const;
        return [...sent, await tools.send({ endpoint: "embeddings", label: "batch", body })];
      }),
  },
  {
    id: "usage/covers-the-account",
    suite: "usage",
    title: "Reports what another key of the account used",
    covers: ["USG-033"],
    needs: [chatNeed, { kind: "key", name: "secondary" }],
    cost: { requests: { models: 1, usage: 8, chat: 1 }, tokens: 40 },
    resource,
    alone: true,
    run: (tools) => around(tools, async () => [await chat(tools, "other-key", { key: "secondary" })]),
  },
  {
    id: "usage/at-once",
    suite: "usage",
    title: "Counts every one of several answers given at the same time",
    covers: ["USG-032"],
    needs: [chatNeed],
    cost: { requests: { models: 1, usage: 8, chat: 12, embeddings: 6 }, tokens: 700 },
    resource,
    alone: true,
    run: (tools) =>
      around(tools, async () => {
        const { embedding } = tools.manifest.models;
        const texts = ["One colour.", "Another colour.", "A third colour."];
        const batches = Array.from({ length: embedding === null ? 0 : 6 }, (_, round): CaseRequest => ({
          endpoint: "embeddings",
          label: `batch-${round}`,
          body: { kind: "json", value: { model: embedding, input: texts } },
        }));
        const chats = Array.from({ length: 12 }, (_, round) => chatAbout(tools, `chat-${round}`));
        return tools.sendAtOnce([...chats, ...batches]);
      }),
  },
  {
    id: "usage/counts-streams",
    suite: "usage",
    title: "Reports streamed answers as well",
    covers: ["USG-041"],
    needs: [chatNeed],
    cost: { requests: { models: 1, usage: 8, chat: 1 }, tokens: 40 },
    resource,
    alone: true,
    run: (tools) => around(tools, async () => [await chat(tools, "stream", { stream: true })]),
  },
  {
    id: "usage/refused-requests",
    suite: "usage",
    title: "Adds nothing to the usage for a refused request",
    covers: ["USG-042"],
    needs: [chatNeed, { kind: "exclusive" }],
    cost: { requests: { models: 1, usage: 8, chat: 4, embeddings: 1, images: 1 }, tokens: 0, images: 1 },
    resource,
    alone: true,
    async run(tools) {
      const hour = floorTo(await askTime(tools), hourMs);
      const window: Window = { from: utc(hour - hourMs), to: utc(hour + 2 * hourMs), granularity: "hour" };
      await untilStill(tools, window);
      await report(tools, usageLabels.before, window);
      const { chat: model, embedding } = tools.manifest.models;
      const messages = [{ role: "user", content: "Name one colour." }];
      const refused = [
        ["missing", "chat", { model }],
        ["out-of-range", "chat", { model, messages, temperature: 9 }],
        ["streamed", "chat", { model, messages, temperature: 9, stream: true }],
        ["unknown-model", "chat", { model: "assay-no-such-model", messages }],
        ["batch", "embeddings", { model: embedding, input: ["One colour."], encoding_format: "hex" }],
        ["image", "images", { prompt: "A red circle", size: "3x3" }],
      ] as const;
      for (const [label, endpoint, value] of refused) {
        await tools.send({
          endpoint,
          label,
          body: { kind: "json", value },
          intent: { kind: "housekeeping", purpose: "be refused" },
        });
      }
      // As long as usage took to show elsewhere at most: what is billed late must not be missed.
      await tools.sleep(2000);
      await report(tools, `${usageLabels.after}1`, window);
    },
  },
];

const windows: Case = {
  id: "usage/windows",
  suite: "usage",
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
  ],
  needs: [chatNeed],
  cost: { requests: { chat: 1, usage: 13 }, tokens: 40 },
  resource,
  async run(tools) {
    // Something has to be used, or equal windows would be equally empty.
    const nowMs = (await chat(tools, "something")).targetNowSeconds * 1000;
    const [fromMs, toMs] = [floorTo(nowMs, dayMs) - dayMs, floorTo(nowMs, dayMs) + dayMs];
    const edgeMs = floorTo(nowMs, hourMs);
    const whole: Window = { from: utc(fromMs), to: utc(toMs), granularity: "day" };
    const { from, to } = whole;
    const [first, second, third, fourth] = windowLabels.frames;
    await report(tools, first, whole);
    await report(tools, windowLabels.offset, { from: twoHoursAhead(fromMs), to: twoHoursAhead(toMs), granularity: "day" });
    await report(tools, second, whole);
    await report(tools, windowLabels.hour, { from, to, granularity: "hour" });
    await report(tools, windowLabels.month, { from, to, granularity: "month" });
    await report(tools, windowLabels.omitted, { from, to });
    await report(tools, third, whole);
    await report(tools, windowLabels.left, { from, to: utc(edgeMs), granularity: "hour" });
    const early = { from: twoHoursAhead(fromMs), to: twoHoursAhead(edgeMs) };
    await report(tools, windowLabels.leftOffset, { ...early, granularity: "hour" });
    await report(tools, windowLabels.right, { from: utc(edgeMs), to, granularity: "hour" });
    await report(tools, fourth, whole);
    // Begins inside an hour: the rest of that hour may begin with the window, the next ones begin where hours do.
    await report(tools, "cut", { from: utc(edgeMs - hourMs - 17 * minuteMs), to: utc(edgeMs + hourMs), granularity: "hour" });
    const future = floorTo(nowMs + 365 * dayMs, dayMs);
    // Not a valid request in the sense of the specification: it does not say that the future may be asked for.
    const intent: Intent = { kind: "housekeeping", purpose: "read usage of the future" };
    await report(tools, windowLabels.future, { from: utc(future), to: utc(future + dayMs) }, intent);
  },
};

/** Wrong ends of a window around the present, so that no guess of the missing one could make the other wrong. */
function badEndCase(field: "from" | "to", missing: string, values: readonly string[]): Case {
  return {
    id: `usage/rejects-bad-${field}`,
    suite: "usage",
    title: `Refuses bad values of ${field}`,
    covers: [missing, "USG-007"],
    needs: [],
    cost: { requests: { models: 1, usage: values.length + 2 }, tokens: 0 },
    resource,
    async run(tools) {
      const hour = floorTo(await askTime(tools), hourMs);
      const whole = { from: utc(hour - dayMs), to: utc(hour + dayMs) };
      await report(tools, "twin", whole);
      const { [field]: _removed, ...rest } = whole;
      await tools.send({
        endpoint,
        label: "missing",
        path: usagePath(rest),
        intent: { kind: "violates", requirement: missing, condition: "missing-field", field, twin: "twin" },
      });
      for (const [index, value] of values.entries()) {
        const intent: Intent = { kind: "violates", requirement: "USG-007", condition: "out-of-range", field, twin: "twin" };
        await report(tools, `bad-${index + 1}`, { ...whole, [field]: value }, intent);
      }
    },
  };
}

const negatives: readonly Case[] = [
  badEndCase("from", "USG-002", ["yesterday", "1700000000"]),
  badEndCase("to", "USG-003", ["tomorrow", "1900000000"]),
  {
    id: "usage/rejects-bad-granularity",
    suite: "usage",
    title: "Refuses bad values of granularity",
    covers: ["USG-012"],
    needs: [],
    cost: { requests: { models: 1, usage: 3 }, tokens: 0 },
    resource,
    async run(tools) {
      const { fromMs, toMs } = await recentWindow(tools);
      const window: Window = { from: utc(fromMs), to: utc(toMs) };
      await report(tools, "twin", { ...window, granularity: "day" });
      for (const [index, granularity] of ["week", ""].entries()) {
        await report(
          tools,
          `bad-${index + 1}`,
          { ...window, granularity },
          {
            kind: "violates",
            requirement: "USG-012",
            condition: "out-of-range",
            field: "granularity",
            twin: "twin",
          },
        );
      }
    },
  },
];

export const usageCases: readonly Case[] = [...notation, windows, ...reconciliation, ...negatives];
