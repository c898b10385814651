import { setTimeout as delay } from "node:timers/promises";
import type { Ticket, Consumption } from "../../../engine/admission.ts";
import { asksForStream, type SeenCall } from "../../../http/seen-call.ts";
import { freeWork } from "../../../http/operation.ts";
import type { OperationRules } from "../../../http/operation-rules.ts";
import type { Operator } from "./operators.ts";
import type { ActiveOperators } from "./active-operators.ts";
import { companyMs, type Crowd, isInCompany, meetingMs } from "./crowd.ts";
import { operateOnRateFields } from "./operate-on-rate-fields.ts";
import { wholeNumbersOf } from "../../patches/whole-numbers-of.ts";

/**
 * Operators on the surroundings of the work: its billing, breakdowns, requests that are taken for one another, refusals that
 * have effects.
 */
export function operateOnOperations(operations: OperationRules, active: ActiveOperators, crowd: Crowd): OperationRules {
  const swap = swapInputs();
  return {
    ...operations,
    serving: async (call, ticket, serve) => {
      crowd.count += 1;
      try {
        const isAboutCompany = active(call).some(({ kind }) => kind === "company");
        const heldMs = isAboutCompany ? companyMs : active(call).some(isAboutCrowds) ? meetingMs : 0;
        if (heldMs > 0) await delay(heldMs);
        await operations.serving(call, otherLease(active, call, ticket, crowd), serve);
      } finally {
        crowd.count -= 1;
      }
    },
    input: async (input, call) => {
      const own = await operations.input(input, call);
      return active(call).some(({ kind }) => kind === "swapped") ? swap(own, call) : own;
    },
    fault: (call) => {
      const isSpread = active(call).some((one) => one.kind === "company" && one.defect === "spread");
      if (isSpread && isInCompany(crowd) && performance.now() - crowd.refusedAtMs < 2 * companyMs) return { status: 422 };
      const operator = active(call).find((one) => one.kind === "trouble");
      if (operator === undefined) return operations.fault(call);
      return operator.trouble === "reset" ? { cut: "reset-before-headers" } : { status: Number(operator.trouble) };
    },
    refused: async (refusal, call) => {
      await operations.refused(refusal, call);
      const { status, cause } = refusal;
      const operators = active(call).filter(
        (one) => ("status" in one && one.status === status) || ("cause" in one && one.cause === cause),
      );
      if (operators.some(({ kind }) => kind === "billed" || kind === "limit-billed")) await billRefusal(call);
      if (operators.some(({ kind }) => kind === "executed")) executeRefusedChange(call);
      if (isInCompany(crowd)) await refuseInCompany(active, call, crowd, status);
    },
  };
}

function isAboutCrowds(operator: Operator): boolean {
  return (
    (operator.kind === "counter" && operator.defect === "at-once-lost") ||
    (operator.kind === "setting" && operator.defect === "lost-at-once")
  );
}

async function refuseInCompany(active: ActiveOperators, call: SeenCall, crowd: Crowd, status: number): Promise<void> {
  crowd.refusedAtMs = performance.now();
  for (const operator of active(call)) {
    if (operator.kind !== "company") continue;
    if (operator.defect === "billed") await billRefusal(call);
    if (operator.defect === "counted" && status === 401) await billRefusal(call, true);
  }
}

/**
 * The refusal costs as much as a short answer, which has tokens where any has, or is only counted. It is billed to a key that limits and
 * caps leave alone.
 */
async function billRefusal({ service: { engine }, endpoint, incoming }: SeenCall, isFree: boolean = false): Promise<void> {
  const key = engine.keys.byName("primary");
  if (endpoint === null || key === undefined) return;
  const admission = await engine.admit(key, { endpoint, rawUrl: incoming.url ?? "", fields: incoming.headers, ...freeWork });
  if (admission.kind !== "admitted") return;
  const tokens = {
    chat: { promptTokens: 7, completionTokens: 5 },
    embeddings: { promptTokens: 7, completionTokens: 0 },
  };
  const hasTokens = !isFree && (endpoint === "chat" || endpoint === "embeddings");
  const used = hasTokens ? tokens[endpoint] : { promptTokens: 0, completionTokens: 0 };
  admission.ticket.settle({ ended: "completed", ...used, costMicros: isFree ? 0 : 100 });
}

function otherLease(active: ActiveOperators, call: SeenCall, ticket: Ticket, crowd: Crowd): Ticket {
  const operators = active(call);
  const counters = operators.filter((operator) => operator.kind === "counter");
  if (counters.length === 0 && !operators.some(({ kind }) => kind === "header")) return ticket;
  return {
    admittedAtMs: ticket.admittedAtMs,
    queuedMs: ticket.queuedMs,
    rateHeaders: () => operateOnRateFields(active, call, ticket.rateHeaders()),
    settle: (outcome) => ticket.settle(counters.reduce((bill, operator) => miscounted(bill, operator, call, crowd), outcome)),
  };
}

const counted = { prompt: "promptTokens", completion: "completionTokens", cost: "costMicros" } as const;

function miscounted(
  bill: Consumption,
  { counter, defect }: Extract<Operator, { kind: "counter" }>,
  call: SeenCall,
  crowd: Crowd,
): Consumption {
  const name = counted[counter];
  const value = bill[name];
  const change = (next: number): Consumption => ({ ...bill, [name]: Math.max(0, next) });
  if (value === 0) return bill;
  switch (defect) {
    case "no-streams":
      return asksForStream(call) ? change(0) : bill;
    case "no-batches":
      return (bill.items ?? 1) > 1 ? change(0) : bill;
    case "doubled":
      return change(2 * value);
    case "constant":
      return change(10);
    case "one-short":
      return change(value - 1);
    case "never":
      return change(0);
    case "at-once-lost":
      return crowd.count > 1 ? change(0) : bill;
    default:
      return defect satisfies never;
  }
}

/** A change of settings that is refused and carried out: what of it can be read is applied to the key in the path, or to the account. */
function executeRefusedChange({ service, request, endpoint }: SeenCall): void {
  const { keys } = service.engine;
  if (endpoint === "account-settings") {
    const cap = /"account_spend_cap"\s*:\s*"?(\d+)/.exec(String(request.body))?.[1];
    const account = keys.byName("admin")?.account;
    if (cap === undefined || account === undefined) return;
    keys.putAccount({ ...keys.account(account), account_spend_cap: Number(cap) });
    return;
  }
  const { key_id: id } = request.params as { readonly key_id?: string };
  const key = keys.byId(id ?? "");
  if (key !== undefined) keys.put({ ...key, settings: { ...key.settings, ...wholeNumbersOf(request.body) } });
}

/** Serves two requests of one kind that are in flight at the same time for one another. */
function swapInputs(): <Input>(input: Input, call: SeenCall) => Promise<Input> {
  /** Requests that wait for the next one of their kind. */
  const waiting = new Map<string, { readonly input: unknown; swap(other: unknown): void }>();
  return <Input>(input: Input, call: SeenCall): Promise<Input> => {
    const kind = `${call.endpoint} ${asksForStream(call)}`;
    const first = waiting.get(kind);
    if (first !== undefined) {
      waiting.delete(kind);
      first.swap(input);
      return Promise.resolve(first.input as Input);
    }
    return new Promise((resolve) => {
      const alone = setTimeout(() => {
        waiting.delete(kind);
        resolve(input);
      }, meetingMs);
      waiting.set(kind, {
        input,
        swap: (other) => {
          clearTimeout(alone);
          resolve(other as Input);
        },
      });
    });
  };
}
