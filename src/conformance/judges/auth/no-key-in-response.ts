import type { ExchangeJudge } from "../../judging/judge.ts";
import { type Answered, isAnswered, nameResponse } from "../../judging/subjects.ts";
import { withoutNumbers } from "../../judging/wrong-words.ts";

/** The recorder replaces every secret by its name, so a name in a response means that the target sent the key back. */
const marker = /<key:[^>]*>/;
const markerStart = "<key:";

export const noKeyInResponse: ExchangeJudge = {
  scope: "exchange",
  id: "no-key-in-response",
  covers: ["AUTH-031"],
  judge(exchange, outcomes) {
    if (!isAnswered(exchange)) return;
    const leak = findLeak(exchange);
    if (leak === null) outcomes.pass("AUTH-031");
    else {
      outcomes.fail("AUTH-031", {
        place: nameResponse(exchange),
        kind: ` gives the whole key away in ${withoutNumbers(leak.place)}`,
        around: ["", ` gives the whole key away in ${leak.place}`],
        expected: "no response that holds the key",
        observed: `${leak.key} in ${leak.place}`,
      });
    }
  },
};

interface Leak {
  readonly key: string;
  readonly place: string;
}

function findLeak({ response: { headers, body, stream } }: Answered): Leak | null {
  for (let at = 0; at < headers.length; at += 1) {
    const key = keyIn(headers[at]?.[1] ?? "");
    if (key !== null) return { key, place: `the field ${headers[at]?.[0]}` };
  }
  const inBody = keyIn(body?.text ?? "");
  if (inBody !== null) return { key: inBody, place: "the body" };
  for (const { data } of stream?.events ?? []) {
    const key = keyIn(data);
    if (key !== null) return { key, place: "an event of the stream" };
  }
  return null;
}

function keyIn(text: string): string | null {
  return text.includes(markerStart) ? (marker.exec(text)?.[0] ?? null) : null;
}
