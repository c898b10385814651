import type { ExchangeJudge, Occurrence } from "../../judge.ts";
import { isAnswered, nameResponse } from "../subjects.ts";

/** The recorder replaces every secret by its name, so a name in a response means that the target sent the key back. */
const marker = /<key:[^>]*>/;

export const noKeyInResponse: ExchangeJudge = {
  scope: "exchange",
  id: "no-key-in-response",
  covers: ["AUTH-031"],
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
