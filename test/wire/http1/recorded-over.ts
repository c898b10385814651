import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { createWire } from "../../../src/wire/client/wire.ts";
import { testManifest } from "../../make/test-manifest.ts";
import { onRequest, serveTcp, serveTls, type TestServer } from "../../make/wire/test-server.ts";
import type { Script } from "./generated-response.ts";
import { modelsRequest } from "../../make/wire/wire-to.ts";

/**
 * The facts about one connection that two clients must agree on: the scripted answer, and whether the connection served another
 * request.
 */
export interface Record {
  readonly status: number | null;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: unknown;
  readonly stream: unknown;
  readonly failure: string | null;
  readonly message: string;
  readonly reused: boolean;
  readonly nextFailure: string | null;
}

export interface ScriptedServer extends TestServer {
  /** Two requests of this stage over one slot; the first is answered by the script, the second plainly. */
  record(script: Script, stage: SendRequest["stage"]): Promise<Record>;
}

/** How long an answer may stay incomplete before the server ends its side. */
const patienceMs = 25;
const plainAnswer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

export async function serveScripts(scheme: "http" | "https"): Promise<ScriptedServer> {
  const waiting = new Map<string, { readonly script: Script; readonly answered: Promise<unknown>; readonly over: () => void }>();
  const server = await (scheme === "https" ? serveTls : serveTcp)((socket: Socket) => {
    socket.setNoDelay(true);
    onRequest(socket, (text) => {
      const name = /^GET \S*\/scripted\/(\d+)/.exec(text)?.[1];
      const played = name === undefined ? undefined : waiting.get(name);
      if (!played) {
        socket.write(plainAnswer);
        return;
      }
      void (async () => {
        await play(socket, played.script, played.answered);
        played.over();
      })();
    });
  });
  let count = 0;
  return {
    ...server,
    async record(script, stage) {
      count += 1;
      const name = String(count);
      const manifest = testManifest(server.url, { timeoutMs: 20_000, tls: { rejectUnauthorized: false } });
      const wire = createWire({ manifest, clock: createRealClock(), digests: true });
      const request = { ...plainRequest, stage };
      const answered = createSignal();
      const over = createSignal();
      waiting.set(name, { script, answered: answered.raised, over: over.raise });
      const first = await wire.send({ ...request, path: `/scripted/${name}` });
      answered.raise();
      // Bytes that the server sends after the answer arrive before the next request leaves.
      await over.raised;
      await quiet(4);
      const next = await wire.send({ ...request, path: "/plain" });
      await wire.close();
      waiting.delete(name);
      return describe(first, next);
    },
  };
}

const plainRequest: SendRequest = { ...modelsRequest, stage: "load", path: "/", credential: { kind: "none" }, connection: 1 };

function describe({ response, failure, connection }: Exchange, next: Exchange): Record {
  const stream = response?.stream ?? null;
  return {
    status: response?.status ?? null,
    // undici leaves blanks at the end of a value, which are no part of it (RFC 9110 section 5.5).
    headers: (response?.headers ?? []).map(([name, value]) => [name, value.replaceAll(/^[ \t]+|[ \t]+$/g, "")]),
    body: response?.body ?? null,
    stream: stream && { ...stream, events: stream.events.map(({ event, data, id }) => [event, data, id]) },
    failure: failure?.kind ?? null,
    message: failure?.message ?? "",
    reused: next.connection !== null && next.connection.id === connection?.id,
    nextFailure: next.failure?.kind ?? null,
  };
}

/** Writes the pieces one by one and ends as the script has it; an answer that stays incomplete ends with the connection. */
async function play(socket: Socket, script: Script, answered: Promise<unknown>): Promise<void> {
  for (const piece of script.pieces) {
    if (socket.destroyed) return;
    socket.write(piece);
    await turns(2);
  }
  if (script.end === "keep") {
    await Promise.race([answered, quiet(patienceMs)]);
    if (!(await isSettled(answered))) socket.end();
  } else {
    await quiet(2);
    if (script.end === "fin") socket.end();
    // TLS sockets know no reset: they end without a word.
    else if (socket instanceof TLSSocket) socket.destroy();
    else socket.resetAndDestroy();
  }
}

function createSignal(): { readonly raised: Promise<void>; readonly raise: () => void } {
  let raise = (): void => {};
  const raised = new Promise<void>((resolve) => {
    raise = resolve;
  });
  return { raised, raise: () => raise() };
}

/** Some time, and as many polls of a busy loop as it takes for what was on its way to be read. */
async function quiet(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  await turns(4);
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol("open");
  return (await Promise.race([promise, Promise.resolve(open)])) !== open;
}
