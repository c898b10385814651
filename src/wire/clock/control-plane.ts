import { Client } from "undici";
import { isJsonObject, tryJson } from "../../core/exchange/bodies/recorded-json.ts";
import { ControlPlaneError } from "./control-plane-error.ts";
import { parseHttpUrl } from "../http/target-url.ts";

const controlTimeoutMs = 10_000;
const mostBytes = 2 ** 20;

/** The time that the clock of the reference service shows. */
interface ServiceTime {
  readonly wallMs: number;
  /** It stands still between advances. */
  readonly isManual: boolean;
  /** Wall clock of the service at which it has something to do next. */
  readonly nextTimerMs: number | null;
}

/** As `control` of a manifest names it. */
export interface ControlAddress {
  readonly url: string;
  readonly token: string;
}

/** One connection to the control plane of the reference service. Rejects with a ControlPlaneError where it does not answer as one. */
export class ControlPlane {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  #client: Client | null = null;

  constructor({ url, token }: ControlAddress) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  }

  readTime(): Promise<ServiceTime> {
    return this.#call("GET", null);
  }

  /** Moves the clock; it stops earlier where something falls due, and `settleMs` later. */
  advance(advanceMs: number, settleMs: number): Promise<ServiceTime> {
    return this.#call("POST", JSON.stringify({ advanceMs, settleMs }));
  }

  close(): Promise<void> {
    return this.#client?.destroy() ?? Promise.resolve();
  }

  async #call(method: "GET" | "POST", body: string | null): Promise<ServiceTime> {
    const { status, state } = await this.#ask(method, body).catch((cause: unknown) => {
      throw this.#isNone(cause instanceof Error ? cause.message : String(cause), { cause });
    });
    if (status === 401) throw this.#isNone(`it answers ${method} /clock with 401: control.token is not that of this service`);
    if (status !== 200 || !isJsonObject(state) || typeof state["wallMs"] !== "number")
      throw this.#isNone(`it answers ${method} /clock with ${status}${status === 200 ? " and no time" : ""}`);
    const { wallMs, mode, nextTimerMs } = state;
    return {
      wallMs,
      isManual: isJsonObject(mode) && mode["kind"] === "manual",
      nextTimerMs: typeof nextTimerMs === "number" ? nextTimerMs : null,
    };
  }

  async #ask(method: "GET" | "POST", body: string | null): Promise<{ readonly status: number; readonly state: unknown }> {
    const { origin, pathname } = parseHttpUrl(this.#url);
    this.#client ??= new Client(origin, { headersTimeout: controlTimeoutMs, maxResponseSize: mostBytes });
    const path = `${pathname.replace(/\/+$/, "")}/clock`;
    const signal = AbortSignal.timeout(controlTimeoutMs);
    const response = await this.#client.request({ method, path, headers: this.#headers, body, signal });
    return { status: response.statusCode, state: tryJson(await response.body.text()) };
  }

  #isNone(observed: string, options?: ErrorOptions): ControlPlaneError {
    const remedy = "correct control in the manifest, or leave it out: only the reference service has a control plane";
    return new ControlPlaneError(`control.url ${this.#url} leads to no control plane (${observed}); ${remedy}`, options);
  }
}
