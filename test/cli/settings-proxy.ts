import { createServer, type IncomingMessage, request as sendRequest, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Stands between `assay` and a target: lets everything through but PATCH requests that `answer` wants to answer itself. */
export interface SettingsProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** `answer` is reported the body and how many PATCH requests came before; a status answers in place of the target, `hold` never answers, null lets it through. */
export async function openSettingsProxy(
  target: string,
  answer: (settings: Readonly<Record<string, unknown>>, before: number) => number | "hold" | null,
): Promise<SettingsProxy> {
  let patches = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    if (request.method === "PATCH") {
      const status = answer(parse(body), patches);
      patches += 1;
      if (status === "hold") return;
      if (status !== null) {
        response.writeHead(status, { "content-type": "application/json" }).end('{"error":{"code":"refused"}}');
        return;
      }
    }
    const { host: _host, ...headers } = request.headers;
    const onward = sendRequest(new URL(request.url ?? "/", target), { method: request.method ?? "GET", headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.rawHeaders);
      answered.pipe(response);
    });
    onward.once("error", () => response.destroy());
    onward.end(body);
  };
  const server: Server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parse(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
