import { isSuccess, isValidRequest, requestObject, responseObject, targetNowSeconds } from "../../judging/exchange-view.ts";
import { nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isJsonObject, type JsonValue, showValue } from "../../judging/json-value.ts";
import { isPlainUnixSeconds, unixSecondsProblem } from "../../judging/unix-seconds.ts";

/** Generation takes its time, and `created` may be its beginning. */
const createdBounds = { pastSeconds: 3600, futureSeconds: 300 };

/** Number of images, their addresses and the time of creation. */
export const imageResult: ExchangeJudge = {
  scope: "exchange",
  id: "image-result",
  covers: ["IMG-005", "IMG-006", "IMG-020", "IMG-022"],
  concerns: ({ endpoint, status }) => endpoint === "images" && status < 300,
  glance(exchange) {
    if (!isValidRequest(exchange, "images") || !isSuccess(exchange)) return nothingGlanced;
    const body = responseObject(exchange);
    const created = body?.["created"];
    const images = body?.["data"];
    if (typeof created !== "number" || !Array.isArray(images)) return null;
    if (!isPlainUnixSeconds(created, targetNowSeconds(exchange), createdBounds)) return null;
    const asked = requestObject(exchange)?.["n"];
    if (images.length !== (typeof asked === "number" ? asked : 1)) return null;
    for (let index = 0; index < images.length; index += 1) if (!hasPlainAddress(images[index] as JsonValue)) return null;
    return rowsOf(asked === undefined ? "IMG-006" : "IMG-005", images.length);
  },
  *judge(exchange): Iterable<Occurrence> {
    if (!isValidRequest(exchange, "images") || !isSuccess(exchange)) return;
    const body = responseObject(exchange);
    const subject = { exchanges: [exchange.seq] };
    const created = body?.["created"];
    if (typeof created === "number") {
      const problem = unixSecondsProblem(created, exchange, createdBounds);
      yield problem === null
        ? { ...subject, requirement: "IMG-020", outcome: "pass" }
        : {
            ...subject,
            requirement: "IMG-020",
            outcome: "fail",
            message: `the creation time of an image result is wrong: ${problem}`,
            expected: "whole Unix seconds within an hour before the response",
            observed: showValue(created),
          };
    }
    const images = body?.["data"];
    if (!Array.isArray(images)) return;
    const asked = requestObject(exchange)?.["n"];
    const expected = typeof asked === "number" ? asked : 1;
    const requirement = asked === undefined ? "IMG-006" : "IMG-005";
    yield images.length === expected
      ? { ...subject, requirement, outcome: "pass" }
      : {
          ...subject,
          requirement,
          outcome: "fail",
          message: asked === undefined ? "one image is the default" : "the number of images is not the requested one",
          expected: `${expected} in data`,
          observed: `${images.length}`,
        };
    for (const image of images as readonly JsonValue[]) {
      const url = isJsonObject(image) ? image["url"] : undefined;
      if (typeof url === "string") yield { ...subject, requirement: "IMG-022", ...judgeAddress(url) };
    }
  },
};

/** As nearly all services write it; what else is lawful takes the long way. */
function hasPlainAddress(image: JsonValue): boolean {
  const url = isJsonObject(image) ? image["url"] : undefined;
  return typeof url === "string" && url.startsWith("https://") && URL.canParse(url);
}

/** More are judged in full: every number has an array of its own. */
const imagesAtMost = 100;
const rowsByLength = { "IMG-005": [] as (readonly string[])[], "IMG-006": [] as (readonly string[])[] };

/** A row for each address. */
function rowsOf(counted: "IMG-005" | "IMG-006", images: number): readonly string[] | null {
  if (images > imagesAtMost) return null;
  return (rowsByLength[counted][images] ??= ["IMG-020", counted, ...Array.from({ length: images }, () => "IMG-022")]);
}

function judgeAddress(url: string): Pick<Occurrence, "outcome" | "message" | "expected" | "observed"> {
  const scheme = URL.canParse(url) ? new URL(url).protocol : null;
  if (scheme === "http:" || scheme === "https:" || scheme === "data:") return { outcome: "pass" };
  return {
    outcome: scheme === null ? "fail" : "advisory",
    message: scheme === null ? "the address of an image is not absolute" : `the address of an image has the scheme ${scheme}`,
    expected: "an absolute address with http, https or data",
    observed: showValue(url),
  };
}
