import { type IncomingMessage, request as sendRequest, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { serveHttp } from "../make/wire/test-server.ts";

/**
 * Stands between `assay` and a target for the running test, and gives its URL: lets everything through but PATCH requests that
 * `answer` wants to answer itself. `answer` is reported the body and how many PATCH requests came before; a status answers in
 * place of the target, `hold` never answers, null lets it through. `onAnswered` is called when the target has carried out a PATCH
 * and `assay` does not know it yet.
 */
export async function openSettingsProxy(
  target: string,
  answer: (settings: Readonly<Record<string, unknown>>, before: number) => number | "hold" | null,
  onAnswered: () => void = () => undefined,
): Promise<string> {
  let patches = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
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
      if (request.method === "PATCH") onAnswered();
      response.writeHead(answered.statusCode ?? 502, answered.rawHeaders);
      answered.pipe(response);
    });
    onward.once("error", () => response.destroy());
    onward.end(body);
  };
  return (await serveHttp((request, response) => void handle(request, response))).url;
}

function parse(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
