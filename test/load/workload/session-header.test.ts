import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { ProfileError } from "../../../src/load/profile/profile-error.ts";
import { manifestFor, streamWords } from "../../make/load/load-target.ts";
import { sendProfile, shortProfile } from "../../make/load/run-against.ts";

const chat = (name: string): object => ({ workload: [{ endpoint: "chat", sessionHeader: name }] });

it("gives every conversation a value of its own, and keeps it from turn to turn", async () => {
  const turnsOf = new Map<string, number>();
  const server = createServer((request, response) => {
    if (request.method === "POST") {
      const value = String(request.headers["x-session-id"]);
      turnsOf.set(value, (turnsOf.get(value) ?? 0) + 1);
      request.resume();
    }
    if (request.method === "POST") streamWords(response, 1, 1, 1);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const manifest = manifestFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const arrivals = { kind: "sessions", ratePerSecond: 8, turns: 3, thinkSeconds: 0.01 };
  try {
    const { conversations } = await sendProfile(shortProfile({ arrivals, ...chat("X-Session-Id") }), manifest);
    expect(conversations?.completed).toBeGreaterThan(1);
    expect(turnsOf.size).toBe((conversations?.planned ?? 0) - (conversations?.notSent ?? 0));
    expect([...turnsOf.values()].filter((turns) => turns === 3)).toHaveLength(conversations?.completed ?? 0);
    for (const value of turnsOf.keys()) expect(value).toMatch(/^[0-9a-f]{16}$/);
    turnsOf.clear();
    await sendProfile(shortProfile({ durationSeconds: 0.5, ...chat("x-session-id") }), manifest);
    expect(new Set(turnsOf.values())).toEqual(new Set([1]));
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

it("takes no name of a header that assay writes itself", () => {
  expect(() => shortProfile(chat("Authorization"))).toThrow(ProfileError);
  expect(() => shortProfile(chat("x session"))).toThrow(ProfileError);
});

it("takes no name of a header that carries a key or a cookie", () => {
  for (const name of [
    "Proxy-Authorization",
    "Cookie",
    "x-api-key",
    "X-Amz-Security-Token",
    "api-key",
    "x-auth-token",
    "x-client-secret",
  ])
    expect(() => shortProfile(chat(name))).toThrow(/carries a key or a cookie/);
  for (const name of ["x-session-id", "x-cache-key-id", "x-author", "x-tokens-left", "x-conversation"])
    expect(() => shortProfile(chat(name))).not.toThrow();
});
