import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { isValidRequest } from "../../judging/is-valid-request.ts";
import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { isJsonObject, type JsonValue, showValue } from "../../judging/json-value.ts";
import { unixSecondsProblem } from "../../judging/unix-seconds.ts";
import { inContext, withoutNumbers } from "../../judging/wrong-words.ts";

/** Generation takes its time, and `created` may be its beginning. */
const createdBounds = { pastSeconds: 3600, futureSeconds: 300 };

/** Number of images, their addresses and the time of creation. */
export const imageResult: ExchangeJudge = {
  scope: "exchange",
  id: "image-result",
  covers: ["IMG-005", "IMG-006", "IMG-020", "IMG-022"],
  concerns: ({ endpoint, status }) => endpoint === "images" && status < 300,
  judge(exchange, outcomes) {
    if (!isValidRequest(exchange, "images") || !exchange.isSuccess) return;
    const { created, data: images } = exchange.responseObject ?? {};
    if (typeof created === "number") judgeCreated(created, exchange, outcomes);
    if (!Array.isArray(images)) return;
    const asked = exchange.requestObject?.["n"];
    const expected = typeof asked === "number" ? asked : 1;
    const requirement = asked === undefined ? "IMG-006" : "IMG-005";
    outcomes.passOrFail(requirement, images.length === expected, () => ({
      kind: asked === undefined ? "one image is the default" : "the number of images is not the requested one",
      expected: `${expected} in data`,
      observed: `${images.length}`,
    }));
    for (const image of images as readonly JsonValue[]) {
      const url = isJsonObject(image) ? image["url"] : undefined;
      if (typeof url === "string") judgeAddress(url, outcomes);
    }
  },
};

function judgeCreated(created: number, exchange: ExchangeFacts, outcomes: Outcomes): void {
  const problem = unixSecondsProblem(created, exchange, createdBounds);
  outcomes.passOrFail("IMG-020", problem === null, () => ({
    ...inContext("the creation time of an image result is wrong: ", problem),
    expected: "whole Unix seconds within an hour before the response",
    observed: showValue(created),
  }));
}

function judgeAddress(url: string, outcomes: Outcomes): void {
  const scheme = schemeOf(url);
  outcomes.passOrFail("IMG-022", scheme === "http:" || scheme === "https:" || scheme === "data:", () => ({
    outcome: scheme === null ? "fail" : "advisory",
    ...(scheme === null
      ? { kind: "the address of an image is not absolute" }
      : inContext("the address of an image has the scheme ", { kind: withoutNumbers(scheme), message: scheme })),
    expected: "an absolute address with http, https or data",
    observed: showValue(url),
  }));
}

/** null: not an absolute address. */
function schemeOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  // As nearly all services write it: making the object costs more than the rest of the judgement.
  return url.startsWith("https://") ? "https:" : new URL(url).protocol;
}
