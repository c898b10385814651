import type { Call } from "./call.ts";
import type { Head } from "./head.ts";

/** Every head that the API writes, as the flat list of names and values that `writeHead` takes: order and repeats are kept. */
export function composeHead(call: Call, head: Head): string[] {
  const { service, fault } = call;
  const { answers } = service.seams;
  const nowMs = service.engine.clock.wallMs();
  const contentType = answers.contentType(head);
  const list: string[] = [];
  if (contentType !== null) list.push("content-type", contentType);
  if (head.length !== null) list.push("content-length", String(head.length));
  list.push("date", dateHeader(answers.dateMs(nowMs)), "x-request-id", call.requestId);
  for (const [name, value] of answers.rateFields(head, call.endpoint, nowMs)) list.push(name, value);
  for (const name in head.headers) list.push(name, head.headers[name] ?? "");
  if (call.receivedNs !== null) list.push("x-reference-received-ns", String(call.receivedNs));
  if (answers.closesConnection() || fault?.closeAfter === true) list.push("connection", "close");
  if (fault?.duplicateHeaders === true) for (const [name, value] of Object.entries(head.rate)) list.push(name, value);
  return answers.fields(list);
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
