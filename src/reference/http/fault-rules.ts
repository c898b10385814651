import type { EndpointId } from "../../core/exchange/endpoint.ts";
import { createRandom, type Random } from "../../core/random.ts";

/** When a rule strikes; every condition that is given has to hold. */
export interface FaultMatch {
  readonly endpoint?: EndpointId;
  /** Name of the key. */
  readonly key?: string;
  /** Only the n-th matching request, from 1. */
  readonly nth?: number;
  /** Share of matching requests, decided by the seed. */
  readonly probability?: number;
}

/** The fault that a rule puts into a request that it strikes. */
export interface Fault {
  /** Answers this status instead of doing the work: 500, 502, 503. */
  readonly status?: number;
  /** With 503, seconds. */
  readonly retryAfterSeconds?: number;
  readonly delayBeforeHeadersMs?: number;
  readonly delayBeforeFirstTokenMs?: number;
  readonly delayBetweenTokensMs?: number;
  /** Keeps the connection open and says nothing (more). */
  readonly hang?: "before-headers" | "mid-stream";
  /** Ends the connection by RST or by FIN, before the head or after half the events. */
  readonly cut?: "reset-before-headers" | "reset-mid-stream" | "close-mid-stream";
  readonly omitDone?: boolean;
  /** Chunk edges inside multi-byte characters. */
  readonly splitCharacters?: boolean;
  readonly lineEnd?: "lf" | "crlf" | "cr";
  readonly comments?: boolean;
  readonly byteOrderMark?: boolean;
  /** Writes so many bytes at a time. */
  readonly dribbleBytes?: number;
  /** Repeats the rate headers. */
  readonly duplicateHeaders?: boolean;
  /** Announces and performs the end of the connection after this response. */
  readonly closeAfter?: boolean;
  /** Ends the connection after the response without having announced it (seen with llama.cpp after streams). */
  readonly closeSilently?: boolean;
}

export interface FaultRule {
  readonly id: string;
  readonly match: FaultMatch;
  readonly fault: Fault;
  /** Strikes at most so often; null: for ever. */
  readonly times: number | null;
}

/** Rules of the control plane and triggers in request headers. */
export interface FaultRules {
  rules(): readonly (FaultRule & { readonly seen: number; readonly struck: number })[];
  add(rule: FaultRule): void;
  remove(id: string): boolean;
  clear(): void;
  /** The fault for this request, null in all ordinary cases; counts the request for every rule that it matches. */
  strike(request: {
    readonly endpoint: EndpointId | null;
    readonly key: string | null;
    readonly trigger: string | undefined;
  }): Fault | null;
}

/** Request header that makes the service fail once: a status, or one of the names below. */
export const faultHeader = "x-reference-fault";

const triggers: Readonly<Record<string, Fault>> = {
  "500": { status: 500 },
  "502": { status: 502 },
  "503": { status: 503, retryAfterSeconds: 30 },
  hang: { hang: "before-headers" },
  "hang-mid-stream": { hang: "mid-stream" },
  reset: { cut: "reset-before-headers" },
  "reset-mid-stream": { cut: "reset-mid-stream" },
  "close-mid-stream": { cut: "close-mid-stream" },
  "omit-done": { omitDone: true },
  "split-characters": { splitCharacters: true },
  dribble: { dribbleBytes: 1 },
  crlf: { lineEnd: "crlf" },
  cr: { lineEnd: "cr" },
  comments: { comments: true },
  "byte-order-mark": { byteOrderMark: true },
  "duplicate-headers": { duplicateHeaders: true },
  close: { closeAfter: true },
  "close-silently": { closeSilently: true },
};

interface Counted {
  readonly rule: FaultRule;
  readonly random: Random;
  seen: number;
  struck: number;
}

export function createFaultRules(seed: number): FaultRules {
  const rules: Counted[] = [];
  return {
    rules: () => rules.map(({ rule, seen, struck }) => ({ ...rule, seen, struck })),
    add: (rule) => {
      rules.push({ rule, random: createRandom(seed).fork(`fault/${rule.id}`), seen: 0, struck: 0 });
    },
    remove: (id) => {
      const index = rules.findIndex(({ rule }) => rule.id === id);
      if (index >= 0) rules.splice(index, 1);
      return index >= 0;
    },
    clear: () => {
      rules.length = 0;
    },
    strike: ({ endpoint, key, trigger }) => {
      const triggered = trigger === undefined ? undefined : triggers[trigger];
      if (triggered !== undefined) return triggered;
      if (rules.length === 0) return null;
      const striking = rules.filter((counted) => matches(counted, endpoint, key));
      for (const counted of striking) counted.struck += 1;
      return striking.length === 0 ? null : Object.assign({}, ...striking.map(({ rule }) => rule.fault));
    },
  };
}

function matches(counted: Counted, endpoint: EndpointId | null, key: string | null): boolean {
  const { match, times } = counted.rule;
  if (match.endpoint !== undefined && match.endpoint !== endpoint) return false;
  if (match.key !== undefined && match.key !== key) return false;
  counted.seen += 1;
  if (match.nth !== undefined && counted.seen !== match.nth) return false;
  if (times !== null && counted.struck >= times) return false;
  return match.probability === undefined || counted.random.next() < match.probability;
}
