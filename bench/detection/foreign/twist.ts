import type { AccountBook } from "./account-book.ts";
import type { Answer, Call, Desk } from "./reply.ts";
import { type Bag, isBag } from "./rules.ts";

/** A request on its way, open to change. */
export type OpenCall = { -readonly [Member in keyof Call]: Call[Member] };
export type OpenBag = Record<string, unknown>;

/** The places at which one changed behaviour takes hold of the service; `make` closes over the state of one service. */
export interface Hooks {
  readonly open?: (book: AccountBook) => void;
  /** Before a request is admitted. */
  readonly arrive?: (call: OpenCall, desk: Desk) => void;
  /** After it was admitted, before it is worked on; true: it was answered here. */
  readonly work?: (call: OpenCall, desk: Desk) => boolean | void;
  readonly answer?: (call: Call, answer: Answer, desk: Desk) => void;
}

/** One behaviour that is switched on by its name. `lines`: of the specification, which it breaks or which permit it. */
export interface Twist {
  readonly id: string;
  readonly says: string;
  readonly lines: string;
  readonly isLawful: boolean;
  readonly make: () => Hooks;
}

/** The body of a request; null: it is no JSON object. */
export function askedOf({ body }: Pick<Call, "body">): Bag | null {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isBag(value) ? value : null;
  } catch {
    return null;
  }
}

export function rewrite(call: OpenCall, change: OpenBag): void {
  call.body = Buffer.from(JSON.stringify({ ...askedOf(call), ...change }));
}

/** The members of a value that is an object; else none. */
export function bagOf(value: unknown): OpenBag {
  return isBag(value) ? { ...value } : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
