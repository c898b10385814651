import type { Exchange, RecordedResponse } from "../../src/core/exchange/exchange.ts";
import { factsOf } from "../../src/core/exchange/exchange-facts.ts";
import type { Sender } from "../../src/core/exchange/send-request.ts";

export type OddEnd = "500" | "418" | "reset" | "silence" | "cut";

/** What comes instead of an answer. The request itself arrived, and was carried out or refused as ever. */
export const oddEnds: Readonly<Record<OddEnd, (answer: RecordedResponse) => Partial<Exchange>>> = {
  "500": (answer) => withError(answer, 500),
  "418": (answer) => withError(answer, 418),
  reset: () => ({ response: null, failure: { kind: "connection-closed", message: "the connection was reset" } }),
  silence: () => ({ response: null, failure: { kind: "timeout", message: "no answer in time" } }),
  cut: (answer) => ({ response: answer, failure: { kind: "incomplete-body", message: "the body is cut" } }),
};

/** A sender over which every answer that is chosen comes to another end. `onSpoilt` sees each such exchange. */
export function spoilEnds(
  isChosen: (exchange: Exchange) => boolean,
  end: OddEnd,
  onSpoilt: (exchange: Exchange) => void = () => {},
): (sender: Sender) => Sender {
  const spoil = (exchange: Exchange): Exchange => {
    if (exchange.response === null || !isChosen(exchange)) return exchange;
    // As data: what was read of the answer before must not be kept.
    const spoilt = factsOf({ ...(JSON.parse(JSON.stringify(exchange)) as Exchange), ...oddEnds[end](exchange.response) });
    onSpoilt(spoilt);
    return spoilt;
  };
  return (sender) => ({
    send: async (request) => spoil(await sender.send(request)),
    burst: async (requests) => (await sender.burst(requests)).map(spoil),
  });
}

function withError(answer: RecordedResponse, status: number): Partial<Exchange> {
  const text = JSON.stringify({ error: { code: "odd", message: "Odd." } });
  const headers = answer.headers.filter(([name]) => name.toLowerCase() !== "content-type");
  const body = { bytes: text.length, sha256: "", text, truncated: false };
  return { response: { ...answer, status, headers: [...headers, ["content-type", "application/json"]], body, stream: null } };
}
