import { serverName } from "../../../core/exchange/headers/server-name.ts";
import type { Exchange } from "../../../core/exchange/exchange.ts";
import { headerValues, singleHeader } from "../../../core/exchange/headers/header-list.ts";
import { factsOf } from "../../../core/exchange/exchange-facts.ts";
import { rateLimitHeaderNames } from "../../../core/exchange/headers/rate-limit-headers.ts";
import { diagnosis, type Diagnosis } from "../../../command/diagnosis.ts";

/** Whether the first request was answered in HTTP. */
export function judgeHttp(exchange: Exchange): Diagnosis {
  if (exchange.response !== null && exchange.failure !== null) {
    const hint = "the answer begins and does not finish: a proxy in front, or a service that died meanwhile?";
    return diagnosis("http", "failed", exchange.failure.message, hint);
  }
  if (exchange.response !== null) {
    const server = serverName(exchange);
    return diagnosis("http", "ok", `HTTP is answered${server === null ? "" : ` by ${JSON.stringify(server)}`}`);
  }
  const hints: Readonly<Record<string, string>> = {
    "invalid-http": "is this port plain HTTP or TLS, and an HTTP service at all?",
    timeout: "the connection opens, and nothing is answered: is the service stuck, or is target.timeoutMs too short?",
  };
  const hint = hints[exchange.failure?.kind ?? ""] ?? null;
  return diagnosis("http", "failed", exchange.failure?.message ?? "no response", hint);
}

/** Whether GET /v1/models lies below the base URL; `alternative` was tried with a shorter one. */
export function judgeBasePath(
  exchange: Exchange,
  alternative: { readonly baseUrl: string; readonly exchange: Exchange } | null,
): Diagnosis {
  const status = exchange.response?.status ?? 0;
  if (status >= 300 && status < 400) {
    const hint = "redirects are not followed, so that keys go nowhere else: use the final address as base URL";
    return diagnosis("base-path", "failed", `GET /v1/models redirects (${status})`, hint);
  }
  if (status === 404) {
    const found = alternative?.exchange.response?.status;
    if (alternative && found !== undefined && found !== 404) {
      const hint = `set target.baseUrl to ${alternative.baseUrl}: paths here already begin with /v1`;
      return diagnosis("base-path", "failed", "GET /v1/models is not found below this base URL", hint);
    }
    const hint = "check the path of target.baseUrl: a server with the paths /openai/v1/... has the base URL http://HOST/openai";
    return diagnosis("base-path", "failed", `GET /v1/models is not found below this base URL${ownWords(exchange)}`, hint);
  }
  const type = singleHeader(exchange.response?.headers ?? [], "content-type") ?? "";
  if (/text\/html/i.test(type)) {
    if (status >= 500) {
      const hint = "a proxy answers in place of the service: is the service behind it up?";
      return diagnosis("base-path", "failed", `GET /v1/models is answered ${status} with an HTML page`, hint);
    }
    return diagnosis("base-path", "failed", "the answer is an HTML page", "this is a web site or a proxy, not the API itself");
  }
  return factsOf(exchange).responseObject !== null
    ? diagnosis("base-path", "ok", "GET /v1/models answers in JSON")
    : diagnosis(
        "base-path",
        "warning",
        `GET /v1/models answers ${status} without a JSON object${ownWords(exchange)}`,
        "check target.baseUrl",
      );
}

/** The diagnosis of a request without a key. */
export function judgeAuthentication(exchange: Exchange): Diagnosis {
  const status = exchange.response?.status ?? 0;
  if (status === 401) return diagnosis("authentication", "ok", "requests without a key are refused with 401");
  if (status >= 200 && status < 300) {
    const hint = "every requirement on keys will fail; is authentication switched off?";
    return diagnosis("authentication", "warning", "requests without a key are answered", hint);
  }
  return diagnosis(
    "authentication",
    "warning",
    `a request without a key is answered with ${status}, not 401${ownWords(exchange)}`,
  );
}

/** The diagnosis of a request with the primary key. */
export function judgeCredential(exchange: Exchange | null): Diagnosis {
  if (exchange === null) return diagnosis("credential", "skipped", "the manifest holds no primary key", "set ASSAY_API_KEY");
  const status = exchange.response?.status;
  if (status === undefined) return diagnosis("credential", "failed", exchange.failure?.message ?? "no response");
  if (status >= 200 && status < 300) return diagnosis("credential", "ok", "the primary key is accepted");
  const hints: Readonly<Record<number, readonly [message: string, hint: string]>> = {
    401: ["the primary key is refused", "is the key right, active, and older than a minute?"],
    402: ["payment is required for the primary key", "the subscription is past due or the credit is used up"],
    403: ["the primary key lacks a scope", "use a key that may read models"],
    429: ["the primary key is over a limit", "wait, or use another key: checks would start without allowance"],
  };
  const fields = "a field that the service asks for: --header 'NAME: VALUE', or target.headers in the manifest";
  const [message, hint] = hints[status] ?? [`the primary key is answered with ${status}`, status === 400 ? fields : null];
  return diagnosis("credential", "failed", `${message}${ownWords(exchange)}`, hint);
}

const wordsShown = 200;

/** The beginning of the body, in the words of the server; empty where it has none. */
function ownWords({ response }: Exchange): string {
  const text = response?.body?.text?.trim() ?? "";
  if (text === "" || text === "{}") return "";
  return `; it says ${JSON.stringify(text.slice(0, wordsShown))}${text.length > wordsShown ? " ..." : ""}`;
}

/** Which rate-limit fields come with a response, and in which dialect. */
export function judgeRateLimitHeaders(exchange: Exchange): Diagnosis {
  if (exchange.response === null) return diagnosis("rate-limit-headers", "skipped", "no response");
  const { requests, problems } = factsOf(exchange).rateLimit;
  const missing = problems.filter(({ kind }) => kind === "missing").length;
  if (missing === rateLimitHeaderNames.length) {
    const hint = "requests will be paced blindly, and checks of limits have little to go by";
    return diagnosis("rate-limit-headers", "warning", "there are none", hint);
  }
  if (problems.length === 0) {
    return diagnosis("rate-limit-headers", "ok", `all six; ${requests.remaining} of ${requests.limit} requests remain`);
  }
  const named = problems.map(({ header, kind, format, foundAs }) => `${header} ${format ?? foundAs ?? kind}`);
  return diagnosis("rate-limit-headers", "warning", `they differ from the specification: ${named.join(", ")}`);
}

/** Whether a connection carries a second request: `again` followed `before` over the same connection slot, which followed `refused`. */
export function judgeKeepAlive(refused: Exchange, before: Exchange, again: Exchange): Diagnosis {
  const race = [before, again].find(({ failure }) => failure?.kind === "reused-connection-closed");
  if (race) {
    const hint = "such races are not counted as errors of the service; connections are short-lived under load";
    return diagnosis("keep-alive", "warning", "a request met a connection that had just been closed without notice", hint);
  }
  const announced = headerValues(before.response?.headers ?? [], "keep-alive")[0];
  const announcement = announced === undefined ? "" : ` (${announced.slice(0, 60)})`;
  if (again.connection?.reused) {
    const kept = before.connection?.reused || before === refused;
    const closing = kept ? "" : ", but closed after a refusal";
    return diagnosis("keep-alive", "ok", `connections are kept${closing}${announcement}`);
  }
  return diagnosis("keep-alive", "warning", "every request needs a new connection", "latency under load will include connecting");
}

/** Shortest and middle time from sending to the response head. */
export function judgeRoundTrip(exchanges: readonly Exchange[]): Diagnosis {
  const times = exchanges
    .flatMap(({ timing }) => (timing.headersMs === null ? [] : [timing.headersMs - timing.sentMs]))
    .toSorted((a, b) => a - b);
  const [floor] = times;
  const middle = times[Math.floor(times.length / 2)];
  if (floor === undefined || middle === undefined) return diagnosis("round-trip", "skipped", "no response");
  return diagnosis(
    "round-trip",
    "ok",
    `${floor.toFixed(1)} ms at best, ${middle.toFixed(1)} ms in the middle, without any work of a model`,
  );
}
