import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import type { Chunk } from "../../../src/features/agents/messages/chunk.ts";
import { createInbox } from "../../../src/features/agents/messages/inbox.ts";
import { createOutbox } from "../../../src/features/agents/messages/outbox.ts";
import { parseGate } from "../../../src/load/gates/parse-gate.ts";
import { judgeProfile } from "../../../src/load/judge/judge-profile.ts";
import type { LedgerLine, ProfileLine, ShareLine } from "../../../src/load/ledger/ledger-line.ts";
import { closeShare, openShare, type OpenShare } from "../../../src/load/ledger/open-share.ts";
import { packRecords } from "../../../src/load/ledger/record-columns.ts";
import { unpackRecords } from "../../../src/load/ledger/unpack-records.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { manifestFor, startTarget, streamWords, type LoadTarget } from "../../make/load/load-target.ts";
import { sendProfile, shortProfile } from "../../make/load/run-against.ts";
import { agentProfile } from "./run-with-agents.ts";

interface Recorded {
  readonly header: ProfileLine;
  readonly begin: Extract<LedgerLine, { kind: "start" }>;
  readonly end: ShareLine;
  readonly records: readonly LoadRecord[];
  readonly health: OpenShare["health"];
}

/** Lines over a way that loses, doubles and shuffles. */
function carry(lines: readonly LedgerLine[], seed: number): readonly LedgerLine[] {
  const random = createRandom(seed);
  const way: Chunk[] = [];
  const outbox = createOutbox({ send: (chunk) => way.push(chunk), mostBytes: Infinity });
  const arrived: LedgerLine[] = [];
  const inbox = createInbox((payload) => arrived.push(JSON.parse(payload) as LedgerLine));
  for (const line of lines) outbox.post(JSON.stringify(line));
  while (outbox.unacknowledged > 0) {
    const now = way.splice(0).flatMap((chunk) => Array.from({ length: random.integer(0, 2) }, () => chunk));
    for (const chunk of now.toSorted(() => random.next() - 0.5)) inbox.take(chunk);
    outbox.acknowledge(inbox.received);
    outbox.repeat();
  }
  return arrived;
}

describe("a recorded run", () => {
  let target: LoadTarget;
  let recorded: Recorded;

  beforeAll(async () => {
    target = await startTarget((request, response) => {
      if (request.number % 11 === 0) response.writeHead(503, { "content-type": "application/json" }).end("{}");
      else streamWords(response, 4, 5 + (request.number % 7), 3);
    });
    const gates = ["ttft.p50 < 900ms", "error_rate < 50%"];
    const profile = shortProfile({ ...agentProfile, gates, retry: { max: 1 } });
    const lines: LedgerLine[] = [];
    const ledger = (json: string): void => void lines.push(JSON.parse(json) as LedgerLine);
    await sendProfile(profile, manifestFor(target.baseUrl), { seed: 5, ledger });
    const of = <Kind extends LedgerLine["kind"]>(kind: Kind) =>
      lines.filter((line): line is Extract<LedgerLine, { kind: Kind }> => line.kind === kind);
    recorded = {
      header: of("profile")[0]!,
      begin: of("start")[0]!,
      end: of("share")[0]!,
      records: of("records").flatMap((line) => unpackRecords(line.columns, line.rows, profile.slo)),
      health: of("health").flatMap((line) => [...line.samples]),
    };
  });
  afterAll(() => target.close());

  it.each([2, 3, 4, 7])("split over %i agents and carried in chunks gives the same bytes as unsplit", (agents) => {
    const { header, begin, end, records, health } = recorded;
    expect(records.length).toBeGreaterThan(50);
    const whole: OpenShare = { ...openShare(begin), records: [...records], health: [...health], end };
    const judge = (shares: readonly OpenShare[]): string =>
      JSON.stringify(
        judgeProfile({
          header,
          gates: header.profile.gates.map(parseGate),
          shares: shares.map(closeShare),
          end: { kind: "measured" },
          watched: null,
          calibration: null,
        }),
      );
    const shares = Array.from({ length: agents }, (_, agent): OpenShare => {
      const own = records.filter((_record, index) => index % agents === agent);
      const first = agent === 0;
      const lines: LedgerLine[] = [
        { ...begin, loop: agent },
        ...Array.from({ length: Math.ceil(own.length / 5) }, (__, part): LedgerLine => {
          const rows = own.slice(5 * part, 5 * part + 5);
          return { kind: "records", loop: agent, rows: rows.length, columns: packRecords(rows) };
        }),
        ...(first ? [{ kind: "health" as const, loop: agent, samples: health }] : []),
        // A figure that is no sum over records belongs to the recorded loop alone.
        first
          ? { ...end, loop: agent }
          : { ...end, loop: agent, areaMs: 0, planned: 0, retried: 0, races: { count: 0, outOf: 0 } },
      ];
      const share = openShare(begin);
      for (const line of carry(lines, agents + agent)) {
        if (line.kind === "records") share.records.push(...unpackRecords(line.columns, line.rows, header.profile.slo));
        else if (line.kind === "health") share.health.push(...line.samples);
        else if (line.kind === "share") share.end = line;
      }
      return share;
    });
    expect(judge(shares)).toBe(judge([whole]));
  });
});
