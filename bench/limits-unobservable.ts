import type { Exchange } from "../src/core/exchange/exchange.ts";
import type { Mutant } from "../src/reference/defects/switch.ts";
import { needsMoney, recordSwitch, type LimitArea } from "../test/limits/examine-switch.ts";

/**
 * Whether a switch changes no answer of a lawful service: the full exam with all its phases, over sockets and on a clock that is moved by
 * hand, is answered the same with and without it. No examiner that asks these questions could tell the two apart, so that
 * the switch is no defect there (windows of another length on a bucket). Everything in which two runs of one service agree is
 * compared: requests, status, header fields, bodies. `lawful` keeps what was recorded without a switch.
 */
export async function isUnobservable(
  area: LimitArea,
  mutant: Mutant,
  variants: readonly string[],
  lawful: Map<string, string>,
): Promise<boolean> {
  const isPaid = needsMoney(area, mutant);
  const record = async (one: Mutant | null): Promise<string> =>
    transcriptOf((await recordSwitch(area, one, { exam: "full", variants, isPaid })).exchanges);
  const id = JSON.stringify([area, isPaid, variants]);
  if (!lawful.has(id)) lawful.set(id, await record(null));
  return (await record(mutant)) === lawful.get(id);
}

/** What was sent and answered, in order; simultaneous requests have none, and ids are counted up in the order of arrival. */
function transcriptOf(exchanges: readonly Exchange[]): string {
  const inOrder = [...exchanges].sort((a, b) => a.timing.sentMs - b.timing.sentMs);
  const groups: string[][] = [];
  let untilMs = Number.NEGATIVE_INFINITY;
  for (const exchange of inOrder) {
    const { sentMs, endMs } = exchange.timing;
    if (sentMs > untilMs) groups.push([]);
    groups.at(-1)!.push(lineOf(exchange));
    untilMs = Math.max(untilMs, endMs);
  }
  return groups.map((lines) => lines.sort().join("\n")).join("\n\n");
}

function lineOf({ keyName, request, response, failure }: Exchange): string {
  const headers = response?.headers.filter(([name]) => name.toLowerCase() !== "x-request-id");
  const body = response?.stream?.events.map(({ data }) => data) ?? response?.body?.text;
  const text = JSON.stringify([keyName, request.method, request.path, failure?.kind, response?.status, headers, body]);
  return text.replace(/\b(req_|chatcmpl-)[a-z0-9]+/g, "$1").replace(/127\.0\.0\.1:\d+/g, "");
}
