import { request as openRequest, type ServerResponse } from "node:http";
import { serveHttp, type TestServer } from "../../make/wire/test-server.ts";

/** Passes requests on to a service, and fails each one after the first `sound` of them. */
export function frontThatFails(baseUrl: string, sound: number, fail: (response: ServerResponse) => void): Promise<TestServer> {
  let left = sound;
  const target = new URL(baseUrl);
  return serveHttp((incoming, response) => {
    left -= 1;
    if (left < 0) {
      fail(response);
      return;
    }
    const { method, url, headers } = incoming;
    const passed = openRequest({ host: target.hostname, port: target.port, path: url, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    incoming.pipe(passed);
  });
}
