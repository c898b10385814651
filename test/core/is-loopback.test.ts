import { expect, it } from "vitest";
import { isLoopback } from "../../src/core/is-loopback.ts";

it("takes every form of an address of this machine for it, and nothing else", () => {
  const names = [
    "localhost",
    "LOCALHOST",
    "api.localhost",
    "127.0.0.1",
    "127.255.255.254",
    "127.1",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
  ];
  const own = [...names, "[::ffff:127.0.0.1]", "[::FFFF:7f00:1]"];
  const others = [
    "127.example.com",
    "127.0.0.1.example",
    "localhost.example",
    "notlocalhost",
    "128.0.0.1",
    "10.0.0.1",
    "0.0.0.0",
    "[::2]",
    "[::]",
    "[::ffff:8f00:1]",
    "[::ffff:10.0.0.1]",
    "example.com",
  ];
  const judged = (hosts: readonly string[]): readonly boolean[] =>
    hosts.map((host) => isLoopback(new URL(`http://${host}:1/`).hostname));
  expect(judged(own)).toEqual(own.map(() => true));
  expect(judged(others)).toEqual(others.map(() => false));
  // Not every host comes from a URL: without brackets, in capitals, and what a URL would refuse.
  expect(["::1", "Api.LocalHost", "127.0.0.256", "127.0.1", "127.", ""].map(isLoopback)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
