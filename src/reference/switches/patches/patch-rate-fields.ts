import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import { lawfulAnswerShape, type AnswerShape } from "../../http/answer-shape.ts";
import type { Head } from "../../http/head.ts";
import type { Switchboard } from "../switch.ts";

type Field = readonly [name: string, value: string];

const limitNames = ["x-ratelimit-limit-requests", "x-ratelimit-limit-tokens"] as const;
const remainingNames = ["x-ratelimit-remaining-requests", "x-ratelimit-remaining-tokens"] as const;
const resetNames = ["x-ratelimit-reset-requests", "x-ratelimit-reset-tokens"] as const;

const keptMs = 5000;

/** The engine's rate headers as they are written; each way of writing them wrong is here and nowhere else. */
export function patchRateFields(switches: Switchboard): AnswerShape["rateFields"] {
  const on = (id: string): boolean => switches.on(id);
  let kept: { readonly atMs: number; readonly rate: Head["rate"] } | null = null;
  /** The fields of the list of models are kept with it, whoever asks next. */
  const keep = (head: Head, endpoint: EndpointId | null, nowMs: number): Head => {
    if (endpoint !== "models" || head.status !== 200 || !on("headers/kept-with-list")) return head;
    if (kept === null || kept.atMs < nowMs - keptMs) kept = { atMs: nowMs, rate: head.rate };
    return { ...head, rate: kept.rate };
  };
  return (answered, endpoint, nowMs) => {
    const head = keep(answered, endpoint, nowMs);
    return withheld(on, head, endpoint)
      ? []
      : lawfulAnswerShape.rateFields(head, endpoint, nowMs).flatMap((field) => rewrite(on, field, head, nowMs / 1000));
  };
}

/** Kinds of response on which the headers are forgotten. */
function withheld(on: Switchboard["on"], head: Head, endpoint: EndpointId | null): boolean {
  if (on("headers/none")) return true;
  if (on("headers/only-on-429")) return head.status !== 429;
  if (on("headers/only-on-success")) return head.status >= 300;
  if (on("headers/missing-on-422")) return head.status === 422;
  if (on("headers/missing-on-429")) return head.status === 429;
  if (on("headers/missing-on-stream")) return head.contentType.startsWith("text/event-stream");
  if (on("headers/missing-without-tokens")) return endpoint === "models" || endpoint === "usage" || endpoint === "images";
  if (on("headers/missing-on-5xx")) return head.status >= 500;
  if (on("headers/missing-on-401")) return head.status === 401;
  if (on("headers/missing-on-unknown-routes")) return endpoint === null;
  return false;
}

function rewrite(on: Switchboard["on"], [name, value]: Field, { rate }: Head, nowSeconds: number): readonly Field[] {
  const number = Number(value);
  if (absentField(on) === name) return [];
  if (name === remainingNames[1] && on("headers/tokens-copy-requests")) return [[name, String(rate[remainingNames[0]])]];
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
function absentField(on: Switchboard["on"]): string | null {
  if (on("headers/limit-requests-absent")) return limitNames[0];
  if (on("headers/limit-tokens-absent")) return limitNames[1];
  if (on("headers/remaining-requests-absent")) return remainingNames[0];
  if (on("headers/remaining-tokens-absent")) return remainingNames[1];
  if (on("headers/reset-requests-absent")) return resetNames[0];
  return on("headers/reset-tokens-absent") ? resetNames[1] : null;
}
