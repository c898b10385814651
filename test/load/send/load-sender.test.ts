import { expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { wrapSender } from "../../../src/load/send/load-sender.ts";

class Sender {
  readonly #done: string[] = [];
  warm(connections: readonly number[]): Promise<unknown> {
    this.#done.push(`warm ${connections.length}`);
    return Promise.resolve();
  }
  giveUp(): void {
    this.#done.push("give up");
  }
  send(): Promise<Exchange> {
    return Promise.reject(new Error("not by this way"));
  }
  burst(): Promise<readonly Exchange[]> {
    return Promise.reject(new Error("not by this way"));
  }
  get done(): readonly string[] {
    return this.#done;
  }
}

it("wraps a sender that is a class, whose methods need their own object", async () => {
  const sender = new Sender();
  const sent: string[] = [];
  const wrapped = wrapSender(sender, ({ label }) => {
    sent.push(label);
    return Promise.resolve({} as Exchange);
  });
  await wrapped.warm!([1, 2]);
  wrapped.giveUp!();
  const request = { label: "one" } as Parameters<typeof wrapped.send>[0];
  await wrapped.burst([request, { ...request, label: "two" }]);
  expect(sender.done).toEqual(["warm 2", "give up"]);
  expect(sent).toEqual(["one", "two"]);
});
