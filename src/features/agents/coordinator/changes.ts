/** Lets one waiter look again whenever something was heard. */
export class Changes {
  #wake: () => void = () => {};

  announce(): void {
    this.#wake();
  }

  /** Whether `done` holds within `ms`; asked again at each change, and every half second besides. */
  async until(done: () => boolean, ms: number): Promise<boolean> {
    const untilMs = performance.now() + ms;
    while (!done()) {
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(leftMs, 500));
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return true;
  }
}
