import type { Switchboard } from "../defects/switch.ts";
import type { Call } from "./call.ts";
import { distortRateHeaders } from "./distort-rate-headers.ts";
import type { Head } from "./head.ts";

/** Every head that the API writes, as the flat list of names and values that `writeHead` takes: order and repeats are kept. */
export function composeHead(call: Call, head: Head): string[] {
  const { service } = call;
  const { switches } = service;
  const list: string[] = [];
  if (!(switches.on("headers/content-type-missing") && head.status < 300)) list.push("content-type", head.contentType);
  if (head.length !== null) list.push("content-length", String(head.length));
  list.push("date", dateHeader(dateMs(call)), "x-request-id", call.requestId);
  for (const [name, value] of distortRateHeaders(call, head)) list.push(name, value);
  for (const name in head.headers) list.push(name, head.headers[name] ?? "");
  if (call.receivedNs !== null) list.push("x-reference-received-ns", String(call.receivedNs));
  if (switches.on("transport/close-per-response") || call.fault?.closeAfter === true) list.push("connection", "close");
  if (call.fault?.duplicateHeaders === true) for (const [name, value] of Object.entries(head.rate)) list.push(name, value);
  return spell(list, switches);
}

/** Field names are case-insensitive (RFC 9110, section 5.1). */
function spell(list: string[], switches: Switchboard): string[] {
  const spelling = switches.on("headers/names-upper-case")
    ? (name: string): string => name.toUpperCase()
    : switches.on("headers/names-title-case")
      ? (name: string): string => name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
      : null;
  return spelling === null ? list : list.map((item, index) => (index % 2 === 0 ? spelling(item) : item));
}

/** What `Date` says; a service may be off by more than a minute and still be lawful. */
function dateMs(call: Call): number {
  const { switches, engine } = call.service;
  const skewSeconds = switches.on("headers/clock-ahead") ? 90 : switches.on("headers/clock-behind") ? -90 : 0;
  return engine.clock.wallMs() + skewSeconds * 1000;
}

let datedSecond = Number.NaN;
let dated = "";

/** IMF-fixdate, formatted once a second. */
function dateHeader(wallMs: number): string {
  const second = Math.floor(wallMs / 1000);
  if (second !== datedSecond) {
    datedSecond = second;
    dated = new Date(second * 1000).toUTCString();
  }
  return dated;
}
