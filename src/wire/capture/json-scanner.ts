import { jsonBounds } from "../../core/exchange/bodies/bounded-json.ts";
import { Utf8Decoder } from "./utf8-decoder.ts";

type NumberState = "minus" | "zero" | "digits" | "point" | "fraction" | "e" | "sign" | "exponent";
type State =
  | "value"
  | "first-item"
  | "first-key"
  | "key"
  | "colon"
  | "after"
  | "string"
  | "escape"
  | "hex"
  | "literal"
  | NumberState;

const [quote, comma, colon, backslash] = [34, 44, 58, 92];
const [openBracket, closeBracket, openBrace, closeBrace] = [91, 93, 123, 125];
const [inList, inObject] = [1, 2];
const literals: Readonly<Record<number, string>> = { 116: "true", 102: "false", 110: "null" };
const isComplete: ReadonlySet<State> = new Set(["zero", "digits", "fraction", "exponent"]);

/**
 * Says whether bytes that pass by are JSON text in UTF-8 (RFC 8259), in memory that does not grow with them: a body that is too long
 * to be kept is looked at nevertheless.
 */
export class JsonScanner {
  readonly #decoder = new Utf8Decoder();
  readonly #within = new Uint8Array(jsonBounds.depth);
  #depth = 0;
  #state: State = "value";
  #isKey = false;
  #hexLeft = 0;
  #rest = "";
  #at = 0;
  #problem: string | null = null;

  write(chunk: Buffer): void {
    if (this.#problem !== null) return;
    this.#decoder.write(chunk);
    if (!this.#decoder.valid) {
      this.#problem = "the body is not UTF-8";
      return;
    }
    for (let place = 0; place < chunk.length && this.#problem === null; place += 1) {
      if (this.#state === "string") {
        const end = endOfPlainText(chunk, place);
        this.#at += end - place;
        place = end;
        if (place === chunk.length) return;
      }
      this.#take(chunk[place] ?? 0);
    }
  }

  /** The first fault; null without one. */
  end(): string | null {
    if (this.#problem !== null) return this.#problem;
    this.#decoder.end();
    if (!this.#decoder.valid) return "the body is not UTF-8";
    const isEnded = this.#depth === 0 && (this.#state === "after" || isComplete.has(this.#state));
    return isEnded ? null : "the body is not JSON: it ends inside of a value";
  }

  #take(byte: number): void {
    this.#at += 1;
    if (this.#state === "string") this.#takeInString(byte);
    else if (this.#state === "escape") this.#takeEscaped(byte);
    else if (this.#state === "hex") this.#takeHex(byte);
    else if (this.#state === "literal") this.#takeLiteral(byte);
    else this.#takeBetween(byte);
  }

  #takeEscaped(byte: number): void {
    if (byte === 117) {
      this.#hexLeft = 4;
      this.#state = "hex";
    } else if ('"\\/bfnrt'.includes(String.fromCodePoint(byte))) this.#state = "string";
    else this.#fail(byte);
  }

  #takeHex(byte: number): void {
    if (!/[0-9a-f]/i.test(String.fromCodePoint(byte))) this.#fail(byte);
    this.#hexLeft -= 1;
    if (this.#hexLeft === 0) this.#state = "string";
  }

  #takeLiteral(byte: number): void {
    if (byte !== this.#rest.codePointAt(0)) this.#fail(byte);
    this.#rest = this.#rest.slice(1);
    if (this.#rest === "") this.#state = "after";
  }

  #takeInString(byte: number): void {
    if (byte === backslash) this.#state = "escape";
    else if (byte === quote) this.#state = this.#isKey ? "colon" : "after";
    else if (byte < 0x20) this.#fail(byte);
  }

  #takeBetween(byte: number): void {
    const next = nextOfNumber(this.#state, byte);
    if (next !== null) {
      this.#state = next;
      return;
    }
    if (isComplete.has(this.#state)) this.#state = "after";
    if (byte === 32 || byte === 10 || byte === 13 || byte === 9) {
      if (isBroken(this.#state)) this.#fail(byte);
      return;
    }
    const state = this.#state;
    if (state === "after") this.#takeAfter(byte);
    else if (state === "first-item" && byte === closeBracket) this.#close(inList, byte);
    else if (state === "first-key" && byte === closeBrace) this.#close(inObject, byte);
    else if (state === "value" || state === "first-item") this.#beginValue(byte);
    else if ((state === "key" || state === "first-key") && byte === quote) this.#beginString(true);
    else if (state === "colon" && byte === colon) this.#state = "value";
    else this.#fail(byte);
  }

  #takeAfter(byte: number): void {
    if (byte === comma && this.#depth > 0) this.#state = this.#within[this.#depth - 1] === inObject ? "key" : "value";
    else if (byte === closeBracket) this.#close(inList, byte);
    else if (byte === closeBrace) this.#close(inObject, byte);
    else this.#fail(byte);
  }

  #beginValue(byte: number): void {
    const literal = literals[byte];
    if (byte === quote) this.#beginString(false);
    else if (byte === openBracket) this.#open(inList, "first-item");
    else if (byte === openBrace) this.#open(inObject, "first-key");
    else if (byte === 45) this.#state = "minus";
    else if (byte === 48) this.#state = "zero";
    else if (isDigit(byte)) this.#state = "digits";
    else if (literal !== undefined) {
      this.#rest = literal.slice(1);
      this.#state = "literal";
    } else this.#fail(byte);
  }

  #beginString(isKey: boolean): void {
    this.#isKey = isKey;
    this.#state = "string";
  }

  #open(kind: number, state: State): void {
    if (this.#depth === jsonBounds.depth) {
      this.#problem = `the body is not JSON: nested deeper than ${jsonBounds.depth} levels`;
      return;
    }
    this.#within[this.#depth] = kind;
    this.#depth += 1;
    this.#state = state;
  }

  #close(kind: number, byte: number): void {
    if (this.#depth === 0 || this.#within[this.#depth - 1] !== kind) {
      this.#fail(byte);
      return;
    }
    this.#depth -= 1;
    this.#state = "after";
  }

  #fail(byte: number): void {
    const shown = byte > 0x20 && byte < 0x7f ? `"${String.fromCodePoint(byte)}"` : `byte 0x${byte.toString(16).padStart(2, "0")}`;
    this.#problem ??= `the body is not JSON: ${shown} at byte ${this.#at}`;
  }
}

/** The place of the next byte that means something in a string; most bytes of most bodies are passed over here. */
function endOfPlainText(chunk: Buffer, from: number): number {
  let place = from;
  for (; place < chunk.length; place += 1) {
    const byte = chunk[place] ?? 0;
    if (byte === quote || byte === backslash || byte < 0x20) return place;
  }
  return place;
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

/** A number that must go on. */
function isBroken(state: State): boolean {
  return state === "minus" || state === "point" || state === "e" || state === "sign";
}

interface NumberStep {
  readonly digit?: NumberState;
  readonly zero?: NumberState;
  readonly point?: NumberState;
  readonly e?: NumberState;
  readonly sign?: NumberState;
}

const numberSteps: Readonly<Partial<Record<State, NumberStep>>> = {
  minus: { digit: "digits", zero: "zero" },
  zero: { point: "point", e: "e" },
  digits: { digit: "digits", zero: "digits", point: "point", e: "e" },
  point: { digit: "fraction", zero: "fraction" },
  fraction: { digit: "fraction", zero: "fraction", e: "e" },
  e: { digit: "exponent", zero: "exponent", sign: "sign" },
  sign: { digit: "exponent", zero: "exponent" },
  exponent: { digit: "exponent", zero: "exponent" },
};

/** The state of a number after this byte; null if the byte is no part of one. */
function nextOfNumber(state: State, byte: number): NumberState | null {
  const step = numberSteps[state];
  if (step === undefined) return null;
  if (byte === 48) return step.zero ?? null;
  if (isDigit(byte)) return step.digit ?? null;
  if (byte === 46) return step.point ?? null;
  if (byte === 43 || byte === 45) return step.sign ?? null;
  return byte === 69 || byte === 101 ? (step.e ?? null) : null;
}
