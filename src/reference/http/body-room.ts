import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Memory for bodies that are being read or worked on. A request that finds no room waits: its bytes stay in the socket and off
 * the heap.
 */
export interface BodyRoom {
  /** Calls back once there is room, at once where the body is small; room is given back when the response is closed. */
  enter(request: IncomingMessage, response: ServerResponse, mostBytes: number, admit: () => void): void;
  /** The body has been read: a length that nobody declared is known now. */
  measure(request: IncomingMessage, bytes: number): void;
}

/** Bodies up to this size are not counted: one for each connection that there may be fits beside the room. */
const smallBytes = 16_384;

interface Place {
  bytes: number;
  /** null once it is admitted. */
  admit: (() => void) | null;
}

export function createBodyRoom(roomBytes: number): BodyRoom {
  let free = roomBytes;
  const waiting = new Set<Place>();
  const places = new WeakMap<IncomingMessage, Place>();
  const admitWaiting = (): void => {
    for (const place of waiting) {
      // In turn: a large body must not starve behind small ones.
      if (place.bytes > free) return;
      const { admit } = place;
      waiting.delete(place);
      place.admit = null;
      free -= place.bytes;
      admit?.();
    }
  };
  const giveBack = (place: Place, bytes: number): void => {
    place.bytes -= bytes;
    free += bytes;
    admitWaiting();
  };
  return {
    enter(request, response, mostBytes, admit) {
      const { "content-length": length, "transfer-encoding": coding } = request.headers;
      const declared = length === undefined ? (coding === undefined ? 0 : mostBytes) : Number(length);
      if (declared <= smallBytes) return admit();
      // A body that is longer than allowed is refused before it is read.
      const place: Place = { bytes: Math.min(declared, mostBytes, roomBytes), admit };
      response.once("close", () => {
        if (place.admit === null) return giveBack(place, place.bytes);
        waiting.delete(place);
        admitWaiting();
      });
      places.set(request, place);
      waiting.add(place);
      admitWaiting();
    },
    measure(request, bytes) {
      const place = places.get(request);
      if (place !== undefined && bytes < place.bytes) giveBack(place, place.bytes - bytes);
    },
  };
}
