import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { givenAway } from "../../../test/make/hostile/encode-canary.ts";
import { runBounded } from "../run-bounded.ts";
import type { GeneratedClass, Random } from "./generated-class.ts";
import { bounds, findFaults, folderWith } from "./try-command.ts";

const key = "sk_live_Zx81LqT0pWv73NdRf5Ub";

/** The places of a manifest from which a value reaches the target, or a message. */
const origins: Readonly<Record<string, (secret: string) => object>> = {
  "a header": () => ({ target: { headers: { "x-extra": "${CANARY}" } } }),
  "a part of a header": () => ({ target: { headers: { "x-extra": "v1 ${CANARY}; end" } } }),
  "a header that is written out": (secret) => ({ target: { headers: { "x-extra": secret } } }),
  "the path of the address": () => ({ target: { path: "/${CANARY}" } }),
  "the name of the target": () => ({ target: { name: "staging ${CANARY}" } }),
  "a model": () => ({ models: { chat: "${CANARY}", embedding: "${CANARY}" } }),
  "the id of a key": () => ({ keys: { secondary: { secret: "${OTHER}", id: "${CANARY}" } } }),
  "another key": () => ({ keys: { readOnly: "${CANARY}" } }),
  "the reason of a waiver": () => ({ waive: [{ id: "MOD-002", reason: "see ${CANARY}" }] }),
  "the reason of a known failure": () => ({ baseline: [{ id: "MOD-002", reason: "see ${CANARY}" }] }),
  "a foreign key id": () => ({ foreignKeyId: "${CANARY}" }),
  "a header of a fault": () => ({
    faults: { "500": { headers: { "x-fault": "${CANARY}" } } },
    permissions: { faultTriggers: true },
  }),
};

/** Echoes the head and the body of the request in all that is quoted. */
async function openEcho(): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const sent = `${request.url} ${JSON.stringify(request.headers)} ${Buffer.concat(chunks).toString("utf8").slice(0, 2000)}`;
      const forms = [sent, Buffer.from(sent).toString("base64"), encodeURIComponent(sent), Buffer.from(sent).toString("hex")];
      const isList = request.url?.endsWith("/v1/models") === true;
      const data = forms.map((id) => ({ id, object: "model", created: 1, owned_by: id }));
      response.writeHead(isList ? 200 : 400, {
        "content-type": "application/json",
        "x-echo": encodeURIComponent(sent).slice(0, 3000),
      });
      response.end(
        JSON.stringify(isList ? { object: forms[1], data } : { error: { code: forms[2], message: forms.join("\n") } }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function drawSecret(random: Random): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return Array.from({ length: 14 + random(10) }, () => letters[random(letters.length - 1)]).join("");
}

/** A secret that stands anywhere in a manifest, and a target that gives back what it was sent. */
export const secretOrigins: GeneratedClass = {
  id: "origins of secrets",
  make: async ({ count, random }) => {
    const echo = await openEcho();
    return {
      cases: Object.entries(origins)
        .slice(0, count)
        .map(([id, membersOf]) => ({
          id,
          run: async () => {
            const secret = drawSecret(random);
            const { target = {}, keys = {}, ...rest } = membersOf(secret) as Record<string, Record<string, unknown>>;
            const { path = "", ...way } = target;
            const manifest = {
              target: { baseUrl: `${echo.url}${String(path)}`, ...way },
              keys: { primary: "${ASSAY_API_KEY}", ...keys },
              ...rest,
            };
            const folder = folderWith({ "assay.config.yaml": manifest });
            const own = { folder, secret: key, bounds, env: { CANARY: secret, OTHER: "sk_live_Yy92MrU1qXw84OeSg6Vc" } };
            const reporters = ["markdown", "csv", "ctrf", "agent"].flatMap((name) => ["--reporter", `${name}=${name}.txt`]);
            const check = await runBounded(["check", "--suite", "models,chat", ...reporters], own);
            const runs = [
              check,
              await runBounded(["report", latestOf(folder)], own),
              await runBounded(["show", latestOf(folder)], own),
            ];
            const forms = [secret, key].flatMap((one) => [one, ...givenAway(one)]);
            return {
              runs,
              broken: [
                ...runs.flatMap((run) => findFaults(run, folder, ...forms)),
                ...(check.exitCode === 0 ? ["called good"] : []),
                ...(check.exitCode === 2 ? [`refused: ${check.output.slice(0, 300)}`] : []),
              ],
            };
          },
        })),
      close: () => Promise.resolve(echo.close()),
    };
  },
};

function latestOf(folder: string): string {
  const reports = join(folder, "reports");
  const name = existsSync(reports) ? readdirSync(reports).find((one) => /^\d{4}-/.test(one)) : undefined;
  return name === undefined ? reports : join(reports, name);
}
