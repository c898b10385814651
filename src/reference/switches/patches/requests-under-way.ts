import type { IncomingMessage, ServerResponse } from "node:http";

/** Requests of one credential to one path that have begun and are not answered, for limiters that let in what overlaps. */
export interface RequestsUnderWay {
  arrived(incoming: IncomingMessage, response: ServerResponse): void;
  /** Whether another one is under way; a request is known by its header fields. */
  overlaps(fields: object): boolean;
  /** Requests under way of all credentials to all paths. */
  count(): number;
}

/** So many requests under way are no load yet, to defects that show under load. */
export const calmRequests = 8;

export function createRequestsUnderWay(): RequestsUnderWay {
  const counts = new Map<string, number>();
  const names = new WeakMap<object, string>();
  const change = (name: string, by: number): void => void counts.set(name, (counts.get(name) ?? 0) + by);
  return {
    arrived: ({ headers, url }, response) => {
      const name = `${headers.authorization} ${url}`;
      names.set(headers, name);
      change(name, 1);
      response.once("close", () => change(name, -1));
    },
    count: () => [...counts.values()].reduce((sum, own) => sum + own, 0),
    overlaps: (fields) => (counts.get(names.get(fields) ?? "") ?? 0) > 1,
  };
}
