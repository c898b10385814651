import { percentDecoded } from "../../core/percent-decoded.ts";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

/** How a reporter is sent when its path is an address. */
interface Delivery {
  readonly method: "POST" | "PUT";
  readonly contentType: string;
  /** Appended where the address has no path of its own. */
  readonly defaultPath: string;
}

const deliveries: Readonly<Record<string, Delivery>> = {
  otlp: { method: "POST", contentType: "application/json", defaultPath: "/v1/metrics" },
  // A Pushgateway: PUT takes the place of what the last run of this job left there.
  prometheus: { method: "PUT", contentType: "text/plain; version=0.0.4; charset=utf-8", defaultPath: "/metrics/job/assay" },
};

/** Answers after which OTLP asks an exporter to try again. */
const retried: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const attempts = 3;
const pauseMs = 500;
const largestAnswerBytes = 65_536;

export interface SendOptions {
  /** `OTEL_EXPORTER_OTLP_HEADERS` and `OTEL_EXPORTER_OTLP_TIMEOUT` (milliseconds for one attempt, default 10,000). */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Sends the text of a reporter to a collector; rejects with why it was not taken. No redirect is followed. */
export async function sendReport(name: string, address: string, text: string, { env }: SendOptions): Promise<void> {
  const delivery = deliveries[name];
  if (delivery === undefined)
    throw new Error(`the reporter ${name} writes files; ${Object.keys(deliveries).join(" and ")} can be sent`);
  const url = new URL(address);
  if (url.pathname === "/") url.pathname = delivery.defaultPath;
  const headers = {
    ...(name === "otlp" ? readHeaders(env["OTEL_EXPORTER_OTLP_HEADERS"] ?? "") : {}),
    "content-type": delivery.contentType,
  };
  const timeoutMs = Number(env["OTEL_EXPORTER_OTLP_TIMEOUT"] ?? "") || 10_000;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await exchange(url, delivery.method, headers, text, timeoutMs);
    if (answer.status >= 200 && answer.status < 300) {
      const rejected = name === "otlp" ? rejectedPoints(answer.text) : 0;
      if (rejected > 0) throw new Error(`${url.host} refused ${rejected} data points`);
      return;
    }
    if (!retried.has(answer.status) || attempt === attempts) throw new Error(`${url.host} answered ${answer.status}`);
    await sleep(pauseMs * attempt);
  }
}

/** The endpoint of a reporter without a path: OTLP to the collector that the environment names, else nowhere. */
export function collectorOf(name: string, env: SendOptions["env"]): string | null {
  if (name !== "otlp") return null;
  const own = env["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"] ?? "";
  if (own !== "") return withScheme(own);
  const shared = env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "";
  return shared === "" ? null : withScheme(`${shared.replace(/\/+$/, "")}/v1/metrics`);
}

/** `collector:4318` is no file. */
function withScheme(address: string): string {
  return /^https?:\/\//i.test(address) ? address : `http://${address}`;
}

/**
 * `name=value,name=value`, values percent-encoded (OpenTelemetry, OTLP exporter configuration). Text that is no header is left
 * out.
 */
function readHeaders(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(",").flatMap((pair): readonly (readonly [string, string])[] => {
    const [name = "", ...rest] = pair.split("=");
    const value = percentDecoded(rest.join("=").trim());
    return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name.trim()) && /^[\t\x20-\x7e]*$/.test(value)
      ? [[name.trim().toLowerCase(), value]]
      : [];
  });
  return Object.fromEntries(pairs);
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function exchange(
  url: URL,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  timeoutMs: number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    // One deadline for the whole attempt: a collector that trickles must not hold the run.
    const signal = AbortSignal.timeout(timeoutMs);
    const request = send(
      url,
      { method, headers: { ...headers, "content-length": Buffer.byteLength(body) }, signal },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
          if (text.length > largestAnswerBytes) response.destroy();
        });
        response.on("close", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", () => {});
      },
    );
    request.on("error", (error: NodeJS.ErrnoException) =>
      reject(
        new Error(
          `${url.host} ${signal.aborted ? `did not answer within ${timeoutMs} ms` : (error.code ?? "cannot be reached")}`,
        ),
      ),
    );
    request.end(body);
  });
}

/** `partialSuccess.rejectedDataPoints` of an ExportMetricsServiceResponse; 0 where there is none. */
function rejectedPoints(text: string): number {
  try {
    const answer = JSON.parse(text) as { readonly partialSuccess?: { readonly rejectedDataPoints?: unknown } } | null;
    const rejected = Number(answer?.partialSuccess?.rejectedDataPoints ?? 0);
    return Number.isFinite(rejected) ? rejected : 0;
  } catch {
    return 0;
  }
}
