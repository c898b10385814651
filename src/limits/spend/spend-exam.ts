import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { readOp } from "../history/history.ts";
import { isPurchase } from "../history/is-purchase.ts";
import type { LimitOp } from "../history/op.ts";
import type { ExamStages } from "../probe/exam-stages.ts";
import type { ProbeTools } from "../probe/probe-tools.ts";
import { cheapBody } from "../probe/cheap-request.ts";
import type { Settings } from "../../settings/settings-journal.ts";
import { mayChange, withSettings } from "../probe/settings.ts";
import { boundPrice, reportStepCents, type UsageReading } from "../history/price-bounds.ts";
import { findReplays } from "../history/find-replays.ts";
import { readTotalCents } from "../history/usage-total.ts";
import { acrossCycle } from "./across-cycle.ts";
import { buyCheaply } from "./buy-cheaply.ts";
import { reportLagMs } from "./crossing-checks.ts";
import { openShop, type Shop } from "./open-shop.ts";
import { roomForOne } from "./purchases-together.ts";
import { readsAlone, readSpent } from "./read-spent.ts";
import { refusedByAnotherLimit } from "./refused-by-another-limit.ts";
import { searchSpend } from "./search-spend.ts";

export interface SpendExamSubject {
  readonly key: string;
  /** Another key of the same account; null when the manifest has none. */
  readonly twin: string | null;
  /** The clock is virtual: the end of the billing cycle can be waited for. */
  readonly virtual: boolean;
  /** How many the plan allows for. */
  readonly purchases: number;
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
  const shop = await openShop(tools, subject);
  if (shop === null) return;
  const { stages } = subject;
  const budget = tools.manifest.permissions.spendUpToCents;
  // Each addition is bought for the price, by the other key, and before the raised cap is reached.
  const purchases = subject.purchases + 3 * shop.unplanned;
  if (shop.price * purchases > budget) {
    const text = `one purchase costs ${shop.price.toFixed(2)} cents; ${purchases} of them may cost ${budget} at most`;
    tools.notJudged({ policy: "spend caps", untested: "not-observed", text });
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
    if (stages.has("spend.capped")) await keyCap(tools, subject, shop, setCap);
    if (stages.has("spend.lowered")) {
      const loweredCents = lowered(tools, subject);
      await setCap(loweredCents);
      await shop.buy(subject.key, "lowered");
      if (meets) {
        await setCap(farCents);
        await changeAtOnce([{ monthly_spend_cap: loweredCents }, { cooldown_seconds: 1 }]);
        await settle();
        await shop.buy(subject.key, "lowered-at-once");
      }
    }
    if (stages.has("spend.account") && subject.twin !== null && mayChange(tools, "account", ["account_spend_cap"]))
      await accountCap(tools, subject, shop, setCap);
  });
}

async function keyCap(
  tools: ProbeTools,
  subject: SpendExamSubject,
  shop: Shop,
  setCap: (cents: number | null) => Promise<Exchange>,
): Promise<void> {
  const { key, twin } = subject;
  const { price, together, buy, requestOf } = shop;
  tools.enter("spend: below what is spent");
  const reachedCents = Math.max(1, Math.floor((together * price) / 2));
  await setCap(reachedCents);
  // One admission may be the first of a new billing cycle; two are not explained by the end of a month.
  if ((await buy(key, "capped")).outcome === "admitted") await buy(key, "capped");
  await otherEndpoints(tools, key);
  // The other key buys enough to show whose spend a cap is compared with.
  const byTwin = twin === null ? 0 : Math.max(3, together + 1);
  for (let count = 0; count < byTwin; count += 1) await buy(twin ?? key, "twin");
  // Bought once more, some moments later: a cap that was reached stays reached.
  await buy(key, "capped");
  await setCap(0);
  await buy(key, "zero");
  if (!subject.stages.has("spend.raised")) return;

  tools.enter("spend: cap raised and reached one by one");
  if (readsAlone(tools, subject)) await setCap(farCents);
  await tools.sleep(reportLagMs, "the usage report catches up");
  const spent = (await readSpent(tools, subject, "raise")) ?? (await readSpent(tools, subject, "raise"));
  if (spent === null) {
    tools.onProgress({ kind: "note", text: "spend: the usage report could not be read, so that no cap above the spend was set" });
    return;
  }
  // If others of the account have spent as well, or this key before, its own spend is searched for.
  const isAllOurs = spent - purchasesOf(tools).filter(({ outcome }) => outcome === "admitted").length * price < 1.5 * price;
  const asked = {
    buy: async (phase: "capped" | "search") => {
      const op = await buy(key, phase);
      return refusedByAnotherLimit(op) ? null : op.outcome;
    },
    setCap,
    price,
    reachedCents,
    reported: spent,
  };
  const room = roomForOne(price) + price / 2 + reportStepCents(readReports(tools).map(({ cents }) => cents));
  const high = Math.ceil((isAllOurs ? spent : await searchSpend(asked)) + room);
  await setCap(high);
  // The report holds what the other key spent, which does not count against this cap.
  const most = byTwin + Math.ceil((room + 1) / price);
  let last = await buy(key, "raised");
  for (let count = 0; count < most && last.outcome === "admitted"; count += 1) last = await buy(key, "raised");

  if (refusedByAnotherLimit(last))
    tools.onProgress({
      kind: "note",
      text: `spend: #${last.seq} was refused by another limit, so that no race was held at the cap`,
    });
  else if (last.outcome !== "admitted") {
    tools.enter("spend: simultaneous requests at the cap");
    const raise = Math.max(1, Math.floor(2.5 * price));
    await setCap(high + raise);
    await tools.burst(requestOf(key, "race"), Math.max(8, Math.ceil(raise / price) + 5));
    await tools.sleep(3000, "charges settle");
    await buy(key, "raced");
    await tools.sleep(reportLagMs, "the usage report catches up");
    const isAlone = readsAlone(tools, subject);
    if (!isAlone) await readSpent(tools, subject, "race");
    await tools.sleep(2000, "the wait of a quota refusal counts down");
    await buy(key, "raced");
    if (isAlone) {
      await setCap(farCents);
      await readSpent(tools, subject, "race");
    }
  }
  await setCap(farCents);
  if (subject.stages.has("spend.cheap")) await buyCheaply(tools, { key, twin, shop, setCap });
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
  { price, buy }: Shop,
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
  const setCap = async (change: (settings: Settings) => Promise<Exchange>, cents: number): Promise<void> => {
    await change({ account_spend_cap: cents });
    await tools.sleep(tools.manifest.propagationSeconds * 1000 + 500, "settings take effect");
  };
  await setKeyCap(lowered(tools, subject));
  await withSettings(tools, "account", ["account_spend_cap"], async ({ change }) => {
    // A change of the account leaves the caps of its keys as they are.
    await setCap(change, farCents);
    await buy(key, "capped");
    await setKeyCap(farCents);
    await setCap(change, reachedCents);
    await buy(key, "account");
    const refused = await buy(twin ?? key, "account");
    if (refused.outcome === "rejected")
      await acrossCycle(tools, {
        keys: [key, twin ?? key],
        boughtCents: { byKey: boughtCents(tools, [key]), byAccount: reachedCents },
        price,
        buy,
        setKeyCap,
      });
  });
}

/** null: no request of this exam. */
function phaseOf({ intent }: Exchange): Phase | null {
  return intent.kind === "limit" && intent.policy === "spend" ? intent.phase : null;
}

/** Purchases of the ware whose price was read. */
function purchasesOf(tools: ProbeTools): readonly LimitOp[] {
  const begun = tools.sent.findLastIndex((exchange) => phaseOf(exchange) === "usage-before");
  const own = tools.sent.slice(Math.max(0, begun)).filter((exchange) => phaseOf(exchange) !== null);
  return own.map(readOp).filter((op): op is LimitOp => op !== null && isPurchase(op));
}

/** The least that the purchases of these keys in this exam cost, cents. */
function boughtCents(tools: ProbeTools, keys: readonly string[]): number {
  const costly = purchasesOf(tools);
  return (
    costly.filter(({ outcome, key }) => outcome === "admitted" && keys.includes(key ?? "")).length *
    boundPrice(readReports(tools), costly).lowCents
  );
}

/** The usage reports of the exam so far. */
function readReports(tools: ProbeTools): readonly UsageReading[] {
  const own = tools.sent.filter((exchange) => phaseOf(exchange) !== null);
  // Beside purchases nothing was bought between these.
  const replays = findReplays(tools.sent);
  const reports = own.filter(
    (one) => one.endpoint === "usage" && phaseOf(one) !== "usage-cheap" && readTotalCents(one) !== null && !replays.has(one.seq),
  );
  // If a report was asked for until it had caught up, the last one counts.
  const settled = reports.filter((one, index) => !reports.slice(index + 1).some((later) => phaseOf(later) === phaseOf(one)));
  return settled.flatMap((exchange) => {
    const cents = readTotalCents(exchange);
    const { sentMs, headersMs } = exchange.timing;
    return cents === null || headersMs === null ? [] : [{ sentMs, headersMs, cents }];
  });
}
