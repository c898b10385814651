import type { Fault } from "../fault-rules.ts";

/** How events are put on the wire. Every field but the faults is a matter of taste that a conforming client tolerates. */
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
  /** Each write ends within an event, behind the rest of one and some whole ones. */
  readonly cutEvents: boolean;
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
  cutEvents: false,
};

const lineEnds = { lf: "\n", cr: "\r", crlf: "\r\n" } as const;

/** Plain, but for the fault that strikes this stream. */
export function streamStyle(fault: Fault | null): StreamStyle {
  if (fault === null) return plainStyle;
  return {
    ...plainStyle,
    lineEnd: lineEnds[fault.lineEnd ?? "lf"],
    byteOrderMark: fault.byteOrderMark === true,
    comments: fault.comments === true,
    done: fault.omitDone !== true,
    dribbleBytes: fault.dribbleBytes ?? null,
    splitCharacters: fault.splitCharacters === true,
  };
}

/** Whether each event is a single `data:` line, written as it comes. */
export function isPlain(style: StreamStyle): boolean {
  return (Object.keys(plainStyle) as (keyof StreamStyle)[]).every((name) => name === "done" || style[name] === plainStyle[name]);
}
