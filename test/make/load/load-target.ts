import { text } from "node:stream/consumers";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { completeManifest } from "../../../src/config/complete-manifest.ts";
import { tryJson } from "../../../src/core/exchange/bodies/recorded-json.ts";
import type { Manifest } from "../../../src/core/manifest.ts";

export interface LoadTarget {
  readonly baseUrl: string;
  readonly seen: { readonly path: string; readonly body: unknown }[];
  close(): Promise<void>;
}

export type Answer = (
  request: { readonly path: string; readonly body: unknown; readonly number: number },
  response: ServerResponse,
) => void;

/** A server on an ephemeral port that answers as the test says; none of our reference code is in it. */
export async function startTarget(answer: Answer): Promise<LoadTarget> {
  const seen: { path: string; body: unknown }[] = [];
  const server: Server = createServer((request, response) => {
    const handle = async (): Promise<void> => {
      const body = tryJson(await text(request)) ?? null;
      // These targets count no usage.
      if (request.url?.startsWith("/v1/usage")) {
        response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"code":"not_found"}}');
        return;
      }
      seen.push({ path: request.url ?? "", body });
      answer({ path: request.url ?? "", body, number: seen.length }, response);
    };
    void handle();
  });
  server.keepAliveTimeout = 30_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export function chunkEvent(delta: object, rest: object = {}): string {
  const value = {
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: null }],
    ...rest,
  };
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Streams `tokens` words: the role at once, the first word after `firstMs`, then one each `gapMs`. */
export function streamWords(response: ServerResponse, tokens: number, firstMs: number, gapMs: number): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunkEvent({ role: "assistant", content: "" }));
  let sent = 0;
  const next = (): void => {
    response.write(chunkEvent({ content: `word${sent} ` }));
    sent += 1;
    if (sent < tokens) setTimeout(next, gapMs);
    else
      response.end(
        `${chunkEvent({}, { usage: { prompt_tokens: 5, completion_tokens: tokens, total_tokens: tokens + 5 } })}data: [DONE]\n\n`,
      );
  };
  setTimeout(next, firstMs);
}

export function manifestFor(baseUrl: string, change: Partial<Manifest> = {}): Manifest {
  const manifest = completeManifest({
    target: { name: "test", baseUrl, timeoutMs: 10_000 },
    keys: { primary: { secret: "sk_test_load", id: "key_1" } },
    models: { chat: "chat-model", embedding: "embedding-model", transcription: "transcription-model" },
    exclusive: true,
    prices: { perMillionPromptTokens: 1, perMillionCompletionTokens: 2, perImage: 0.04, perAudioMinute: 0.006 },
  });
  return { ...manifest, ...change };
}
