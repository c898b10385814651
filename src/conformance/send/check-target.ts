import type { Exchange, TransportFailure } from "../../core/exchange/exchange.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { explainTls } from "../../core/exchange/explain-tls.ts";
import { headerValues } from "../../core/exchange/headers/header-list.ts";
import type { Case, CaseTools } from "../plan/case.ts";
import { describeAnswer } from "../judging/describe-answer.ts";
import { ownWords } from "../judging/own-words.ts";
import { showUnreadable } from "../judging/show-unreadable.ts";

/** Why the run stopped before its cases: there is nothing to judge. */
export interface TargetRefusal {
  readonly kind: "unreachable" | "key-refused" | "no-api" | "failing" | "limited" | "refused";
  readonly reason: string;
}

/** Precondition of the whole run (AUTH-001): something answers, and it accepts the primary key. */
export const targetCheck: Case = {
  id: "core/target-check",
  suite: "core",
  title: "The target answers and accepts the primary key",
  covers: ["AUTH-001"],
  needs: [{ kind: "key", name: "primary" }],
  cost: { requests: { models: 1, chat: 1 }, tokens: 32 },
  run: async (tools) => {
    await sendTargetChecks(tools);
  },
};

export async function sendTargetChecks(tools: CaseTools): Promise<readonly ExchangeFacts[]> {
  const models = await tools.send({ endpoint: "models", label: "models" });
  const model = tools.manifest.models.chat;
  if (isEnough(models) || model === null) return [models];
  const value = { model, messages: [{ role: "user", content: "Say hello." }], max_tokens: 16 };
  // If the first was waited for three times already, the second is waited for once.
  const retry = models.failure === null || !silences.has(models.failure.kind);
  return [models, await tools.send({ endpoint: "chat", label: "chat", body: { kind: "json", value }, retry })];
}

/** Whether the answer to the list of models says all: one that breaks off or never comes may be a defect of this operation alone. */
export function isEnough(models: ExchangeFacts): boolean {
  const kind = models.failure?.kind;
  return models.isSuccess || models.status === 401 || (kind !== undefined && lastingFailures.has(kind) && !silences.has(kind));
}

const silences: ReadonlySet<TransportFailure["kind"]> = new Set(["timeout", "stream-timeout"]);

/** Failures that another try would only repeat, or wait out once more. */
const lastingFailures: ReadonlySet<TransportFailure["kind"]> = new Set([
  "connect-refused",
  "dns",
  "tls",
  "connect-timeout",
  "timeout",
  "stream-timeout",
  "invalid-http",
]);

/** Why nothing can be measured of a target that answered like this, where one request is enough to know; else null. */
export function explainTrouble(exchange: Exchange, baseUrl: string): string | null {
  const { response, failure } = exchange;
  if (failure !== null) return lastingFailures.has(failure.kind) ? explainSilence(exchange, baseUrl) : null;
  if (response === null || response.status < 300 || response.status > 399) return null;
  const [to] = headerValues(response.headers, "location");
  return (
    `${baseUrl} redirects ${exchange.request.path} (${response.status}${to === undefined ? "" : ` to ${to.slice(0, 200)}`}): ` +
    "redirects are not followed, so that keys go nowhere else; use the final address as base URL"
  );
}

/** No answer, or one that broke off: what happened, and what usually is behind it. */
function explainSilence({ request, response, failure }: Exchange, baseUrl: string): string {
  const what = `${request.method} ${request.path}`;
  if (response !== null) {
    return `${baseUrl} begins to answer ${what} (${response.status}) and does not finish: ${failure?.message ?? "the body is incomplete"}`;
  }
  const hints: Readonly<Partial<Record<TransportFailure["kind"], string>>> = {
    "connect-refused": "nothing listens there; is the service started, and is the port right?",
    "connect-timeout": "a firewall or a wrong address drops packets silently",
    dns: "is the host name right?",
    ...(failure === null ? {} : { tls: explainTls(failure) }),
    timeout: `the connection opens, and ${what} stays without an answer; is the service stuck, or is target.timeoutMs too short?`,
    "invalid-http": "is the port one for https, or of another service?",
    "connection-closed": baseUrl.startsWith("http:")
      ? "a port for https does that: does the base URL have to begin with https?"
      : "is it the port of another service?",
  };
  const hint = failure === null ? undefined : hints[failure.kind];
  return `${baseUrl} does not answer: ${failure?.message ?? "no response"}${showUnreadable(failure)}${hint === undefined ? "" : `; ${hint}`}`;
}

/** Sends the check and says why nothing can be judged; null when the run may go on. */
export async function checkTarget(tools: CaseTools): Promise<TargetRefusal | null> {
  const exchanges = await sendTargetChecks(tools);
  return explainRefusal(exchanges, tools.manifest.target.baseUrl) ?? explainLimit(exchanges);
}

/** Each was repeated after the wait that the answer asked for, as far as anybody would wait. */
function explainLimit(exchanges: readonly ExchangeFacts[]): TargetRefusal | null {
  if (exchanges.some((exchange) => exchange.status !== 429 || exchange.isQuotaExceeded)) return null;
  const waits = exchanges.map(({ retryHints: { header, bodySeconds } }) => header?.raw ?? bodySeconds?.raw ?? "nothing");
  const asked = [...new Set(waits.map((wait) => (JSON.stringify(wait) ?? "").slice(0, 60)))].join(", ");
  return {
    kind: "limited",
    reason: `the target answers 429 to every valid request, also after a wait (Retry-After: ${asked}); run again when its limit is free`,
  };
}

/** Why a target that answered plain valid requests like this cannot be judged; null where one of them was served. */
export function explainRefusal(exchanges: readonly ExchangeFacts[], baseUrl: string): TargetRefusal | null {
  const answered = exchanges.filter((exchange) => exchange.response !== null && exchange.failure === null);
  if (answered.length > 0 && answered.every(({ mediaType }) => mediaType === "text/html")) {
    const seen = answered.map((exchange) => `${exchange.request.path} with ${exchange.status}`).join(", ");
    return answered.every(({ status }) => (status ?? 0) >= 500)
      ? {
          kind: "failing",
          reason: `a proxy answers in place of the service: ${seen} and an HTML page; is the service behind it up?`,
        }
      : {
          kind: "no-api",
          reason: `no inference API below this base URL: it answers ${seen} and an HTML page; is the base URL right?`,
        };
  }
  if (answered.some((exchange) => exchange.isSuccess)) return null;
  const [first] = exchanges;
  if (answered.length === 0) {
    return { kind: "unreachable", reason: first === undefined ? "nothing was sent" : explainSilence(first, baseUrl) };
  }
  const redirected = answered.map((exchange) => explainTrouble(exchange, baseUrl));
  if (redirected[0] != null && redirected.every((one) => one !== null)) return { kind: "no-api", reason: redirected[0] };
  const refused = answered.find((exchange) => exchange.status === 401 || exchange.status === 403);
  if (refused !== undefined) {
    return {
      kind: "key-refused",
      reason: `the target refuses the primary key: ${describeRefusal(refused)}`,
    };
  }
  if (answered.every((exchange) => exchange.status === 404 || exchange.status === 405)) {
    return {
      kind: "no-api",
      reason: `no inference API below this base URL: ${answered.map((exchange) => `${exchange.request.path} is answered ${exchange.status}`).join(", ")}; ${hasVersion(baseUrl) ? versionHint : "is the base URL right?"}`,
    };
  }
  if (answered.every((exchange) => (exchange.status ?? 0) >= 500)) {
    return { kind: "failing", reason: `the target fails on valid requests: ${answered.map(describeAnswer).join(", ")}` };
  }
  if (answered.every(({ status }) => status === 429)) return null;
  const seen = answered.map(describeRefusal).join("; ");
  return { kind: "refused", reason: `the target accepts no valid request: ${seen}; ${findRemedy(answered, baseUrl)}` };
}

/** `400 (missing_header) to GET /v1/models: "missing x-tenant header"` */
function describeRefusal(exchange: ExchangeFacts): string {
  const words = ownWords(exchange);
  const isNew = words !== null && words !== exchange.errorCode;
  return `${describeAnswer(exchange)} to ${exchange.request.path}${isNew ? `: ${JSON.stringify(words)}` : ""}`;
}

const versionHint = "the paths of assay begin with /v1: leave it out of the base URL";

function hasVersion(baseUrl: string): boolean {
  return /\/v1\/?$/.test(baseUrl);
}

/** The change of the manifest that most often helps. */
function findRemedy(answered: readonly ExchangeFacts[], baseUrl: string): string {
  const words = answered.map((exchange) => ownWords(exchange) ?? "").join(" ");
  if (/sent to (?:an )?https|https (?:is )?required|use https/i.test(words) || answered.some(({ status }) => status === 426))
    return "does the base URL have to begin with https?";
  if (hasVersion(baseUrl)) return versionHint;
  if (/\bheaders?\b|\bx-[a-z]+/i.test(words))
    return "--header, or target.headers of the manifest, adds header fields to every request";
  if (/\bmodels?\b/i.test(words)) return "is models.chat of the manifest a model of this server?";
  return "is the base URL right, and does the server need a header (--header)?";
}
