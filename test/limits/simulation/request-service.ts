import { endpoints } from "../../../src/core/exchange/endpoint.ts";
import type { SimContext, SimResponse, SimService } from "./simulator.ts";

/** One decision of a simulated limiter; instants in service milliseconds. */
export interface Decision {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number | string;
  readonly resetMs: number;
  readonly retryMs: number;
  /** The counter that a later read shows. */
  readonly reread?: () => number;
  readonly resetText?: string;
  readonly retryText?: string;
  readonly bodyRetry?: number | null;
}

/** A limiter decides after at least one step of its store: `decide` may continue later. */
export type Limiter = (context: SimContext, group: string, decide: (decision: Decision) => void) => void;

export interface ServiceStyle {
  readonly lateRead?: boolean;
  readonly before?: boolean;
  readonly round?: "ceil" | "floor" | "round";
  readonly processingMs?: number;
  readonly counts?: (request: SimContext["request"]) => string;
}

const served: ReadonlySet<string> = new Set(
  (["models", "usage", "chat", "embeddings", "transcriptions"] as const).map((endpoint) => endpoints[endpoint].path),
);

/** Endpoints behind one limiter per key and endpoint. */
export function serveRequests(limiter: Limiter, style: ServiceStyle = {}): SimService {
  return (context) => {
    const { request, random } = context;
    const key = "key" in request.credential ? request.credential.key : "none";
    const path = request.path.split("?")[0]!;
    const known = served.has(path);
    const group = `${key}|${path}`;
    if (request.credential.kind === "none")
      return context.reply({ status: 401, headers: {}, body: { error: { code: "unauthorized" } } });
    if (request.method === "PATCH") return context.reply({ status: 200, headers: {} });
    if (!known) return context.reply({ status: 404, headers: {}, body: { error: { code: "not_found" } } });
    context.later(0.3 + random.next(), () =>
      limiter(context, style.counts ? style.counts(request) : group, (decision) => {
        const processingMs = decision.admitted ? (style.processingMs ?? 3) * (0.5 + random.next()) : random.next();
        if (!style.lateRead || !decision.reread) return respond(decision.remaining, processingMs);
        const reread = decision.reread;
        context.later(processingMs * 0.8, () => respond(decision.admitted ? reread() : decision.remaining, processingMs * 0.2));

        function respond(remaining: number | string, ms: number): void {
          const shown = style.before && decision.admitted && typeof remaining === "number" ? remaining + 1 : remaining;
          context.reply(render(decision, shown, style), ms);
        }
      }),
    );
  };
}

/** The six headers; where no token limit is simulated, one that nothing comes near. */
export function quotaHeaders(
  decision: Decision,
  remaining: number | string,
  style: ServiceStyle,
  tokens?: { readonly limit: number; readonly remaining: number; readonly resetMs: number },
): Record<string, string> {
  const round = style.round === "floor" ? Math.floor : style.round === "round" ? Math.round : Math.ceil;
  const resetText = decision.resetText ?? String(round(decision.resetMs / 1000));
  return {
    "x-ratelimit-limit-requests": String(decision.limit),
    "x-ratelimit-remaining-requests": String(remaining),
    ...(resetText === "" ? {} : { "x-ratelimit-reset-requests": resetText }),
    "x-ratelimit-limit-tokens": String(tokens?.limit ?? 100_000),
    "x-ratelimit-remaining-tokens": String(tokens?.remaining ?? 100_000),
    "x-ratelimit-reset-tokens": tokens ? String(round(tokens.resetMs / 1000)) : resetText,
  };
}

function render(decision: Decision, remaining: number | string, style: ServiceStyle): SimResponse {
  const headers = quotaHeaders(decision, remaining, style);
  if (decision.admitted) return { status: 200, headers, body: { object: "list", data: [] } };
  const text = decision.retryText ?? String(Math.max(0, Math.ceil(decision.retryMs / 1000)));
  if (text !== "") headers["retry-after"] = text;
  const bodyRetry = decision.bodyRetry === undefined ? Number(text) : decision.bodyRetry;
  const body = {
    error: { code: "rate_limit_exceeded" },
    ...(bodyRetry === null || text === "" ? {} : { "retry-after": bodyRetry }),
  };
  return { status: 429, headers, body };
}
