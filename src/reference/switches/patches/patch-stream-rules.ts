import { lawfulStreamRules, type StreamFrames, type StreamRules } from "../../http/endpoints/stream-rules.ts";
import type { StreamStyle } from "../../http/endpoints/stream-style.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

const styles: readonly (readonly [id: string, change: Partial<StreamStyle>])[] = [
  ["stream/cr", { lineEnd: "\r" }],
  ["stream/crlf", { lineEnd: "\r\n" }],
  ["stream/byte-order-mark", { byteOrderMark: true }],
  ["stream/comments", { comments: true }],
  ["stream/ids", { ids: true }],
  ["stream/retry", { retry: true }],
  ["stream/named-events", { eventName: "chunk" }],
  ["stream/multi-line", { multiLine: true }],
  ["stream/no-space", { noSpace: true }],
  ["stream/no-done", { done: false }],
  ["stream/byte-chunks", { dribbleBytes: 1 }],
  ["stream/split-characters", { splitCharacters: true }],
  ["stream/cut-events", { cutEvents: true }],
];

/** These defects show where a client leaves while tokens are still to come. */
const shownByLeaving = ["tokens/left-free", "tokens/left-slots", "tokens/left-uncounted"];

export function patchStreamRules(switches: Switchboard): StreamRules {
  const lawful = lawfulStreamRules;
  return {
    mayStream: () => !switches.on("stream/refused") && lawful.mayStream(),
    isStreamed: firstChange(switches, lawful.isStreamed, {
      "stream/ignored": () => false,
      "stream/false-ignored": (asked) => asked !== undefined,
      "stream/by-default": (asked = true) => asked,
    }),
    reportsUsage: firstChange(switches, lawful.reportsUsage, {
      "stream/usage-always": () => true,
      // The tokens of a stream are known only where it states them.
      "tokens/stream-estimate-kept": () => true,
      "stream/usage-never": () => false,
    }),
    costMicros: firstChange(switches, lawful.costMicros, { "stream/costs-nothing": () => 0 }),
    mediaType: firstChange(switches, lawful.mediaType, {
      "stream/json-media-type": () => "application/json",
      "stream/text-plain": () => "text/plain",
      "stream/charset": () => "text/event-stream; charset=utf-8",
    }),
    tokensPerWrite: () => (shownByLeaving.some((id) => switches.on(id)) ? 1 : lawful.tokensPerWrite()),
    tokensTogether: firstChange(switches, lawful.tokensTogether, { "stream/tokens-by-three": () => 3 }),
    isLive: () => !switches.on("stream/buffered") && lawful.isLive(),
    style: (style) => {
      const changes = styles.flatMap(([id, change]) => (switches.on(id) ? [change] : []));
      return Object.assign({}, lawful.style(style), ...changes) as StreamStyle;
    },
    frames: (frames, callsTools) => {
      let changed = lawful.frames(frames, callsTools);
      if (switches.on("stream/role-with-first-token") && !callsTools) changed = withRoleInToken(changed);
      if (switches.on("stream/first-piece-lost")) changed = withoutFirstPiece(changed);
      if (switches.on("stream/growing-texts")) changed = withGrowingTexts(changed);
      if (switches.on("stream/role-absent")) changed = { ...changed, opening: [] };
      if (switches.on("stream/two-finish-chunks")) changed = { ...changed, finish: [...changed.finish, ...changed.finish] };
      if (switches.on("stream/usage-with-finish")) changed = withUsageInFinish(changed);
      if (switches.on("stream/finish-absent")) changed = { ...changed, finish: [] };
      return switches.on("stream/done-in-json") ? { ...changed, done: '{"done":true}' } : changed;
    },
    emit: firstChange(switches, lawful.emit, {
      "stream/json-lines": (writer, payload) => writer.raw(`${payload}\n`),
    }),
    beforeDone: firstChange(switches, lawful.beforeDone, {
      "stream/invalid-utf8": (response) => void response.write(Buffer.from([0x3a, 0x20, 0xe2, 0x28, 0xa1, 0x0a, 0x0a])),
    }),
    afterDone: firstChange(switches, lawful.afterDone, {
      "stream/last-event-unterminated": (writer, done) => writer.raw(`data: ${done}`),
    }),
    end: firstChange(switches, lawful.end, { "stream/never-ends": () => {} }),
  };
}

const contentMember = /"content":"(?:[^"\\]|\\.)*"/;

function withoutFirstPiece(frames: StreamFrames): StreamFrames {
  const [first, ...others] = frames.tokens;
  return first === undefined ? frames : { ...frames, tokens: [() => first().replace(contentMember, '"content":""'), ...others] };
}

function withGrowingTexts(frames: StreamFrames): StreamFrames {
  let text = "";
  const grown = (payload: string): string =>
    payload.replace(contentMember, (member) => {
      text += JSON.parse(member.slice('"content":'.length)) as string;
      return `"content":${JSON.stringify(text)}`;
    });
  return { ...frames, tokens: frames.tokens.map((token) => () => grown(token())) };
}

function withRoleInToken(frames: StreamFrames): StreamFrames {
  const [first, ...others] = frames.tokens;
  if (first === undefined) return frames;
  const joined = (): string => first().replace('"delta":{', '"delta":{"role":"assistant",');
  return { ...frames, opening: [], tokens: [joined, ...others] };
}

function withUsageInFinish(frames: StreamFrames): StreamFrames {
  const [finish] = frames.finish;
  const [usage] = frames.usage;
  if (finish === undefined || usage === undefined) return frames;
  const joined = (): string =>
    JSON.stringify({
      ...(JSON.parse(finish()) as object),
      usage: (JSON.parse(usage()) as { readonly usage: unknown }).usage,
    });
  return { ...frames, finish: [joined], usage: [] };
}
