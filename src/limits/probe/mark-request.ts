import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import type { MultipartPart, SendBody, SendRequest } from "../../core/exchange/send-request.ts";

/** Words of one length, each of them one token or two to most models: marks of equal cost. */
const words =
  "amber angle apple arrow badge basin beach berry bloom board brick brook cabin canal chair chalk cloud coast coral crane daisy delta eagle earth ember fable fence field flame flock frost glade globe grain grape grove honey horse house ivory jewel knoll lemon light linen lunar maple marsh metal mount north ocean olive opera orbit otter paint pearl plain plant plaza prism river robin".split(
    " ",
  );
const wordsOfMark = 3;

/** Marks below this number differ from each other. */
export const marksThatDiffer: number = words.length ** wordsOfMark;

/** A cache is asked for what the service itself says now. */
export const askTheService: Readonly<Record<string, string>> = { "cache-control": "no-cache" };

/**
 * The request with content that no other has, so that no cache holds its answer or the beginning of its prompt. A request without
 * a body, which has no content, asks caches to stand aside.
 */
export function markRequest(request: SendRequest, number: number): SendRequest {
  const { body } = request;
  if (body === undefined) return request.method === "GET" ? withHeaders(request) : request;
  return { ...request, body: markBody(body, number) };
}

function withHeaders(request: SendRequest): SendRequest {
  return { ...request, headers: { ...askTheService, ...request.headers } };
}

function markBody(body: SendBody, number: number): SendBody {
  if (body.kind === "multipart") return { ...body, parts: body.parts.map((part) => markPart(part, number)) };
  if (body.kind === "raw" || !isJsonObject(body.value)) return body;
  const mark = markOf(number);
  const { messages, input, prompt } = body.value;
  const first: unknown = Array.isArray(messages) ? messages[0] : null;
  const content = isJsonObject(first) ? first["content"] : null;
  if (Array.isArray(messages) && isJsonObject(first) && typeof content === "string") {
    const marked = [{ ...first, content: `${mark} ${content}` }, ...messages.slice(1)];
    return { ...body, value: { ...body.value, messages: marked } };
  }
  if (typeof input === "string") return { ...body, value: { ...body.value, input: `${mark} ${input}` } };
  if (Array.isArray(input)) {
    // Texts of one batch differ from each other too.
    const marked = input.map((text: unknown, index) => (typeof text === "string" ? `${index} ${mark} ${text}` : text));
    return { ...body, value: { ...body.value, input: marked } };
  }
  if (typeof prompt === "string") return { ...body, value: { ...body.value, prompt: `${mark} ${prompt}` } };
  return body;
}

/** The least significant word comes first: prompts differ from their begin on. */
function markOf(number: number): string {
  const chosen: string[] = [];
  for (let rest = number % marksThatDiffer; chosen.length < wordsOfMark; rest = Math.floor(rest / words.length))
    chosen.push(words[rest % words.length]!);
  return chosen.join(" ");
}

/** Bits of a mark, each in one sample. */
const bitsOfMark = 18;
/** Bytes of the head of a wave file. */
const waveHead = 44;

/** A file of one byte a sample: samples of silence that are a step off are silence still. */
function markPart(part: MultipartPart, number: number): MultipartPart {
  if (typeof part.value === "string" || part.value.length < waveHead + bitsOfMark) return part;
  const value = Uint8Array.from(part.value);
  for (let bit = 0; bit < bitsOfMark; bit += 1) value[waveHead + bit]! ^= Math.floor(number / 2 ** bit) % 2;
  return { ...part, value };
}
