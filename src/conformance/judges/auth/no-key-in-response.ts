import { createGlancedLists } from "../../glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judge.ts";
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

/** Whether the beginning of a marker stands anywhere in the response. */
function mayHoldKey({ response }: Answered): boolean {
  for (const [, value] of response.headers) if (value.includes(markerStart)) return true;
  if (response.body?.text?.includes(markerStart) === true) return true;
  for (const event of response.stream?.events ?? []) if (event.data.includes(markerStart)) return true;
  return false;
}
