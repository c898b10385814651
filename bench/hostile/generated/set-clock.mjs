/**
 * Preloaded into a command: sets its wall clock, as SET_CLOCK says, `milliseconds after its first connection:by so many`, and more
 * after commas.
 */
import { Socket } from "node:net";

const now = Date.now.bind(Date);
const jumps = (process.env["SET_CLOCK"] ?? "").split(",").map((one) => one.split(":").map(Number));
let connectedMs = null;
Socket.prototype.connect = new Proxy(Reflect.get(Socket.prototype, "connect"), {
  apply(connect, socket, given) {
    connectedMs ??= performance.now();
    return Reflect.apply(connect, socket, given);
  },
});
const setBy = () => {
  const sinceMs = connectedMs === null ? -1 : performance.now() - connectedMs;
  return jumps.reduce((sum, [afterMs, byMs]) => (sinceMs >= afterMs ? sum + byMs : sum), 0);
};

globalThis.Date = class extends Date {
  constructor(...given) {
    if (given.length === 0) super(now() + setBy());
    else super(...given);
  }
  static now() {
    return now() + setBy();
  }
};
