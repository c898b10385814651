import { refuse } from "../reply.ts";
import { bagOf, type OpenCall, type Twist } from "../twist.ts";

const guarded: ReadonlySet<string> = new Set(["key", "account", "agents"]);
const decidedMs = 2000;

interface Decision {
  readonly atMs: number;
  /** Name of the key that was let through; null: it was refused. */
  readonly holder: string | null;
}

/** Mistakes in keys, scopes, payment and errors. */
export const keyTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind3/auth-malformed-400",
    says: "an Authorization header that is not the word Bearer and a token is answered 400 instead of 401",
    lines: "176, 183, 199",
    make: () => ({
      answer({ request }, answer) {
        const field = request.headers.authorization;
        if (answer.status === 401 && field !== undefined && !/^Bearer \S+$/i.test(field)) answer.status = 400;
      },
    }),
  },
  {
    id: "blind3/auth-decision-kept-by-path",
    says: "whether a write may be made is decided once in two seconds for each path, whichever keys ask",
    lines: "180, 184, 201",
    make: () => {
      const decisions = new Map<string, Decision>();
      const refused = new WeakSet<OpenCall["response"]>();
      return {
        arrive(call, { book }) {
          const found = guarded.has(call.endpoint) ? decisions.get(call.url.pathname) : undefined;
          if (found === undefined || call.holder === null || found.atMs < book.nowMs() - decidedMs) return;
          if (book.holders.get(call.holder)?.organization !== "own") return;
          if (found.holder === null) refused.add(call.response);
          else call.holder = found.holder;
        },
        work(call, desk) {
          if (!guarded.has(call.endpoint)) return false;
          if (refused.has(call.response)) {
            refuse(desk, call, 403, "scope_missing");
            return true;
          }
          decisions.set(call.url.pathname, { atMs: desk.book.nowMs(), holder: call.holder });
          return false;
        },
        answer({ endpoint, url, response }, { status }, { book }) {
          if (status !== 403 || !guarded.has(endpoint) || refused.has(response)) return;
          decisions.set(url.pathname, { atMs: book.nowMs(), holder: null });
        },
      };
    },
  },
  {
    id: "blind3/pay-no-credit-429",
    says: "exhausted credit is answered 429 with the code insufficient_quota instead of 402",
    lines: "200, 204",
    make: () => ({
      answer({ holder }, answer, { book }) {
        if (answer.status !== 402 || book.holders.get(holder ?? "")?.organization !== "broke") return;
        answer.status = 429;
        answer.value = { error: { code: "insufficient_quota", title: "no credit is left" } };
      },
    }),
  },
  {
    id: "blind3/pay-reads-redirected",
    says: "a GET of an account that is past due or out of credit is redirected to its billing page instead of 402",
    lines: "195, 200",
    make: () => ({
      answer({ request }, answer) {
        if (answer.status !== 402 || request.method !== "GET") return;
        answer.status = 303;
        answer.value = undefined;
        answer.heads = { Location: "/billing" };
      },
    }),
  },
  {
    id: "blind3/error-malformed-json-bare",
    says: "malformed JSON is answered 422 with a message of the parser alone, without a code",
    lines: "195, 203",
    make: () => ({
      answer(_call, answer) {
        if (bagOf(bagOf(answer.value)["error"])["code"] !== "unreadable_body") return;
        answer.value = { statusCode: 422, message: "Unexpected end of JSON input" };
      },
    }),
  },
  {
    id: "blind3/error-503-wait-is-an-instant",
    says: "Retry-After of a 503 is the Unix second at which to come back instead of the wait",
    lines: "207",
    make: () => ({
      answer(_call, answer, { book }) {
        if (answer.status !== 503) return;
        answer.heads = { ...answer.heads, "Retry-After": String(Math.ceil(book.nowMs() / 1000) + 45) };
      },
    }),
  },
];
