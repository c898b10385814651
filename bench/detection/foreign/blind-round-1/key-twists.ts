import type { Twist } from "../twist.ts";

/** Mistakes in credentials, payment and the reading of bodies. */
export const keyTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind1/auth-any-case",
    says: "upper and lower case of a key count as the same",
    lines: "177, 183",
    make: () => ({
      arrive(call, { book }) {
        if (call.holder !== null) return;
        const token = call.token.toLowerCase();
        const found = [...book.holders].find(([, { secret, state }]) => state === "live" && secret.toLowerCase() === token);
        call.holder = found?.[0] ?? null;
      },
    }),
  },
  {
    id: "blind1/auth-rotated-reads",
    says: "a key that was replaced by rotation may still list models and read usage",
    lines: "180, 183",
    make: () => ({
      arrive(call, { book }) {
        if (call.holder !== null || !["models", "usage"].includes(call.endpoint)) return;
        const found = [...book.holders].find(([, { secret, state }]) => state === "replaced" && secret === call.token);
        call.holder = found?.[0] ?? null;
      },
    }),
  },
  {
    id: "blind1/auth-revoked-403",
    says: "a revoked key is answered 403, an expired or unknown one 401",
    lines: "183, 199",
    make: () => ({
      answer(call, answer, { book }) {
        const isRevoked = [...book.holders.values()].some(({ secret, state }) => state === "revoked" && secret === call.token);
        if (answer.status === 401 && isRevoked) answer.status = 403;
      },
    }),
  },
  {
    id: "blind1/pay-first-served",
    says: "the first request of an account that cannot pay is served while its state is looked up",
    lines: "200",
    make: () => {
      const seen = new Set<string>();
      return {
        arrive({ holder: name }, { book }) {
          const holder = book.holders.get(name ?? "");
          if (name === null || holder === undefined || !["late", "broke"].includes(holder.organization) || seen.has(name)) return;
          seen.add(name);
          book.holders.set(name, { ...holder, organization: "own" });
          // Requests are admitted in the same turn.
          setImmediate(() => book.holders.set(name, holder));
        },
      };
    },
  },
  {
    id: "blind1/json-trailing-text-taken",
    says: "what follows the first JSON value of a body is not read",
    lines: "203",
    make: () => ({
      arrive(call) {
        const text = call.body.toString();
        for (let end = text.indexOf("}"); end >= 0; end = text.indexOf("}", end + 1)) {
          try {
            JSON.parse(text.slice(0, end + 1));
          } catch {
            continue;
          }
          call.body = Buffer.from(text.slice(0, end + 1));
          return;
        }
      },
    }),
  },
];
