import { bagOf, type Twist } from "../twist.ts";

/** Mistakes in credentials, in the bodies and fields of errors, and in connections. */
export const keyTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind2/auth-tail-ignored",
    says: "what follows a space, a comma or a semicolon after the key is not read",
    lines: "176, 177, 183",
    make: () => ({
      arrive(call, { book }) {
        if (call.holder !== null) return;
        const head = call.token.split(/[\s,;]/)[0];
        const found = [...book.holders].find(([, { secret, state }]) => state === "live" && secret === head);
        call.holder = found?.[0] ?? null;
      },
    }),
  },
  {
    id: "blind2/auth-lockout-of-valid",
    says: "after five refused keys within 1.5 seconds valid keys are answered 401, too, until these have passed",
    lines: "183, 199",
    make: () => {
      let failures: readonly number[] = [];
      return {
        arrive(call, { book }) {
          if (call.endpoint === "none") return;
          const nowMs = book.nowMs();
          failures = failures.filter((atMs) => atMs > nowMs - 1500);
          if (call.holder === null) failures = [...failures, nowMs];
          else if (failures.length >= 5) call.holder = null;
        },
      };
    },
  },
  {
    id: "blind2/auth-expired-now-and-then",
    says: "every third request with an expired key is served, because one of three machines has an old clock",
    lines: "183, 199",
    make: () => {
      let count = 0;
      return {
        arrive(call, { book }) {
          const found = [...book.holders].find(([, { secret, state }]) => state === "expired" && secret === call.token);
          if (call.holder !== null || found === undefined) return;
          count += 1;
          if (count % 3 === 0) [call.holder] = found;
        },
      };
    },
  },
  {
    id: "blind2/auth-403-bare-code",
    says: "the code of a 403 stands at the top of its body, which has no member error",
    lines: "195",
    make: () => ({
      answer(_call, answer) {
        if (answer.status !== 403) return;
        const { code, title } = bagOf(bagOf(answer.value)["error"]);
        answer.value = { code, title };
      },
    }),
  },
  {
    id: "blind2/fault-503-wait-with-unit",
    says: "Retry-After of a 503 is a number with its unit: 45s",
    lines: "207",
    make: () => ({
      answer(_call, answer) {
        if (answer.status === 503) answer.heads = { ...answer.heads, "Retry-After": "45s" };
      },
    }),
  },
  {
    id: "blind2/http-tenth-on-connection-reset",
    says: "the tenth request on a connection is reset and not answered",
    lines: "112, 123, 134, 146, 150, 160",
    make: () => {
      const counts = new WeakMap<object, number>();
      return {
        arrive({ request: { socket } }) {
          const count = (counts.get(socket) ?? 0) + 1;
          counts.set(socket, count);
          if (count === 10) socket.resetAndDestroy();
        },
      };
    },
  },
];
