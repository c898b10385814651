import { setImmediate as turn } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import { isPlain, type StreamStyle } from "./endpoints/stream-style.ts";

/** Writes server-sent events (WHATWG HTML, section 9.2). Events gather until `flush`, so that a burst is one write. */
export interface SseWriter {
  event(data: string): void;
  /** Bytes that are no event. */
  raw(text: string): void;
  /** Resolves when the client keeps up, or has gone. */
  flush(): Promise<void>;
}

export function createSseWriter(response: ServerResponse, style: StreamStyle): SseWriter {
  let pending = "";
  let events = 0;
  const event = isPlain(style)
    ? (data: string): void => {
        pending += `data: ${data}\n\n`;
      }
    : (data: string): void => {
        events += 1;
        pending += frame(data, events, style);
      };
  return {
    event,
    raw: (text) => {
      pending += text;
    },
    flush: async () => {
      if (pending === "" || response.destroyed) return;
      const text = pending;
      pending = "";
      if (style.splitCharacters || style.cutEvents || style.dribbleBytes !== null)
        return writePieces(response, Buffer.from(text), style);
      if (!response.write(text)) await drained(response);
    },
  };
}

function frame(data: string, ordinal: number, style: StreamStyle): string {
  const space = style.noSpace ? "" : " ";
  const lines = (style.multiLine ? data.replaceAll(',"', '\n,"').split("\n") : [data]).map((line) => `data:${space}${line}`);
  if (style.eventName !== null && data !== "[DONE]") lines.unshift(`event:${space}${style.eventName}`);
  if (style.ids) lines.push(`id:${space}${ordinal}`);
  if (style.retry && ordinal === 1) lines.unshift("retry: 3000");
  if (style.comments) lines.unshift(": keep-alive");
  const start = style.byteOrderMark && ordinal === 1 ? "\uFEFF" : "";
  return start + [...lines, "", ""].join(style.lineEnd);
}

/** Bytes written together before the event loop gets a turn. */
const piecesPerTurn = 256;

async function writePieces(response: ServerResponse, bytes: Buffer, style: StreamStyle): Promise<void> {
  let written = 0;
  for (let at = 0, end = 0; at < bytes.length && !response.destroyed; at = end) {
    end = Math.min(bytes.length, style.dribbleBytes === null ? endOfPiece(bytes, at, style) : at + style.dribbleBytes);
    const writable = response.write(bytes.subarray(at, end));
    written += 1;
    if (!writable) await drained(response);
    else if (style.dribbleBytes === null || written % piecesPerTurn === 0) await turn();
  }
}

function endOfPiece(bytes: Buffer, from: number, style: StreamStyle): number {
  return style.splitCharacters ? afterLeadByte(bytes, from) : withinThirdEvent(bytes, from, style.lineEnd.repeat(2));
}

/** End of a piece that stops in the middle of the third event that is in it. */
function withinThirdEvent(bytes: Buffer, from: number, blankLine: string): number {
  const begin = bytes.indexOf(blankLine, bytes.indexOf(blankLine, from) + 1);
  const end = bytes.indexOf(blankLine, begin + 1);
  return begin < from || end < 0 ? bytes.length : Math.floor((begin + end) / 2);
}

/** End of a piece that stops inside the next character of several bytes. */
function afterLeadByte(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    if ((bytes[at] ?? 0) >= 0xc2) return at + 1;
  }
  return bytes.length;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.once("drain", done);
    response.once("close", done);
    if (response.destroyed) done();
  });
}
