import type { ServerResponse } from "node:http";
import type { AccountBook } from "../account-book.ts";
import type { Call } from "../reply.ts";
import { askedOf, bagOf, listOf, type Twist } from "../twist.ts";
import { chatModel, report } from "../work.ts";
import { webpOf } from "./webp.ts";

const [minuteMs, dayMs] = [60_000, 86_400_000];
const codeOf = (value: unknown): unknown => bagOf(bagOf(value)["error"])["code"];

function settingsOf({ endpoint, url }: Call, book: AccountBook): object {
  if (endpoint === "account") return { object: "account", account_spend_cap: book.accountCap };
  const holder = [...book.holders.values()].find(({ id }) => url.pathname.endsWith(`/${id}`));
  return { object: "key", id: holder?.id, ...holder?.settings };
}

/** Writes the events of a stream in the form that many services share. */
function writeChunks(response: ServerResponse, id: string): void {
  const [write, end] = [response.write.bind(response), response.end.bind(response)];
  const chunk = (delta: object, finish: string | null, usage: unknown = null): string =>
    `data: ${JSON.stringify({
      id,
      object: "chat.completion.chunk",
      created: Math.floor(Date.now() / 1000),
      model: chatModel,
      choices: usage === null ? [{ index: 0, delta, finish_reason: finish }] : [],
      usage,
    })}\n\n`;
  const dataOf = (text: string): Record<string, unknown> => bagOf(JSON.parse(/^data: (.*?)\r?$/m.exec(text)?.[1] ?? "null"));
  let words = 0;
  response.write = (text: unknown): boolean => {
    if (typeof text !== "string" || !text.startsWith("event: word")) return write(text);
    words += 1;
    const before = words === 1 ? chunk({ role: "assistant", content: "" }, null) : words % 9 === 0 ? ": still here\n\n" : "";
    return write(before + chunk({ content: `${words === 1 ? "" : " "}${String(dataOf(text)["w"])}` }, null));
  };
  response.end = (text?: unknown): ServerResponse => {
    if (typeof text !== "string" || !text.startsWith("event: done")) return text === undefined ? end() : end(text);
    return end(`${chunk({}, "stop")}${chunk({}, null, dataOf(text)["usage"])}data: [DONE]\n\n`);
  };
}

/** Other readings that the specification permits. */
export const lawfulTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind3/lawful-wait-in-both-places",
    says: "a 429 of a limit or a cooldown states its wait in Retry-After and in its body, where one would do",
    lines: "209, 226",
    make: () => ({
      answer(_call, answer) {
        const wait = bagOf(answer.value)["retry-after"];
        if (answer.status === 429 && typeof wait === "number") answer.heads = { ...answer.heads, "Retry-After": String(wait) };
      },
    }),
  },
  {
    id: "blind3/lawful-settings-echoed",
    says: "changes of settings are answered 200 with all settings as they now are",
    lines: "164, 168",
    make: () => ({
      answer(call, answer, { book }) {
        if (!["key", "account"].includes(call.endpoint) || answer.status !== 204) return;
        answer.status = 200;
        answer.value = settingsOf(call, book);
      },
    }),
  },
  {
    id: "blind3/lawful-all-faults-422",
    says: "values of the wrong type, bodies that are no object and wrong queries are failed validations too",
    lines: "195, 203",
    make: () => ({
      answer(_call, answer) {
        const code = codeOf(answer.value);
        if (answer.status !== 400 || !["invalid_request", "bad_query", "no_object"].includes(String(code))) return;
        const value = bagOf(answer.value);
        answer.status = 422;
        answer.value = { ...value, error: { details: [{ at: "body", want: "an object" }], ...bagOf(value["error"]) } };
      },
    }),
  },
  {
    id: "blind3/lawful-strangers-have-limits",
    says: "requests without a valid key carry the rate-limit fields of a window that all strangers share",
    lines: "17, 215",
    make: () => {
      const window = { startMs: 0, used: 0 };
      return {
        arrive(call, { book }) {
          if (call.holder !== null) return;
          const nowMs = book.nowMs();
          if (nowMs >= window.startMs + minuteMs) Object.assign(window, { startMs: nowMs, used: 0 });
          window.used += 1;
          const resetMs = window.startMs + minuteMs;
          const tokens = { tokenLimit: 10_000, tokensLeft: 10_000, tokenResetMs: resetMs };
          call.reading = { limit: 20_000, left: 20_000 - window.used, resetMs, ...tokens };
        },
      };
    },
  },
  {
    id: "blind3/lawful-stream-chunks-and-done",
    says: "streams are nameless events with a delta each, comments in between, the usage, and the word [DONE] at the end",
    lines: "189, 190",
    make: () => {
      let streams = 0;
      return {
        work(call) {
          if (call.endpoint !== "chat" || askedOf(call)?.["stream"] !== true) return;
          streams += 1;
          writeChunks(call.response, `chatcmpl-${call.holder}-${streams}-${Date.now().toString(36)}`);
        },
      };
    },
  },
  {
    id: "blind3/lawful-costs-with-noise",
    says: "the costs of buckets are sums of binary fractions, off in the seventeenth digit after the point",
    lines: "77, 78",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "usage" || answer.status !== 200) return;
        const value = bagOf(answer.value);
        const noisy = (cost: unknown): number => Number(cost) + 0.1 + 0.2 - 0.3;
        answer.value = {
          ...value,
          data: listOf(value["data"]).map((one) => ({ ...bagOf(one), cost_usd: noisy(bagOf(one)["cost_usd"]) })),
        };
      },
    }),
  },
  {
    id: "blind3/lawful-token-window-of-a-day",
    says: "tokens are counted by the day, so that their window is reset at midnight while that of requests lasts a minute",
    lines: "215, 222, 223, 224",
    make: () => ({
      open(book) {
        const count = book.count.bind(book);
        const used = new Map<string, number>();
        const keyOf = (name: string, endpoint: string): string => `${Math.floor(book.nowMs() / dayMs)} ${name} ${endpoint}`;
        book.count = (name, endpoint, uses) => {
          const tokensLeft = 20_000_000 - (used.get(keyOf(name, endpoint)) ?? 0);
          const tokenResetMs = (Math.floor(book.nowMs() / dayMs) + 1) * dayMs;
          return { ...count(name, endpoint, uses), tokenLimit: 20_000_000, tokensLeft, tokenResetMs };
        };
        book.useTokens = (name, endpoint, tokens): void => {
          const key = keyOf(name, endpoint);
          used.set(key, (used.get(key) ?? 0) + tokens);
        };
      },
    }),
  },
  {
    id: "blind3/lawful-usage-settles-late",
    says: "usage appears in reports 1.2 seconds after its request was answered",
    lines: "14, 77",
    make: () => ({
      work(call, desk) {
        if (call.endpoint !== "usage") return false;
        const { spent } = desk.book;
        const all = [...spent];
        const settled = all.filter(({ atMs }) => atMs <= desk.book.nowMs() - 1200);
        spent.splice(0, spent.length, ...settled);
        report(desk, call);
        spent.splice(0, spent.length, ...all);
        return true;
      },
    }),
  },
  {
    id: "blind3/lawful-errors-as-problem-json",
    says: "errors are of the type application/problem+json, with the members of that type beside the common ones",
    lines: "7, 195",
    make: () => ({
      answer(_call, answer) {
        if (answer.status < 400 || answer.value === undefined || answer.value instanceof Buffer) return;
        answer.heads = { ...answer.heads, "Content-Type": "application/problem+json" };
        answer.value = { type: "about:blank", status: answer.status, ...bagOf(answer.value) };
      },
    }),
  },
  {
    id: "blind3/lawful-images-webp",
    says: "images are WebP files",
    lines: "57",
    make: () => ({
      answer({ endpoint, url }, answer, { sizes }) {
        if (answer.status !== 200) return;
        if (url.pathname.startsWith("/pictures/")) {
          const [width = 1, height = 1] = (sizes.get(url.pathname.slice(10)) ?? "").split("x").map(Number);
          answer.value = webpOf(width, height);
          answer.heads = { "Content-Type": "image/webp" };
        } else if (endpoint === "images") {
          const value = bagOf(answer.value);
          const data = listOf(value["data"]).map((item) => {
            const address = String(bagOf(item)["url"]).replace(/\.png$/, ".webp");
            const name = address.split("/").at(-1) ?? "";
            sizes.set(name, sizes.get(name.replace(/\.webp$/, ".png")) ?? "1024x1024");
            return { ...bagOf(item), url: address };
          });
          answer.value = { ...value, data };
        }
      },
    }),
  },
];
