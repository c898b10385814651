import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Manifest } from "../../../src/core/manifest.ts";

/** An answer of the service behind a gateway. */
export interface PassingAnswer {
  readonly method: string;
  readonly path: string;
  readonly requestBody: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

type AnswerChange = (answer: PassingAnswer) => Partial<Pick<PassingAnswer, "status" | "headers" | "body">>;

export interface Gateway {
  /** The manifest of a service, with the gateway before it. */
  readonly before: (manifest: Manifest) => Manifest;
  readonly close: () => Promise<void>;
}

/** A gateway before a service, which changes answers of it: a defect that no part of the service knows of. */
export async function startGateway(change: AnswerChange): Promise<Gateway> {
  let upstream = "";
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    forward(incoming, outgoing, { upstream, agent, change }).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    before: (manifest) => {
      upstream = manifest.target.baseUrl;
      return { ...manifest, target: { ...manifest.target, baseUrl: `http://127.0.0.1:${port}` } };
    },
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Passage {
  readonly upstream: string;
  readonly agent: Agent;
  readonly change: AnswerChange;
}

async function forward(incoming: IncomingMessage, outgoing: ServerResponse, passage: Passage): Promise<void> {
  const { method = "GET", url: path = "/" } = incoming;
  const sent = await readAll(incoming);
  const { host: _host, ...headers } = incoming.headers;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    // As it came: a path that begins with two slashes is no host.
    const behind = request(passage.upstream, { method, path, headers, agent: passage.agent }, resolve);
    behind.on("error", reject);
    outgoing.on("close", () => behind.destroy());
    behind.end(sent);
  });
  const body = await readAll(answer);
  const { "transfer-encoding": _framing, "content-length": _length, ...fields } = flat(answer.headers);
  const passing = { method, path, requestBody: sent.toString(), status: answer.statusCode ?? 502, headers: fields, body };
  const changed = { ...passing, ...passage.change(passing) };
  const length = { "content-length": String(changed.body.length) };
  outgoing.writeHead(changed.status, { ...changed.headers, ...length }).end(changed.body);
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function flat(headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
