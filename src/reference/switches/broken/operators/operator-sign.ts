import type { EndpointId } from "../../../../core/exchange/endpoint.ts";
import type { Operator } from "./operators.ts";

/**
 * The sign of an operator to an observer: a requirement that fails, or a reason why nobody outside can hold it against a
 * service.
 */
export type OperatorSign = { readonly violates: string } | { readonly hidden: string };

const shows = (violates: string): OperatorSign => ({ violates });
const hides = (hidden: string): OperatorSign => ({ hidden });

type Of<Kind extends Operator["kind"]> = Extract<Operator, { kind: Kind }>;

/**
 * The sign of each operator, by the thing that it changes and the place. Most violate several requirements, some of which
 * depend on the traffic: one is named that it does not depend on.
 */
export function signOf(operator: Operator): OperatorSign {
  switch (operator.kind) {
    case "ignore":
      return ofMember(operator);
    case "unchecked":
      return unchecked(operator);
    case "status":
      return otherStatus(operator);
    case "shape":
      return operator.status === 402 && isSettings(operator.endpoint) ? blockedSettings : shows("ERR-001");
    case "streamed":
      return shows(operator.defect === "event" ? "ERR-001" : begun[operator.status]!);
    case "billed":
      return shows("USG-042");
    case "limit-billed":
      return operator.cause === "requests" && (operator.endpoint === "images" || operator.endpoint === "transcriptions")
        ? hides(
            "a window of pictures or of uploads has to be bought before the request limit refuses the next one: assay does not",
          )
        : shows("USG-042");
    case "executed":
      return shows(operator.endpoint === "key-settings" ? "KEY-029" : "ACC-013");
    case "admits":
      // Requests sent there have a useless body as well, so that the suites ask it as one of several mistakes.
      if (operator.endpoint === "agents") return shows("AUTH-028");
      return shows({ unknown: "AUTH-007", expired: "AUTH-013", revoked: "AUTH-014" }[operator.state]);
    case "company":
      return shows(operator.defect === "billed" ? "USG-032" : "SVC-024");
    case "limit-first":
      return shows("AUTH-037");
    case "bars":
      return shows("AUTH-036");
    case "element":
      return operator.member === "tools" && operator.checked === "first-dozens"
        ? hides("dozens of tools are not sent: how many a request may hold is not stated")
        : shows("ERR-039");
    case "swapped":
      return shows(operator.endpoint === "images" ? "IMG-024" : "SVC-022");
    case "limit-status":
      // One that says 402 may mean the account.
      if (operator.cause === "requests" && operator.answer === 402) return shows("SVC-023");
      return shows({ requests: "RATE-019", cooldown: "KEY-012", "key-cap": "SPEND-009", unavailable: "ERR-028" }[operator.cause]);
    case "hint":
      return hint(operator);
    case "counter":
      return counter(operator);
    case "setting":
      return setting(operator);
    case "trouble":
      return shows("SVC-021");
    case "header":
      return header(operator);
    default:
      return operator satisfies never;
  }
}

const isSettings = (endpoint: EndpointId): boolean => endpoint === "key-settings" || endpoint === "account-settings";
const isOnlyNamed = (endpoint: EndpointId): boolean => ["agents", "workspaces", "verify"].includes(endpoint);

const blockedSettings = hides("a key of a blocked account lacks the scope of settings as well, so that 403 may come first");

/** The rule on each member. */
const members: Readonly<Partial<Record<EndpointId, Readonly<Record<string, OperatorSign>>>>> = {
  chat: {
    model: shows("CHAT-002"),
    messages: shows("CHAT-006"),
    role: shows("MSG-004"),
    stream: shows("CHAT-010"),
    tools: hides("the model may use an offered tool or not, and a wrong type may be converted (AMB-05)"),
    temperature: shows("CHAT-021"),
    top_p: hides("no range is stated, and what sampling does is chance"),
    max_tokens: shows("CHAT-029"),
    reasoning_effort: shows("CHAT-036"),
  },
  embeddings: {
    model: shows("EMB-008"),
    input: shows("EMB-004"),
    encoding_format: shows("EMB-016"),
    dimensions: shows("EMB-018"),
  },
  images: { prompt: shows("IMG-002"), n: shows("IMG-005"), size: shows("IMG-013"), quality: shows("IMG-018") },
  "key-settings": {
    monthly_spend_cap: shows("KEY-001"),
    burst_limit: shows("KEY-002"),
    cooldown_seconds: shows("KEY-003"),
  },
  "account-settings": { account_spend_cap: shows("ACC-001") },
};

function ofMember({ endpoint, member }: Pick<Of<"ignore">, "endpoint" | "member">): OperatorSign {
  return members[endpoint]![member]!;
}

function unchecked(operator: Of<"unchecked">): OperatorSign {
  if (operator.form === "streamed") return shows(operator.member === "unknown-model" ? "STRM-017" : "STRM-010");
  if (operator.form === "long" && operator.member === "messages") return hides("a request without messages is not long");
  return ofMember(operator);
}

function otherStatus({ status, endpoint, answer }: Of<"status">): OperatorSign {
  if (status === 402 && endpoint === "usage" && answer === 200)
    return hides("a usage report may be a part of billing, which is exempt (AMB-44)");
  if (status === 402) return isSettings(endpoint) ? blockedSettings : shows("ERR-014");
  if (status === 401 && isOnlyNamed(endpoint) && answer === 404)
    return hides("a path that is only named need not exist (AMB-22)");
  if (answer === 500) return shows("SVC-023");
  if (status === 401 && endpoint === "agents") return shows("AUTH-028");
  if (status === 404 && endpoint !== "key-settings")
    return answer === 200
      ? hides("a service may fall back to another model (AMB-06)")
      : hides("any 4xx may answer an unknown model (AMB-06)");
  if (status === 422 && endpoint === "usage")
    return answer === 200 ? shows("ERR-021") : hides("the rule on failed validation speaks of bodies (AMB-34)");
  return shows(status === 422 && isSettings(endpoint) ? "ERR-020" : refusals[status]!);
}

const refusals: Readonly<Record<number, string>> = { 401: "ERR-013", 403: "ERR-017", 404: "ERR-018", 422: "ERR-021" };

/** A refusal in a stream that begins with a success. */
const begun: Readonly<Record<number, string>> = {
  401: "ERR-013",
  402: "ERR-014",
  404: "STRM-017",
  422: "STRM-010",
  429: "STRM-012",
};

function hint({ cause, defect }: Of<"hint">): OperatorSign {
  const isOtherWait = defect === "zero" || defect === "milliseconds" || defect === "hour-longer";
  switch (cause) {
    case "requests":
    case "cooldown":
      return shows(isOtherWait ? "RATE-044" : defect === "missing" ? "RATE-020" : "ERR-031");
    case "key-cap":
      if (defect === "hour-longer")
        return hides("when a billing cycle ends is open (AMB-17), and only its end would show an hour more");
      return shows(isOtherWait ? "SPEND-005" : "SPEND-004");
    case "unavailable":
      if (isOtherWait) return hides("30 to 120 s are called typical, so that others are advisories");
      return shows(defect === "missing" ? "ERR-030" : "ERR-031");
    default:
      return cause satisfies never;
  }
}

function counter({ counter: counted, defect }: Of<"counter">): OperatorSign {
  const comparesLike = defect === "no-streams" || defect === "no-batches" || defect === "at-once-lost";
  if (counted === "cost")
    return comparesLike
      ? shows("USG-044")
      : hides(
          "no price is stated: what an answer costs, or that each costs the same or nothing, may be the price; like answers are compared (USG-044)",
        );
  if (counted === "completion" && defect === "no-batches")
    return hides("neither vectors nor pictures have a completion: nothing is counted otherwise");
  return shows(defect === "no-streams" ? "USG-041" : "USG-032");
}

function setting({ member, defect }: Of<"setting">): OperatorSign {
  const isLost = defect === "lost" || defect === "lost-at-once" || defect === "doubled";
  if (member !== "burst_limit" && isLost)
    return hides("only a cooldown that passes or money that is spent shows it: the limits exam fails it");
  if (defect === "doubled") return hides("more than a few requests of one minute show it: the limits exam fails it");
  if (defect === "to-all-keys") return shows("KEY-013");
  // If a limit that was set never shows, nothing can be said of the other members.
  return shows(defect === "lost-at-once" ? "KEY-014" : "KEY-012");
}

function header({ header: name, defect }: Of<"header">): OperatorSign {
  const isReset = name.includes("-reset-");
  if (isReset && defect === "fraction") return hides("a fraction of a second is an advisory (AMB-11)");
  if (defect === "missing") return shows(presence[name]!);
  return shows(isReset ? (name.endsWith("-requests") ? "RATE-010" : "RATE-011") : "RATE-007");
}

const presence: Readonly<Record<string, string>> = {
  "x-ratelimit-limit-requests": "RATE-001",
  "x-ratelimit-remaining-requests": "RATE-002",
  "x-ratelimit-reset-requests": "RATE-003",
  "x-ratelimit-limit-tokens": "RATE-004",
  "x-ratelimit-remaining-tokens": "RATE-005",
  "x-ratelimit-reset-tokens": "RATE-006",
};
