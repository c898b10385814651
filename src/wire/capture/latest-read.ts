import type { Arrival } from "./arrival-meter.ts";
import type { ReadStamp } from "./read-stamp.ts";
import { ceilToMicroseconds, floorToMicroseconds } from "./whole-microseconds.ts";

/** Node reads sockets into buffers of this size; a shorter read emptied the socket. */
const socketReadBytes = 65_536;

/** Stamps of the latest network read of one response; changed in place, as there is one for each event. */
export class LatestRead implements ReadStamp {
  read = -1;
  atMs = 0;
  earliestMs = 0;
  latestMs = 0;
  #bytes: number | null = null;

  /** Takes the stamps of the next read; `bytes`: its size, null where it is not known. */
  next(bytes: number | null, arrival: Arrival, leadMs: number): void {
    // Bytes that arrive on this socket after a read that emptied it cannot be older than that read.
    const emptied = this.#bytes !== null && this.#bytes < socketReadBytes;
    const floorMs = emptied ? Math.max(arrival.earliestMs, this.atMs) : arrival.earliestMs;
    const atMs = ceilToMicroseconds(arrival.readMs + leadMs);
    const latestMs = Math.min(atMs, ceilToMicroseconds(Math.max(arrival.latestMs + leadMs, floorMs)));
    this.read += 1;
    this.atMs = atMs;
    this.earliestMs = Math.min(floorToMicroseconds(floorMs), latestMs);
    this.latestMs = latestMs;
    this.#bytes = bytes;
  }
}
