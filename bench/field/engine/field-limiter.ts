import { setImmediate as turn } from "node:timers/promises";
import type { FieldCall, FieldEnd, FieldUsage } from "./field-call.ts";
import type { FieldRefusal, FieldRules, FieldWindow } from "./field-rules.ts";

export interface FieldClock {
  wallMs(): number;
}

export interface FieldBegin {
  fails(): void;
  /** From here on it is counted as it is decided. */
  goesOn(): void;
}

export type FieldDecision =
  | { readonly kind: "served"; readonly window: FieldWindow; end(usage: FieldUsage, end: FieldEnd): void }
  | { readonly kind: "refused"; readonly refusal: FieldRefusal };

/** Counts requests and tokens in windows, and requests under way. */
export class FieldLimiter {
  readonly #rules: FieldRules;
  readonly #clock: FieldClock;
  readonly #windows = new Map<string, FieldWindow>();
  readonly #underWay = new Map<string, number>();

  constructor(rules: FieldRules, clock: FieldClock) {
    this.#rules = rules;
    this.#clock = clock;
  }

  /** The window that a request reads, without being counted. */
  read(call: FieldCall): FieldWindow {
    const name = this.#rules.counterOf(call);
    const window = this.#rules.windowAt(this.#windows.get(name), this.#clock.wallMs(), this.#rules.windowMs);
    this.#windows.set(name, window);
    return window;
  }

  /** A request of which the head has come. */
  begin(call: FieldCall): FieldBegin {
    const { countsFailed } = this.#rules;
    if (countsFailed === "never") return { fails: () => undefined, goesOn: () => undefined };
    const own = this.read(call);
    own.count += 1;
    const takeOff = (window: FieldWindow): void => void (window.count -= 1);
    return {
      fails: () => takeOff(countsFailed === "in-their-window" ? own : this.read(call)),
      goesOn: () => takeOff(own),
    };
  }

  async ask(call: FieldCall, promised: FieldUsage): Promise<FieldDecision> {
    const rules = this.#rules;
    const name = rules.counterOf(call);
    const nowMs = this.#clock.wallMs();
    const window = this.read(call);
    const places = this.#underWay.get(call.key) ?? 0;
    const refuse = (cause: FieldRefusal["cause"], waitMs: number): FieldDecision => {
      const refusal = { cause, waitSeconds: Math.ceil(waitMs / 1000), window, nowMs };
      return { kind: "refused", refusal };
    };
    if (rules.places !== null && call.operation === "chat" && places >= rules.places) return refuse("slots", 1000);
    if (!rules.admits(window, rules.limit, call)) {
      rules.refused(window, call, nowMs);
      return refuse("requests", rules.waitMs(window, nowMs, call));
    }
    const usesTokens = call.operation === "chat" || call.operation === "embeddings";
    if (usesTokens && !rules.admitsTokens(window, rules.tokenLimit, call))
      return refuse("tokens", rules.waitMs(window, nowMs, call));
    const count = window.count;
    for (let turns = 0; turns < rules.writeBackTurns; turns += 1) await turn();
    for (let turns = 0; turns < rules.addsLate; turns += 1) await turn();
    const weight = rules.weight(call) * ((window.asked ?? 0) === 0 ? rules.first : 1);
    window.asked = (window.asked ?? 0) + 1;
    window.count = (rules.writeBackTurns > 0 ? count : window.count) + weight;
    if (usesTokens) window.tokens += rules.chargeAtStart(call, promised);
    if (call.operation === "chat") this.#underWay.set(call.key, (this.#underWay.get(call.key) ?? 0) + 1);
    let ended = false;
    return {
      kind: "served",
      window: { ...window },
      end: (usage, end) => {
        if (ended) return;
        ended = true;
        if (call.operation === "chat" && !rules.keepsPlace(end)) this.#underWay.set(call.key, this.#underWay.get(call.key)! - 1);
        const current = rules.windowAt(this.#windows.get(name), this.#clock.wallMs(), rules.windowMs);
        this.#windows.set(name, current);
        if (usesTokens) current.tokens += rules.chargeAtEnd(call, usage, end);
      },
    };
  }
}
