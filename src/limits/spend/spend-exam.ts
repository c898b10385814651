import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { readOp } from "../history/history.ts";
import type { LimitOp } from "../history/op.ts";
import type { ExamStages } from "../probe/exam-stages.ts";
import type { ExamRequest } from "../probe/exam-request.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { adminFor } from "../probe/exam-keys.ts";
import { cheapBody } from "../probe/cheap-request.ts";
import { mayChange, withSettings } from "../probe/settings.ts";
import { boundPrice } from "../history/price-bounds.ts";
import { reportLagMs } from "./crossing-checks.ts";
import { leastPriceCents } from "./least-price-cents.ts";
import { picturesOfPurchase } from "./pictures-of-purchase.ts";
import { searchSpend } from "./search-spend.ts";
import { readTotalCents, usagePath } from "../history/usage-total.ts";

export interface SpendExamSubject {
  readonly key: string;
  /** Another key of the same account; null when the manifest has none. */
  readonly twin: string | null;
  /** The clock is virtual: the end of the billing cycle can be waited for. */
  readonly virtual: boolean;
  /** How many the plan allows for. */
  readonly pictures: number;
  readonly stages: ExamStages;
}

type Phase = LimitPhases["spend"];

/** A cap that no exam reaches, cents. */
const farCents = 100_000;

/**
 * Caps set a little above what is spent, then bought against: one by one, together, with another key, after the cap was moved.
 * Prices come from the usage report around one purchase, so that nothing about them is assumed.
 */
export async function runSpendExam(tools: ProbeTools, subject: SpendExamSubject): Promise<void> {
  tools.enter("spend: price of one request");
  const before = await spentCents(tools, subject, "before");
  await buy(tools, subject.key, "price");
  let after = await spentCents(tools, subject, "after");
  // A report may be some seconds behind.
  for (let waitedMs = 0; after !== null && after === before && waitedMs < reportLagMs; waitedMs += 1500) {
    await tools.sleep(1500, "the usage report catches up");
    after = await spentCents(tools, subject, "after");
  }
  const price = before === null || after === null ? 0 : after - before;
  const { stages } = subject;
  const budget = tools.manifest.permissions.spendUpToCents;
  if (price < leastPriceCents || price * subject.pictures > budget) {
    tools.onProgress({
      kind: "note",
      text: `spend: one purchase costs ${price.toFixed(2)} cents; it must cost 2 at least and ${subject.pictures} of them at most ${budget}`,
    });
    return;
  }
  const both = ["monthly_spend_cap", "cooldown_seconds"];
  const meets = tools.exam === "full" || subject.virtual ? mayChange(tools, `key:${subject.key}`, both) : false;
  await withSettings(tools, `key:${subject.key}`, meets ? both : ["monthly_spend_cap"], async ({ change, changeAtOnce }) => {
    const settle = async (): Promise<void> => tools.sleep(tools.manifest.propagationSeconds * 1000 + 500, "settings take effect");
    const setCap = async (cents: number | null): Promise<Exchange> => {
      const exchange = await change({ monthly_spend_cap: cents });
      await settle();
      return exchange;
    };
    if (stages.has("spend.capped")) await keyCap(tools, subject, price, setCap);
    if (stages.has("spend.lowered")) {
      const loweredCents = lowered(tools, subject);
      await setCap(loweredCents);
      await buy(tools, subject.key, "lowered");
      if (meets) {
        await setCap(farCents);
        await changeAtOnce([{ monthly_spend_cap: loweredCents }, { cooldown_seconds: 1 }]);
        await settle();
        await buy(tools, subject.key, "lowered-at-once");
      }
    }
    if (stages.has("spend.account") && subject.twin !== null && mayChange(tools, "account", ["account_spend_cap"]))
      await accountCap(tools, subject, price, setCap);
  });
}

async function keyCap(
  tools: ProbeTools,
  subject: SpendExamSubject,
  price: number,
  setCap: (cents: number | null) => Promise<Exchange>,
): Promise<void> {
  const { key, twin } = subject;
  tools.enter("spend: below what is spent");
  await setCap(Math.max(1, Math.floor(price / 2)));
  // One admission may be the first of a new billing cycle; two are not explained by the end of a month.
  if ((await buy(tools, key, "capped")).outcome === "admitted") await buy(tools, key, "capped");
  await otherEndpoints(tools, key);
  // The other key buys enough to show whose spend a cap is compared with.
  for (const phase of twin === null ? [] : (["twin", "twin", "twin"] as const)) await buy(tools, twin ?? key, phase);
  // Bought once more, some moments later: a cap that was reached stays reached.
  await buy(tools, key, "capped");
  await setCap(0);
  await buy(tools, key, "zero");
  if (!subject.stages.has("spend.raised")) return;

  tools.enter("spend: cap raised and reached one by one");
  if (readsAlone(tools, subject)) await setCap(farCents);
  await tools.sleep(reportLagMs, "the usage report catches up");
  const spent = (await spentCents(tools, subject, "raise")) ?? (await spentCents(tools, subject, "raise"));
  if (spent === null) {
    tools.onProgress({ kind: "note", text: "spend: the usage report could not be read, so that no cap above the spend was set" });
    return;
  }
  // If others of the account have spent as well, or this key before, its own spend is searched for.
  const isAllOurs = spent - admittedPurchases(tools) * price < 1.5 * price;
  const asked = {
    buy: async (phase: "capped" | "search") => (await buy(tools, key, phase)).outcome,
    setCap,
    price,
    reported: spent,
  };
  const high = Math.ceil((isAllOurs ? spent : await searchSpend(asked)) + 2.5 * price);
  await setCap(high);
  let last = await buy(tools, key, "raised");
  for (let count = 0; count < 6 && last.outcome === "admitted"; count += 1) last = await buy(tools, key, "raised");

  if (last.outcome !== "admitted") {
    tools.enter("spend: simultaneous requests at the cap");
    await setCap(high + Math.floor(2.5 * price));
    await tools.burst(purchase(tools, key, "race"), 8);
    await tools.sleep(3000, "charges settle");
    await buy(tools, key, "raced");
    await tools.sleep(reportLagMs, "the usage report catches up");
    const isAlone = readsAlone(tools, subject);
    if (!isAlone) await spentCents(tools, subject, "race");
    await tools.sleep(2000, "the wait of a quota refusal counts down");
    await buy(tools, key, "raced");
    if (isAlone) {
      await setCap(farCents);
      await spentCents(tools, subject, "race");
    }
  }
  await setCap(farCents);
}

/** Below what the key certainly spent, and so little below that a cap of twice as much lies above it. */
const loweredShare = 0.65;

function lowered(tools: ProbeTools, { key }: SpendExamSubject): number {
  return Math.max(1, Math.floor(loweredShare * boughtCents(tools, [key])));
}

/** Requests that cost money, beside pictures. */
const billed = [
  ["chat", false],
  ["chat", true],
  ["embeddings", false],
  ["transcriptions", false],
] as const;

/** Once the cap is reached, every billable endpoint is refused; the answers of free ones are recorded. */
async function otherEndpoints(tools: ProbeTools, key: string): Promise<void> {
  const base = { policy: "spend", phase: "capped-other", key } as const;
  for (const [endpoint, streamed] of billed) {
    const body = cheapBody(endpoint, tools.manifest, streamed);
    if (body !== null) await tools.send({ ...base, endpoint, body });
  }
  await tools.send({ ...base, phase: "capped-free", endpoint: "models" });
}

/** Over all keys: both are refused when the account has spent what its cap allows, whatever their own caps are. */
async function accountCap(
  tools: ProbeTools,
  subject: SpendExamSubject,
  price: number,
  setKeyCap: (cents: number | null) => Promise<Exchange>,
): Promise<void> {
  const { key, twin } = subject;
  // The purchases of this exam: reached, whatever was spent before it.
  const reachedCents = Math.floor(boughtCents(tools, [key, twin ?? key]));
  // A cap near the price of one request may lawfully refuse the first one of a new cycle.
  if (reachedCents < 2 * price) {
    tools.notJudged({ policy: "account cap", text: "the usage reports lag: they do not show what this exam bought" });
    return;
  }
  tools.enter("spend: account cap");
  await setKeyCap(farCents);
  await withSettings(tools, "account", ["account_spend_cap"], async ({ change }) => {
    await change({ account_spend_cap: reachedCents });
    await tools.sleep(tools.manifest.propagationSeconds * 1000 + 500, "settings take effect");
    await buy(tools, key, "account");
    const refused = await buy(tools, twin ?? key, "account");
    if (!subject.virtual || refused.outcome !== "rejected") return;
    await setKeyCap(Math.max(1, Math.floor(price * 1.5)));
    const own = await buy(tools, key, "cycle-before");
    const waitMs = own.retry?.bodyMs?.waitMs ?? refused.retry?.bodyMs?.waitMs ?? null;
    if (waitMs === null || waitMs < 120_000) return;
    const endMs = tools.clock.nowMs() + waitMs;
    tools.enter("spend: billing cycle");
    await tools.sleep(endMs - 60_000 - tools.clock.nowMs(), "the end of the billing cycle");
    await buy(tools, twin ?? key, "cycle-early");
    await tools.sleep(endMs + 5000 - tools.clock.nowMs(), "the end of the billing cycle");
    await buy(tools, key, "cycle-after");
    await buy(tools, twin ?? key, "cycle-after");
  });
}

/** null: no request of this exam. */
function phaseOf({ intent }: Exchange): Phase | null {
  return intent.kind === "limit" && intent.policy === "spend" ? intent.phase : null;
}

function admittedPurchases(tools: ProbeTools): number {
  const own = tools.sent.filter((exchange) => phaseOf(exchange) !== null && exchange.endpoint === "images");
  return own.filter((exchange) => readOp(exchange)?.outcome === "admitted").length;
}

/** The least that the purchases of these keys in this exam cost, cents. */
function boughtCents(tools: ProbeTools, keys: readonly string[]): number {
  const own = tools.sent.filter((exchange) => phaseOf(exchange) !== null);
  const purchases = own.filter(({ endpoint }) => endpoint === "images").map(readOp);
  const reports = own.filter(({ endpoint }) => endpoint === "usage");
  // If a report was asked for until it had caught up, the last one counts.
  const settled = reports.filter((one, index) => !reports.slice(index + 1).some((later) => phaseOf(later) === phaseOf(one)));
  const usage = settled.flatMap((exchange) => {
    const cents = readTotalCents(exchange);
    const { sentMs, headersMs } = exchange.timing;
    return cents === null || headersMs === null ? [] : [{ sentMs, headersMs, cents }];
  });
  const costly = purchases.filter((op) => op !== null);
  return (
    costly.filter(({ outcome, key }) => outcome === "admitted" && keys.includes(key ?? "")).length *
    boundPrice(usage, costly).lowCents
  );
}

function purchase({ manifest }: ProbeTools, key: string, phase: Phase): ExamRequest {
  const value = { prompt: "A grey square", n: picturesOfPurchase(manifest.prices), size: "1024x1024", quality: "standard" };
  return { policy: "spend", phase, key, endpoint: "images", body: { kind: "json", value } };
}

async function buy(tools: ProbeTools, key: string, phase: Phase): Promise<LimitOp> {
  return tools.send(purchase(tools, key, phase));
}

/** Names one report of the exam. */
type UsageLabel = "before" | "after" | "raise" | "race";

/**
 * Keys that may read the usage of the account: a service may refuse everything of a key that is at its cap, so that the key
 * under examination reads only where the manifest names no other one of its account.
 */
function usageReaders(tools: ProbeTools, { key, twin }: SpendExamSubject): readonly string[] {
  const others = [adminFor(tools.manifest, key), twin].filter((name): name is string => name !== null && name !== key);
  return others.length > 0 ? [...new Set(others)] : [key];
}

/**
 * Whether only the key under examination may read the report: at its cap it may be refused that too, so that the cap is lifted
 * first.
 */
function readsAlone(tools: ProbeTools, subject: SpendExamSubject): boolean {
  return usageReaders(tools, subject).every((name) => name === subject.key);
}

/** Cost of the account by its own usage report, in cents, by the first key that may read it; null when there is none. */
async function spentCents(tools: ProbeTools, subject: SpendExamSubject, label: UsageLabel): Promise<number | null> {
  for (const reader of usageReaders(tools, subject)) {
    const cents = await readUsage(tools, reader, label);
    if (cents !== null) return cents;
  }
  return null;
}

async function readUsage(tools: ProbeTools, key: string, label: UsageLabel): Promise<number | null> {
  const exchange = await tools.sendExchange({
    stage: "limits",
    caseId: "limits/spend",
    label: `usage-${label}`,
    intent: { kind: "limit", policy: "spend", phase: `usage-${label}` },
    endpoint: "usage",
    method: "GET",
    path: usagePath(tools.clock.wallMs()),
    credential: { kind: "bearer", key },
    signal: tools.signal,
  });
  return readTotalCents(exchange);
}
