import { openJudgeContext } from "../../../src/run/judge-context.ts";
import { writeFileSync } from "node:fs";
import type { Exchange, RecordedBody } from "../../../src/core/exchange/exchange.ts";
import type { HeaderList } from "../../../src/core/exchange/headers/header-list.ts";
import { examineReference } from "../examine-reference.ts";

/** Cases whose bodies are long and show nothing that a shorter one does not. */
const tooLong: ReadonlySet<string> = new Set(["stream/long", "audio/unstated-values"]);

/** Fields that no judge reads. */
const idle: ReadonlySet<string> = new Set([
  "user-agent",
  "accept",
  "accept-encoding",
  "content-length",
  "connection",
  "keep-alive",
  "x-request-id",
  "cache-control",
  "transfer-encoding",
]);

/**
 * Records one conformance run against the reference service for the tests that judge records without a server. Run it with
 * `npx tsx test/conformance/judges/record-golden.ts` when the suites send something new, then `npx vitest run test/conformance/judges -u`, and read
 * what changed in `golden/`.
 */
async function recordGolden(): Promise<void> {
  const examined = await examineReference();
  const { manifest } = openJudgeContext(examined.manifest);
  const kept = examined.exchanges.filter(({ caseId }) => !tooLong.has(caseId)).map(slim);
  const lines = [manifest, ...kept].map((value) => JSON.stringify(value));
  writeFileSync(new URL("golden/exchanges.ndjson", import.meta.url), `${lines.join("\n")}\n`);
}

function slim(exchange: Exchange): Exchange {
  const { request, response } = exchange;
  return {
    ...exchange,
    request: {
      ...request,
      headers: withoutIdle(request.headers),
      body: request.body === null ? null : withoutUpload(request.body),
    },
    response: response === null ? null : { ...response, headers: withoutIdle(response.headers) },
  };
}

function withoutIdle(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => !idle.has(name.toLowerCase()));
}

/** Uploaded recordings are bulky, and no judge reads them: size and hash stay. */
function withoutUpload({ base64, ...body }: RecordedBody): RecordedBody {
  return base64 === undefined ? body : { ...body, truncated: true };
}

await recordGolden();
