import type { Call } from "../call.ts";

/** How events are put on the wire. Every field but the defects is a matter of taste that a conforming client tolerates. */
export interface StreamStyle {
  readonly lineEnd: "\n" | "\r\n" | "\r";
  readonly byteOrderMark: boolean;
  /** A comment before each event. */
  readonly comments: boolean;
  readonly ids: boolean;
  readonly retry: boolean;
  readonly eventName: string | null;
  /** Cuts the payload into several `data:` lines. */
  readonly multiLine: boolean;
  /** `data:x` instead of `data: x`. */
  readonly noSpace: boolean;
  readonly done: boolean;
  /** Bytes per write; null: as they come. */
  readonly dribbleBytes: number | null;
  readonly splitCharacters: boolean;
  readonly plain: boolean;
}

const plainStyle: StreamStyle = {
  lineEnd: "\n",
  byteOrderMark: false,
  comments: false,
  ids: false,
  retry: false,
  eventName: null,
  multiLine: false,
  noSpace: false,
  done: true,
  dribbleBytes: null,
  splitCharacters: false,
  plain: true,
};

export function streamStyle(call: Call): StreamStyle {
  const { switches } = call.service;
  const { fault } = call;
  const style: StreamStyle = {
    lineEnd:
      switches.on("stream/crlf") || fault?.lineEnd === "crlf"
        ? "\r\n"
        : switches.on("stream/cr") || fault?.lineEnd === "cr"
          ? "\r"
          : "\n",
    byteOrderMark: switches.on("stream/byte-order-mark") || fault?.byteOrderMark === true,
    comments: switches.on("stream/comments") || fault?.comments === true,
    ids: switches.on("stream/ids"),
    retry: switches.on("stream/retry"),
    eventName: switches.on("stream/named-events") ? "chunk" : null,
    multiLine: switches.on("stream/multi-line"),
    noSpace: switches.on("stream/no-space"),
    done: !switches.on("stream/no-done") && fault?.omitDone !== true,
    dribbleBytes: switches.on("stream/byte-chunks") ? 1 : (fault?.dribbleBytes ?? null),
    splitCharacters: switches.on("stream/split-characters") || fault?.splitCharacters === true,
    plain: false,
  };
  return isPlain(style) ? plainStyle : style;
}

function isPlain(style: StreamStyle): boolean {
  return (Object.keys(plainStyle) as (keyof StreamStyle)[]).every((name) => name === "plain" || style[name] === plainStyle[name]);
}
