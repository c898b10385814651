import type { InFlightRequest } from "./in-flight-request.ts";

/** Waits until all of these are over, at most `ms` of real time: a virtual clock must not run ahead of the answers. */
export async function endOrLate(requests: readonly InFlightRequest[], ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([endOf(requests), late]);
  clearTimeout(timer);
}

/** Resolves when all of these are over; what begins later is not waited for. */
async function endOf(requests: readonly InFlightRequest[]): Promise<void> {
  await Promise.all(
    requests.map(
      (request) =>
        new Promise<void>((resolve) => {
          const earlier = request.onEnd;
          request.onEnd = () => {
            earlier?.();
            resolve();
          };
        }),
    ),
  );
}
