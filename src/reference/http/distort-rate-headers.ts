import type { Call } from "./call.ts";
import type { Head } from "./head.ts";

type Field = readonly [name: string, value: string];

const limitNames = ["x-ratelimit-limit-requests", "x-ratelimit-limit-tokens"] as const;
const remainingNames = ["x-ratelimit-remaining-requests", "x-ratelimit-remaining-tokens"] as const;
const resetNames = ["x-ratelimit-reset-requests", "x-ratelimit-reset-tokens"] as const;

/** The engine's rate headers as they are written; how each is defective is decided here and nowhere else. */
export function distortRateHeaders(call: Call, head: Head): readonly Field[] {
  return withheld(call, head) ? [] : Object.entries(head.rate).flatMap((field) => rewrite(call, field, head));
}

/** Kinds of response on which the headers are forgotten. */
function withheld(call: Call, head: Head): boolean {
  const { switches } = call.service;
  const on = (id: string): boolean => switches.on(id);
  if (on("headers/none")) return true;
  if (on("headers/only-on-429")) return head.status !== 429;
  if (on("headers/only-on-success")) return head.status >= 300;
  if (on("headers/missing-on-422")) return head.status === 422;
  if (on("headers/missing-on-429")) return head.status === 429;
  if (on("headers/missing-on-stream")) return head.contentType.startsWith("text/event-stream");
  if (on("headers/missing-without-tokens"))
    return call.endpoint === "models" || call.endpoint === "usage" || call.endpoint === "images";
  if (on("headers/missing-on-5xx")) return head.status >= 500;
  if (on("headers/missing-on-401")) return head.status === 401;
  if (on("headers/missing-on-unknown-routes")) return call.endpoint === null;
  return false;
}

function rewrite(call: Call, [name, value]: Field, { rate }: Head): readonly Field[] {
  const { switches, engine } = call.service;
  const on = (id: string): boolean => switches.on(id);
  const number = Number(value);
  const nowSeconds = engine.clock.wallMs() / 1000;
  if (absentField(on) === name) return [];
  if (isOneOf(resetNames, name)) {
    const delta = Math.max(0, number - nowSeconds);
    if (on("headers/reset-as-delta")) return [[name, String(Math.ceil(delta))]];
    if (on("headers/reset-as-duration")) return [[name, `${Math.floor(delta / 60)}m${Math.ceil(delta % 60)}s`]];
    if (on("headers/reset-in-ms")) return [[name, String(number * 1000)]];
    if (on("headers/reset-as-date")) return [[name, new Date(number * 1000).toUTCString()]];
    if (on("headers/reset-iso")) return [[name, new Date(number * 1000).toISOString()]];
    if (on("headers/reset-in-the-past")) return [[name, String(Math.floor(nowSeconds) - 60)]];
    if (on("headers/reset-far-away")) return [[name, String(Math.floor(nowSeconds) + 10 * 86_400)]];
    return [[name, value]];
  }
  if (isOneOf(remainingNames, name)) {
    if (on("headers/remaining-negative")) return [[name, String(-1 - number)]];
    if (on("headers/remaining-above-limit")) return [[name, String(number + 10_000_000)]];
    if (on("headers/remaining-words")) return [[name, "unlimited"]];
    if (on("headers/remaining-always-zero")) return [[name, "0"]];
    if (on("headers/remaining-counts-up")) return [[name, String(Number(rate[name.replace("remaining", "limit")]) - number)]];
  }
  if (isOneOf(limitNames, name)) {
    if (on("headers/limit-with-window")) return [[name, `${value};w=60`]];
    if (on("headers/limit-varies")) return [[name, String(number + (Math.floor(nowSeconds * 1000) % 7))]];
  }
  if (on("headers/numbers-fractional")) return [[name, `${value}.0`]];
  if (on("headers/numbers-grouped") && number >= 1000) return [[name, number.toLocaleString("en-US")]];
  if (on("headers/twice"))
    return [
      [name, value],
      [name, value],
    ];
  if (on("headers/empty")) return [[name, ""]];
  return [[name, value]];
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

/** The one field that is left out, if any. */
function absentField(on: (id: string) => boolean): string | null {
  if (on("headers/limit-requests-absent")) return limitNames[0];
  if (on("headers/limit-tokens-absent")) return limitNames[1];
  if (on("headers/remaining-requests-absent")) return remainingNames[0];
  if (on("headers/remaining-tokens-absent")) return remainingNames[1];
  if (on("headers/reset-requests-absent")) return resetNames[0];
  return on("headers/reset-tokens-absent") ? resetNames[1] : null;
}
