import { createServer, request as ask, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateRawSync, gzipSync } from "node:zlib";
import { startReferenceService } from "../../../src/index.ts";
import type { GeneratedClass, Random } from "./generated-class.ts";
import { bounds, findFaults, folderWith, keyOf } from "./try-command.ts";
import { runBounded } from "../run-bounded.ts";

interface Body {
  readonly bytes: Buffer;
  readonly coding?: string;
}

const padding = (piece: string, random: Random): Buffer =>
  Buffer.from(piece.repeat(Math.ceil((1_100_000 + random(400_000)) / piece.length)));

/** Ways to make an answer one that nobody can read; all else of it stays right. */
const spoils: Readonly<Record<string, (body: Buffer, random: Random) => Body>> = {
  "padding in its place": (_, random) => ({ bytes: padding("x", random) }),
  "padding behind it": (body, random) => ({ bytes: Buffer.concat([body, padding("x", random)]) }),
  "padding before it": (body, random) => ({ bytes: Buffer.concat([padding("0", random), body]) }),
  "eight bytes called gzip": (body) => ({ bytes: body.subarray(0, 8), coding: "gzip" }),
  "gzip that is cut": (body, random) => ({ bytes: gzipSync(body).subarray(0, 11 + random(6)), coding: "gzip" }),
  "gzip called br": (body) => ({ bytes: gzipSync(body), coding: "br" }),
  "br called gzip": (body) => ({ bytes: brotliCompressSync(body), coding: "gzip" }),
  "plain text called zstd": (body) => ({ bytes: body, coding: "zstd" }),
  "plain text of an unknown coding": (body, random) => ({ bytes: body, coding: `x-${random(1e6).toString(36)}` }),
  "plain text called deflate": (body) => ({ bytes: body, coding: "deflate" }),
  "gzip of deflate called gzip": (body) => ({ bytes: gzipSync(deflateRawSync(body)), coding: "gzip" }),
  "gzip that nobody named": (body) => ({ bytes: gzipSync(body) }),
  "UTF-16": (body) => ({ bytes: Buffer.from(body.toString("utf8"), "utf16le") }),
  "bytes that are no UTF-8": (body, random) => {
    const bytes = Buffer.from(body);
    for (let at = random(3); at < bytes.length; at += 7) bytes[at] = 0xff;
    return { bytes };
  },
  "its last byte cut": (body) => ({ bytes: body.subarray(0, -1) }),
  "a comma too many": (body) => ({ bytes: Buffer.from(body.toString("utf8").replace(/\}\s*$/, ",}")) }),
};

/**
 * The reference service, all right but for its bodies: a suite in which an answer was unreadable cannot pass.
 */
export const unreadableBodies: GeneratedClass = {
  id: "padding and codings of every body",
  make: async ({ count, random }) => {
    const service = await startReferenceService({ seed: 3 });
    let spoil: ((body: Buffer) => Body) | null = null;
    const server = createServer((incoming, outgoing) => {
      const headers: IncomingHttpHeaders = { ...incoming.headers, host: new URL(service.url).host };
      const inner = ask(new URL(incoming.url ?? "/", service.url), { method: incoming.method, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          const { bytes, coding } = spoil?.(Buffer.concat(chunks)) ?? { bytes: Buffer.concat(chunks) };
          const { "transfer-encoding": _, "content-length": __, ...kept } = answer.headers;
          const own = { ...kept, ...(coding === undefined ? {} : { "content-encoding": coding }) };
          outgoing.writeHead(answer.statusCode ?? 500, { ...own, "content-length": String(bytes.length) });
          outgoing.end(bytes);
        });
      });
      inner.on("error", () => outgoing.destroy());
      incoming.pipe(inner);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const secret = keyOf(service);
    const suites = ["models", "usage", "embeddings", "core"];
    const check = async (suite: string) => {
      const folder = folderWith({ "assay.config.yaml": { target: { baseUrl: url }, keys: { primary: "${ASSAY_API_KEY}" } } });
      return { folder, run: await runBounded(["check", "--suite", suite], { folder, secret, bounds }) };
    };
    const tries = Object.entries(spoils).slice(0, count);
    return {
      cases: [
        {
          id: "nothing is spoiled: the same suite passes",
          run: async () => {
            spoil = null;
            const { run, folder } = await check("models");
            return {
              runs: [run],
              broken: [...findFaults(run, folder, secret), ...(run.exitCode === 0 ? [] : ["a right service failed"])],
            };
          },
        },
        ...tries.map(([name, change], at) => ({
          id: `${suites[at % suites.length]}: ${name}`,
          run: async () => {
            spoil = (body) => (body.length === 0 ? { bytes: body } : change(body, random));
            const { run, folder } = await check(suites[at % suites.length]!);
            return { runs: [run], broken: [...findFaults(run, folder, secret), ...(run.exitCode === 0 ? ["called good"] : [])] };
          },
        })),
      ],
      close: async () => {
        server.closeAllConnections();
        server.close();
        await service.close();
      },
    };
  },
};
