import { Client } from "undici";
import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";

const controlTimeoutMs = 10_000;

/** The time that the clock of the reference service shows. */
export interface ServiceTime {
  readonly wallMs: number;
  /** It stands still between advances. */
  readonly isManual: boolean;
  /** Wall clock of the service at which it has something to do next. */
  readonly nextTimerMs: number | null;
}

/** One connection to the control plane of the reference service. Throws where it does not answer as one. */
export class ControlPlane {
  readonly #client: Client;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(base: URL, token: string) {
    this.#client = new Client(base.origin, { headersTimeout: controlTimeoutMs, bodyTimeout: controlTimeoutMs });
    this.#path = `${base.pathname.replace(/\/+$/, "")}/clock`;
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
    return this.#client.destroy();
  }

  async #call(method: "GET" | "POST", body: string | null): Promise<ServiceTime> {
    const response = await this.#client.request({ method, path: this.#path, headers: this.#headers, body });
    const text = await response.body.text();
    const state: unknown = response.statusCode === 200 ? JSON.parse(text) : null;
    if (!isJsonObject(state) || typeof state["wallMs"] !== "number") {
      throw new Error(`the control plane answered ${method} /clock with ${response.statusCode}`);
    }
    const { wallMs, mode, nextTimerMs } = state;
    return {
      wallMs,
      isManual: isJsonObject(mode) && mode["kind"] === "manual",
      nextTimerMs: typeof nextTimerMs === "number" ? nextTimerMs : null,
    };
  }
}
