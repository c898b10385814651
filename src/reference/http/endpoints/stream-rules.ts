import type { ServerResponse } from "node:http";
import type { SseWriter } from "../sse-writer.ts";
import type { StreamStyle } from "./stream-style.ts";

type Payload = () => string;

/** Payloads of a stream in order, made when they are written so that their stamps are fresh. */
export interface StreamFrames {
  readonly opening: readonly Payload[];
  /** One for each produced token. */
  readonly tokens: readonly Payload[];
  readonly finish: readonly Payload[];
  readonly usage: readonly Payload[];
  /** The data that marks the end. */
  readonly done: string;
}

/** When an answer is streamed, and how its chunks become bytes. */
export interface StreamRules {
  readonly mayStream: () => boolean;
  /** `stream` of the request, undefined where it has none. */
  readonly isStreamed: (asked: boolean | undefined) => boolean;
  readonly reportsUsage: (asked: boolean) => boolean;
  readonly costMicros: (micros: number) => number;
  readonly mediaType: () => string;
  /** Whether events leave as soon as they are due. */
  readonly isLive: () => boolean;
  /**
   * Tokens that are due together leave together, but never more than this: a long answer without any latency is still delivered in
   * parts, a few milliseconds of the machine apart.
   */
  readonly tokensPerWrite: () => number;
  /** Tokens that wait for each other, but for the last ones of an answer. */
  readonly tokensTogether: () => number;
  readonly style: (style: StreamStyle) => StreamStyle;
  readonly frames: (frames: StreamFrames, callsTools: boolean) => StreamFrames;
  readonly emit: (writer: SseWriter, payload: string) => void;
  readonly beforeDone: (response: ServerResponse) => void;
  readonly afterDone: (writer: SseWriter, done: string) => void;
  readonly end: (response: ServerResponse) => void;
}

export const lawfulStreamRules: StreamRules = {
  mayStream: () => true,
  isStreamed: (asked = false) => asked,
  reportsUsage: (asked) => asked,
  costMicros: (micros) => micros,
  mediaType: () => "text/event-stream",
  isLive: () => true,
  tokensPerWrite: () => 32,
  tokensTogether: () => 1,
  style: (style) => style,
  frames: (frames) => frames,
  emit: (writer, payload) => writer.event(payload),
  beforeDone: () => {},
  afterDone: () => {},
  end: (response) => void response.end(),
};
