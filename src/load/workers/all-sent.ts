/** Calls `act` once, when each of so many workers has nothing more to send, or is lost. */
export function allSent(workers: number, act: () => void): (worker: number) => void {
  const done = new Set<number>();
  return (worker) => {
    if (done.size === workers) return;
    done.add(worker);
    if (done.size === workers) act();
  };
}
