import type { RecordedStream } from "../exchange.ts";
import { isJsonObject } from "./recorded-json.ts";

/** How a stream of chat chunks says that it is over, and whether it reports a failure of its own. */
export interface StreamEnd {
  readonly finishReason: string | null;
  /** `[DONE]` was seen. */
  readonly done: boolean;
  /** It reports an error: as a member of an event, as an event of that name, as a field of its own, or as its finish reason. */
  readonly error: boolean;
  /** Data before the end that is neither a JSON object nor `[DONE]`. */
  readonly unreadable: number;
  /** Those of them that are no JSON at all, before a finish reason, in events without a name of their own: part of the answer is lost. */
  readonly malformed: number;
  /** Events have the form of the de-facto convention, a list of choices: only such a stream is known to say how it ends. */
  readonly isKnownForm: boolean;
  /** An event holds data other than `[DONE]`. */
  readonly hasData: boolean;
}

type OpenEnd = { -readonly [Member in keyof StreamEnd]: StreamEnd[Member] };

/** `values` are the payloads of its events. */
export function readStreamEnd(stream: RecordedStream, values: readonly unknown[]): StreamEnd {
  const end: OpenEnd = {
    finishReason: null,
    done: false,
    error: stream.errorField === true,
    unreadable: 0,
    malformed: 0,
    isKnownForm: false,
    hasData: false,
  };
  for (let position = 0; position < stream.events.length; position += 1) {
    const event = stream.events[position];
    if (event === undefined) break;
    const value = values[position];
    if (event.event === "error") end.error = true;
    if (event.data === "[DONE]") end.done = true;
    else if (event.data !== "") end.hasData = true;
    if (isJsonObject(value)) {
      if (Array.isArray(value["choices"]) || value["object"] === "chat.completion.chunk") end.isKnownForm = true;
      if (holdsError(value)) end.error = true;
      const reason = firstChoice(value)?.["finish_reason"];
      // Some servers send an empty string with every chunk: that is no end.
      if (typeof reason === "string" && reason !== "") end.finishReason = reason;
    } else if (!end.done) {
      // Clients stop reading at the end marker.
      end.unreadable += 1;
      if (value === undefined && event.event === "message" && end.finishReason === null) end.malformed += 1;
    }
  }
  return end;
}

/** Whether its events have a form that nothing states. */
export function hasOwnForm({ isKnownForm, hasData }: StreamEnd): boolean {
  return !isKnownForm && hasData;
}

/** Whether a body or a chunk reports a failure in place of an answer, as a member of its own or of its first choice. */
export function holdsError(value: Readonly<Record<string, unknown>>): boolean {
  if (isError(value["error"]) || value["type"] === "error") return true;
  const choice = firstChoice(value);
  return choice !== null && (isError(choice["error"]) || choice["finish_reason"] === "error");
}

/** `null`, `false` and an empty text are there where nothing failed. */
function isError(error: unknown): boolean {
  return error !== undefined && error !== null && error !== "" && error !== false;
}

function firstChoice(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | null {
  const choices = value["choices"];
  const choice: unknown = Array.isArray(choices) ? choices[0] : null;
  return isJsonObject(choice) ? choice : null;
}
