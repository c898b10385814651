import { isJsonObject } from "../../../src/core/exchange/bodies/recorded-json.ts";
import type { BurstGate } from "./burst-gates.ts";
import { quotaHeaders, type Decision, type Limiter, type ServiceStyle } from "./request-service.ts";
import type { SimContext, SimResponse, SimService } from "./simulator.ts";
import type { LawfulSpend, SpendAccount } from "./spend-accounts.ts";
import type { LawfulTokens, TokenCounter, TokenDemand } from "./token-gates.ts";

/** The limits of one account; what is null is not enforced. */
export interface AccountPolicies {
  readonly requests: Limiter;
  readonly burst: BurstGate | null;
  readonly tokens: {
    readonly way: LawfulTokens;
    readonly limit: number;
    /** Counted by themselves, with chat, or not at all while their answers show what chat has left. */
    readonly embeddings?: "own" | "with-chat" | "uncounted";
  } | null;
  readonly spend: {
    readonly way: LawfulSpend;
    readonly account: SpendAccount;
    readonly imageCents: number;
    /** Of one request to chat or embeddings; absent: a hundredth. */
    readonly textCents?: number;
  } | null;
  /** A change of settings is in force after a share of this, ms. */
  readonly propagationMs: number;
  /** The places in which a refusal names its wait. */
  readonly hint: "both" | "header" | "body";
}

interface Setting {
  readonly name: string;
  readonly value: number | null;
  readonly fromMs: number;
}

/** Cents of anything billable that is no picture. */
const smallCents = 0.01;

/** All endpoints of the specification that the limit exams use, behind the limits of one account. */
export function serveAccount(policies: AccountPolicies, style: ServiceStyle = {}): SimService {
  const settings: Setting[] = [];
  const inForce = (name: string, nowMs: number): number | null =>
    settings.findLast((one) => one.name === name && one.fromMs <= nowMs)?.value ?? null;
  const textCents = policies.spend?.textCents ?? smallCents;
  const lastDecision = new Map<string, Decision>();
  const counters = new Map<string, TokenCounter>();
  /** Requests of the account in the order of their arrival, the one at work first, where there is only one. */
  const line: (() => void)[] = [];

  return (context) => {
    const { request, random } = context;
    const { credential } = request;
    if (credential.kind !== "bearer") return context.reply(failure(401, "unauthorized"));
    const { key } = credential;
    const path = request.path.split("?")[0]!;
    const group = `${key}|${path}`;
    if (request.method === "PATCH") {
      const subject = path === "/v1/account" ? "account" : decodeURIComponent(path.slice("/v1/keys/".length));
      const values = request.body?.kind === "json" && isJsonObject(request.body.value) ? request.body.value : {};
      const fromMs = context.now() + random.next() * policies.propagationMs;
      for (const [name, value] of Object.entries(values)) {
        settings.push({ name: `${subject}.${name}`, value: typeof value === "number" ? value : null, fromMs });
      }
      return context.reply({ status: 200, headers: {}, body: values });
    }
    context.later(0.3 + random.next(), () => {
      if (policies.burst === null) return count();
      const now = context.now();
      const burst = inForce(`${key}.burst_limit`, now);
      const cooldownMs = (inForce(`${key}.cooldown_seconds`, now) ?? 0) * 1000;
      policies.burst(context, key, { burst, cooldownMs }, (verdict) => {
        if (verdict.kind === "served") return count();
        context.reply(refusal("cooldown", headersOf(lastDecision.get(group)), verdict.retryMs, policies.hint), random.next());
      });
    });

    function count(): void {
      policies.requests(context, group, (decision) => {
        lastDecision.set(group, decision);
        if (!decision.admitted) {
          return context.reply(
            refusal("rate_limit_exceeded", headersOf(decision), decision.retryMs, policies.hint),
            random.next(),
          );
        }
        if (path.startsWith("/v1/chat") || (path === "/v1/embeddings" && policies.tokens !== null)) return chat(decision);
        if (path === "/v1/usage")
          return context.reply({ status: 200, headers: headersOf(decision), body: report(context) }, work());
        const pictures =
          request.body?.kind === "json" && isJsonObject(request.body.value) ? Number(request.body.value["n"] ?? 1) : 1;
        const isImage = path === "/v1/images/generations";
        if (!bill(decision, isImage ? pictures * (policies.spend?.imageCents ?? 0) : textCents)) return;
        context.reply({ status: 200, headers: headersOf(decision) }, work());
      });
    }

    function work(): number {
      return (style.processingMs ?? 3) * (0.5 + random.next());
    }

    function headersOf(decision: Decision | undefined): Record<string, string> {
      const shown = decision ?? { admitted: true, limit: 600, remaining: 600, resetMs: context.now() + 60_000, retryMs: 0 };
      const { remaining } = shown;
      const own = style.before && shown.admitted && decision !== undefined ? 1 : 0;
      const tokens = policies.tokens ? readTokens(policies.tokens.way) : undefined;
      return quotaHeaders(shown, typeof remaining === "number" ? remaining + own : remaining, style, tokens);
    }

    function counterOf(): TokenCounter {
      const scope = path === "/v1/embeddings" && policies.tokens!.embeddings === "own" ? group : key;
      const counter = counters.get(scope) ?? policies.tokens!.way.create(policies.tokens!.limit);
      counters.set(scope, counter);
      return counter;
    }

    function readTokens(way: LawfulTokens): ReturnType<TokenCounter["read"]> {
      const reading = counterOf().read(context.now());
      const step = way.step ?? 1;
      return { ...reading, remaining: Math.floor(reading.remaining / step) * step };
    }

    /** Holds the price until the work is done; answers by itself, and false, where a cap refuses. */
    function bill(decision: Decision, cents: number): boolean {
      if (policies.spend === null) return true;
      const { account, way } = policies.spend;
      const now = context.now();
      const isFree = path === "/v1/models";
      if (isFree && !way.refusesFree) return true;
      const caps = {
        key: inForce(`${key}.monthly_spend_cap`, now),
        account: inForce("account.account_spend_cap", now),
      };
      const price = isFree ? 0 : cents;
      const decide = (): boolean => {
        if (account.admit(context.now(), key, price, caps)) return true;
        context.reply(quotaRefusal(headersOf(decision), account.cycleEndMs(context.now()) - context.now()), random.next());
        return false;
      };
      if (!way.oneAtATime) {
        if (!decide()) return false;
        context.later(work(), () => account.settle(context.now(), key, price));
        return true;
      }
      line.push(() => {
        if (!decide()) return leave();
        context.later(work(), () => {
          account.settle(context.now(), key, price);
          context.reply({ status: 200, headers: headersOf(decision) });
          leave();
        });
      });
      if (line.length === 1) line[0]!();
      return false;
    }

    function leave(): void {
      line.shift();
      line[0]?.();
    }

    function chat(decision: Decision): void {
      const value = request.body?.kind === "json" && isJsonObject(request.body.value) ? request.body.value : {};
      const demand = demandOf(value);
      const streamed = value["stream"] === true;
      if (policies.tokens === null) {
        if (bill(decision, textCents))
          context.reply({ status: 200, headers: headersOf(decision), body: answerOf(demand) }, work());
        return;
      }
      const { way } = policies.tokens;
      const counter = counterOf();
      const isFree = path === "/v1/embeddings" && policies.tokens.embeddings === "uncounted";
      const { atStart, atEnd, lagMs } = isFree ? { atStart: 0, atEnd: 0, lagMs: 0 } : way.charges(demand);
      const { remaining } = counter.read(context.now());
      const needs = way.refusesBy === "need" ? Math.max(atStart, 1) : 1;
      if (remaining < needs) {
        return context.reply(
          refusal("rate_limit_exceeded", headersOf(decision), counter.waitMs(context.now(), needs), policies.hint),
          random.next(),
        );
      }
      counter.add(context.now(), atStart);
      const bodyMs = streamed ? 2 * demand.completionTokens : 0;
      const workMs = work();
      const settle = (): void => {
        if (lagMs === 0) counter.add(context.now(), atEnd);
        else context.later(lagMs, () => counter.add(context.now(), atEnd));
      };
      // Under "late read" the head is written when the work is done, otherwise with the decision.
      const early = headersOf(decision);
      context.later(workMs, () => {
        if (streamed) {
          context.reply({ status: 200, headers: style.lateRead ? headersOf(decision) : early, events: eventsOf(demand), bodyMs });
          return context.later(bodyMs, settle);
        }
        settle();
        const late = way.headShows === "end" || style.lateRead;
        context.reply({ status: 200, headers: late ? headersOf(decision) : early, body: answerOf(demand) });
      });
    }

    function report(at: SimContext): unknown {
      const query = new URLSearchParams(request.path.split("?")[1] ?? "");
      const [fromMs, toMs] = ["from", "to"].map((name) => Date.parse(query.get(name) ?? ""));
      const cents = policies.spend?.account.reportedCents(fromMs ?? 0, Math.min(toMs ?? 0, at.now() + 1000)) ?? 0;
      return { object: "list", data: [], aggregate: { total_tokens: 0, total_cost_usd: cents / 100 } };
    }
  };
}

/** Every word is a token; three more for the message. The answer uses what it is allowed, sixty at most. */
function demandOf(body: Readonly<Record<string, unknown>>): TokenDemand {
  const promptTokens = JSON.stringify(body["messages"] ?? body["input"] ?? "").split(" ").length + 3;
  if ("input" in body) return { promptTokens, maxTokens: 0, completionTokens: 0 };
  const maxTokens = Number(body["max_tokens"] ?? 100);
  return { promptTokens, maxTokens, completionTokens: Math.min(maxTokens, 60) };
}

function usageOf({ promptTokens, completionTokens }: TokenDemand): Readonly<Record<string, number>> {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

function answerOf(demand: TokenDemand): unknown {
  return { object: "chat.completion", choices: [], usage: usageOf(demand) };
}

function eventsOf(demand: TokenDemand): readonly string[] {
  return [
    JSON.stringify({ choices: [{ index: 0, delta: { content: "words" } }] }),
    JSON.stringify({ choices: [], usage: usageOf(demand) }),
    "[DONE]",
  ];
}

function failure(status: number, code: string): SimResponse {
  return { status, headers: {}, body: { error: { code } } };
}

function refusal(code: string, headers: Record<string, string>, waitMs: number, hint: AccountPolicies["hint"]): SimResponse {
  const seconds = Math.max(0, Math.ceil(waitMs / 1000));
  return {
    status: 429,
    headers: hint === "body" ? headers : { ...headers, "retry-after": String(seconds) },
    body: { error: { code }, ...(hint === "header" ? {} : { "retry-after": seconds }) },
  };
}

function quotaRefusal(headers: Record<string, string>, waitMs: number): SimResponse {
  const body = { error: "quota_exceeded", retry_after_ms: Math.max(0, Math.ceil(waitMs)), cap_type: "monthly_spend" };
  return { status: 429, headers, body };
}
