import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { showValue } from "../../judging/json-value.ts";
import { chunkObjects } from "../stream/stream-chunks.ts";
import type { Relation } from "./relation.ts";

/**
 * Events of one stream do not name another one. Nothing says that they name any, nor that the name stays: only the name that most events
 * of exactly one other stream have shows whose event it is.
 */
export const ownChunks: Relation = {
  id: "chat/streams/chunk-ids",
  requirement: "SVC-022",
  says: "an event of a stream has the id of another stream",
  held: "the stream that events stand in",
  varies: "the place in the stream",
  agrees: "id: that of no other stream",
  *compare(record) {
    const streams = record.filter(({ asksForStream, isSuccess }) => asksForStream && isSuccess);
    const read = streams.map((stream) => ({ stream, ids: idsOf(stream) })).filter(({ ids }) => ids.length > 1);
    const owners = new Map<string, ExchangeFacts | null>();
    for (const { stream, ids } of read) {
      const usual = mostOf(ids);
      if (usual !== null) owners.set(usual, owners.has(usual) ? null : stream);
    }
    for (const { stream, ids } of read) {
      if (owners.get(mostOf(ids) ?? "") !== stream) continue;
      const strange = ids.find((id) => (owners.get(id) ?? stream) !== stream);
      const owner = owners.get(strange ?? "");
      yield {
        exchanges: [stream.seq, ...(owner == null ? [] : [owner.seq])],
        isProven: true,
        holds: strange === undefined,
        expected: `events with the id ${showValue(mostOf(ids), 60)}, as most of #${stream.seq} have`,
        observed: strange === undefined ? "" : `${showValue(strange, 60)}, the id of most events of #${owner?.seq}`,
      };
    }
  },
};

function idsOf(stream: ExchangeFacts): readonly string[] {
  return chunkObjects(stream).flatMap(({ id }) => (typeof id === "string" && id !== "" ? [id] : []));
}

/** The id of more than half of the events. */
function mostOf(ids: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].find(([, count]) => 2 * count > ids.length)?.[0] ?? null;
}
