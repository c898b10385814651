import { lawfulChunkShape, type ChunkShape } from "../../http/endpoints/chunk-shape.ts";
import type { Switchboard } from "../switch.ts";

export function patchChunkShape(switches: Switchboard): ChunkShape {
  const lawful = lawfulChunkShape;
  /** The streams that came last, for the defect `stream/events-of-another`. */
  let [latest, before] = ["", ""];
  return {
    words: (usual) => {
      const words = lawful.words(usual);
      return {
        object: switches.on("stream/object-wrong") ? "chat.completion" : words.object,
        delta: switches.on("stream/message-for-delta") ? "message" : words.delta,
        pendingReason: switches.on("stream/finish-reason-empty") ? '""' : words.pendingReason,
        furtherMembers: switches.on("transport/extra-members") ? ',"x_trace":{"node":"a1"}' : words.furtherMembers,
      };
    },
    identity: (stream, ordinal) => {
      if (switches.on("stream/id-changes")) return { ...stream, id: `${stream.id}-${ordinal}` };
      if (switches.on("stream/created-changes")) return { ...stream, created: stream.created + ordinal };
      if (switches.on("stream/events-of-another")) {
        if (stream.id !== latest) [latest, before] = [stream.id, latest];
        return ordinal % 3 > 0 || before === "" ? stream : { ...stream, id: before };
      }
      return lawful.identity(stream, ordinal);
    },
    toolCall: (delta) => {
      if (!switches.on("stream/tool-index-absent")) return lawful.toolCall(delta);
      const { index: _index, ...rest } = delta;
      return rest;
    },
  };
}
