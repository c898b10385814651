import type { RecordedBody } from "../../../core/exchange/exchange.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { isValidRequest } from "../../judging/is-valid-request.ts";
import { troubleOf } from "../../judging/trouble.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { isJsonObject, type JsonValue, showValue } from "../../judging/json-value.ts";
import { type RecognisedImage, recogniseImage } from "./image-size.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

/** Label of a request that fetches an image of the request with that label; binds the two, also in a saved record. A later step follows a redirect. */
export function fetchLabel(label: string, position: number, step = 1): string {
  return `fetch ${label} ${position}${step === 1 ? "" : `, step ${step}`}`;
}

/** An image as a reader of its address got it. */
interface ReceivedImage {
  readonly request: ExchangeFacts;
  /** The fetch, null for a `data:` address that carries the image itself. */
  readonly fetch: ExchangeFacts | null;
  readonly bytes: Uint8Array | null;
  readonly address: string;
}

/** If fetching is permitted, the address leads to an image of the requested size. */
export const imageFetch: RunJudge = {
  scope: "run",
  id: "image-fetch",
  covers: ["IMG-012", "IMG-023", "IMG-024"],
  *judge(exchanges): Iterable<Occurrence> {
    for (const image of receivedImages(exchanges)) {
      const recognised = image.bytes === null ? null : recogniseImage(image.bytes);
      yield judgeImage(image, recognised);
      if (recognised !== null) yield* judgeSize(image, recognised);
      else if (isClosed(image)) yield closed(image, sizeRow(image));
    }
  },
};

function* receivedImages(exchanges: readonly ExchangeFacts[]): Iterable<ReceivedImage> {
  for (const request of exchanges) {
    if (request.stage !== "conformance" || !isValidRequest(request, "images") || !request.isSuccess) continue;
    const entries = request.responseObject?.["data"];
    if (!Array.isArray(entries)) continue;
    for (const [position, entry] of (entries as readonly JsonValue[]).entries()) {
      const address = isJsonObject(entry) ? entry["url"] : undefined;
      if (typeof address !== "string") continue;
      const inline = readDataAddress(address);
      if (inline !== null) yield { request, fetch: null, bytes: inline, address };
      const fetch = findFetch(exchanges, request, position);
      if (fetch !== null) yield { request, fetch, bytes: bytesOf(fetch.response?.body), address };
    }
  }
}

/** The fetch after the request that got something, else its last step; a repeated case has its own. */
function findFetch(exchanges: readonly ExchangeFacts[], request: ExchangeFacts, position: number): ExchangeFacts | null {
  const label = fetchLabel(request.label, position);
  const later = exchanges.filter((exchange) => exchange.caseId === request.caseId && exchange.seq > request.seq);
  const end = later.findIndex((exchange) => exchange.label === request.label);
  const own = later
    .slice(0, end === -1 ? later.length : end)
    .filter((exchange) => exchange.label === label || exchange.label.startsWith(`${label}, `));
  return own.find((exchange) => exchange.isSuccess) ?? own.at(-1) ?? null;
}

/** Nothing says who may use an address: one that needs credentials shows no image, and that is no fault of the service. */
function isClosed({ fetch }: ReceivedImage): boolean {
  return fetch?.response != null && (fetch.status === 401 || fetch.status === 403);
}

function closed(image: ReceivedImage, requirement: string): Occurrence {
  return {
    requirement,
    exchanges: cited(image),
    outcome: "observed",
    message: "an image was fetched",
    answer: "its address needs credentials",
  };
}

/** The request, and the fetch where there is one. */
function cited({ request, fetch }: ReceivedImage): readonly number[] {
  return fetch === null ? [request.seq] : [request.seq, fetch.seq];
}

function sizeRow({ request }: ReceivedImage): string {
  return request.requestObject?.["size"] === undefined ? "IMG-012" : "IMG-024";
}

function judgeImage(image: ReceivedImage, recognised: RecognisedImage | null): Occurrence {
  const { fetch, bytes, address } = image;
  if (isClosed(image)) return closed(image, "IMG-023");
  const subject = {
    requirement: "IMG-023",
    exchanges: cited(image),
    expected: "an image behind the address",
  };
  if (recognised !== null && (fetch === null || fetch.isSuccess || isCutByUs(fetch))) return { ...subject, outcome: "pass" };
  if (fetch !== null && fetch.response === null) {
    return { ...subject, outcome: "inconclusive", message: `the address of an image could not be reached: ${troubleOf(fetch)}` };
  }
  if (fetch !== null && isCutByUs(fetch))
    return { ...subject, outcome: "inconclusive", message: `an image was not read to its end: ${troubleOf(fetch)}` };
  const type = typeOf(fetch, address);
  if ((fetch === null || fetch.isSuccess) && bytes !== null && bytes.length > 0 && isUnknownFormat(type)) {
    return { ...subject, outcome: "inconclusive", message: `images of type ${showValue(type, 80)} are not recognised` };
  }
  const observed =
    fetch === null || fetch.isSuccess
      ? `something else behind ${showValue(address, 80)}`
      : `${troubleOf(fetch)} from ${showValue(address, 80)}`;
  return { ...subject, outcome: "fail", kind: "the address of an image does not lead to an image", observed };
}

/** An image was on its way, and a bound of ours on bytes or time ended it. */
function isCutByUs({ status, failure }: ExchangeFacts): boolean {
  const isBound = failure?.kind === "too-large" || failure?.bound !== undefined;
  return isBound && status !== null && status >= 200 && status < 300;
}

/** As the answer states it, or the address that carries the image itself. */
function typeOf(fetch: ExchangeFacts | null, address: string): string | null {
  return fetch === null ? (/^data:([^;,]*)/i.exec(address)?.[1]?.toLowerCase() ?? null) : fetch.mediaType;
}

/** A picture whose bytes show nothing here: JPEG XL, HEIC. Of the formats that are recognised, and of a page, they would. */
function isUnknownFormat(type: string | null): boolean {
  const format = /^image\/(?:x-)?([^;\s]+)$/.exec(type ?? "")?.[1];
  return format !== undefined && !recognisedTypes.has(format);
}

const recognisedTypes: ReadonlySet<string> = new Set("png apng jpeg jpg pjpeg webp gif bmp ms-bmp avif svg svg+xml *".split(" "));

function* judgeSize(image: ReceivedImage, { size, format }: RecognisedImage): Iterable<Occurrence> {
  const asked = image.request.requestObject?.["size"];
  const requirement = sizeRow(image);
  const wanted = /^(\d+)x(\d+)$/.exec(typeof asked === "string" ? asked : "1024x1024");
  if (wanted === null) return;
  const subject = { requirement, exchanges: cited(image) };
  if (size === null) {
    yield { ...subject, outcome: "inconclusive", message: `the header of the ${format} image could not be read` };
    return;
  }
  yield passOrFail(subject, size.width === Number(wanted[1]) && size.height === Number(wanted[2]), () => ({
    ...(asked === undefined
      ? {
          kind: "an image without a requested size is not square with 0 pixels",
          message: "an image without a requested size is not square with 1024 pixels",
        }
      : { kind: "the image has another size than requested" }),
    expected: `${wanted[1]} x ${wanted[2]} pixels`,
    observed: `${size.width} x ${size.height} pixels`,
  }));
}

/** The bytes of a `data:` address in base64 (RFC 2397); null for any other address. */
function readDataAddress(address: string): Uint8Array | null {
  const match = /^data:image\/[a-z+.-]+;base64,([A-Za-z0-9+/]+)={0,2}$/i.exec(address);
  return match?.[1] === undefined ? null : decodeBase64(match[1]);
}

/** The captured bytes, which may end early: headers of images are short. */
function bytesOf(body: RecordedBody | null | undefined): Uint8Array | null {
  if (body?.base64 !== undefined) return decodeBase64(body.base64);
  return body?.text === undefined ? null : new TextEncoder().encode(body.text);
}

/** Without padding or with the right one: `atob` throws at any other. */
function decodeBase64(text: string): Uint8Array | null {
  if (text.length % 4 === 1) return null;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
