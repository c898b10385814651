import { createGlancedLists } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { type Answered, isAnswered, nameResponse } from "../subjects.ts";

/** The recorder replaces every secret by its name, so a name in a response means that the target sent the key back. */
const marker = /<key:[^>]*>/;
const markerStart = "<key:";

const glanced = createGlancedLists(["AUTH-031"]);

export const noKeyInResponse: ExchangeJudge = {
  scope: "exchange",
  id: "no-key-in-response",
  covers: ["AUTH-031"],
  glance: (exchange) => (isAnswered(exchange) ? (mayHoldKey(exchange) ? null : glanced(1)) : glanced(0)),
  *judge(exchange): Iterable<Occurrence> {
    if (!isAnswered(exchange)) return;
    const { headers, body, stream } = exchange.response;
    const places: readonly (readonly [string, string])[] = [
      ...headers.map(([name, value]) => [`the field ${name}`, value] as const),
      ["the body", body?.text ?? ""],
      ...(stream?.events ?? []).map((event) => ["an event of the stream", event.data] as const),
    ];
    const leak = places.find(([, text]) => marker.test(text));
    yield leak === undefined
      ? { requirement: "AUTH-031", outcome: "pass", exchanges: [exchange.seq] }
      : {
          requirement: "AUTH-031",
          outcome: "fail",
          exchanges: [exchange.seq],
          message: `${nameResponse(exchange)} gives the whole key away in ${leak[0]}`,
          expected: "no response that holds the key",
          observed: `${marker.exec(leak[1])?.[0] ?? "the key"} in ${leak[0]}`,
        };
  },
};

/** Fields of the answers before in which no marker stands, by their place. */
const cleanFields: (readonly [string, string] | undefined)[] = [];
const cleanFieldsKept = 64;

/** Most texts hold no such character at all, and looking for one costs a fraction of looking for several. */
function mayHoldMarker(text: string): boolean {
  const start = text.indexOf("<");
  return start !== -1 && text.includes(markerStart, start);
}

/** Whether the beginning of a marker stands anywhere in the response. */
function mayHoldKey({ response }: Answered): boolean {
  const { headers, body, stream } = response;
  for (let place = 0; place < headers.length; place += 1) {
    const field = headers[place];
    // Answers of one service share the fields that are equal.
    if (field === undefined || field === cleanFields[place]) continue;
    if (mayHoldMarker(field[1])) return true;
    if (place < cleanFieldsKept) cleanFields[place] = field;
  }
  if (body?.text !== undefined && mayHoldMarker(body.text)) return true;
  if (stream !== null) for (const { data } of stream.events) if (mayHoldMarker(data)) return true;
  return false;
}
