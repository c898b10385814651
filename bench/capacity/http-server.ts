import { createServer } from "node:http";
import { createRandom } from "../../src/core/random.ts";

/**
 * A chat completion server on 127.0.0.1 whose knee is known for any tool that keeps requests in flight:
 * `tsx bench/capacity/http-server.ts PORT batching|queue`. GET /count answers how many completions it was asked for; the first token
 * and the last come together, so that bounds on both times say the same.
 *
 * `batching`: with n in flight an answer takes (40 + 2 n) ms times 1 + 0.08 z, z normal. 95 % end within 120 ms up to 33 in flight.
 * `queue`: four servers with exponential times of 40 ms, first come, first served. 95 % end within 320 ms up to 21 in flight.
 */
const [port = "18990", kind = "batching"] = process.argv.slice(2);
const random = createRandom(7).fork(kind);
const free = new Float64Array(4);
let inFlight = 0;
let asked = 0;

function delayMs(): number {
  if (kind === "batching") {
    const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    return (40 + 2 * inFlight) * (1 + 0.08 * normal);
  }
  const now = performance.now();
  const first = free.indexOf(Math.min(...free));
  const end = Math.max(now, free[first] ?? 0) - 40 * Math.log(1 - random.next());
  free[first] = end;
  return end - now;
}

const base = { id: "c1", created: 1, model: "known" };
const usage = { prompt_tokens: 8, completion_tokens: 4, total_tokens: 12 };
const whole = {
  ...base,
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "one two three four" }, finish_reason: "stop" }],
  usage,
};
const events = [
  ...["one", " two", " three", " four"].map((content) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  { choices: [], usage },
].map((event) => `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", ...event })}\n\n`);

createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (text: string) => (body += text));
  request.on("end", () => {
    const json = (value: unknown): void => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(value));
    };
    if (request.url === "/count") return json({ asked });
    if (request.method !== "POST")
      return json({ object: "list", data: [{ id: "known", object: "model", created: 1, owned_by: "bench" }] });
    asked += 1;
    inFlight += 1;
    const isStreamed = body.includes('"stream":true') || body.includes('"stream": true');
    // A timer fires up to a millisecond late.
    setTimeout(() => {
      inFlight -= 1;
      if (!isStreamed) return json(whole);
      response.setHeader("content-type", "text/event-stream");
      response.end(`${events.join("")}data: [DONE]\n\n`);
    }, delayMs() - 0.6);
  });
}).listen(Number(port), "127.0.0.1");
