import type { Exchange, RecordedBody } from "../core/exchange/exchange.ts";

const recordBytes = 2048;
const eventBytes = 320;

/** About how many bytes of memory a record takes. */
export function sizeOfExchange({ request, response }: Exchange): number {
  const events = response?.stream?.events ?? [];
  const ofEvents = events.reduce((sum, { data, event }) => sum + eventBytes + 2 * (data.length + event.length), 0);
  return recordBytes + sizeOfBody(request.body) + sizeOfBody(response?.body ?? null) + ofEvents;
}

function sizeOfBody(body: RecordedBody | null): number {
  return 2 * ((body?.text ?? body?.base64)?.length ?? 0);
}
