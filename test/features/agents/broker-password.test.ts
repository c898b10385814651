import { describe, expect, it } from "vitest";
import { runAssay } from "../../cli/run-assay.ts";
import { serveTcp } from "../../make/wire/test-server.ts";

/** A broker that answers everything by what one with a password does before it has it. */
async function openGuarded(answer: string): Promise<string> {
  const { url } = await serveTcp((socket) => {
    socket.on("data", (chunk) => {
      const commands = chunk.toString().match(/^\*\d+\r$/gm)?.length ?? 1;
      socket.write(answer.repeat(commands));
    });
    socket.on("error", () => undefined);
  });
  return `redis://${new URL(url).host}`;
}

const env = { ASSAY_API_KEY: "sk-canary-0123456789", ASSAY_REDIS_PASSWORD: "" };

describe("a broker that wants a password", () => {
  it.each([
    ["none was given", "-NOAUTH Authentication required.\r\n"],
    ["a wrong one was given", "-WRONGPASS invalid username-password pair or user is disabled.\r\n"],
  ])("names the variable that holds it, where %s", async (_, answer) => {
    const broker = await openGuarded(answer);
    const agent = await runAssay(["agent", "--redis", broker, "--base-url", "http://127.0.0.1:9"], { env });
    expect([agent.exitCode, agent.stdout + agent.stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining("set ASSAY_REDIS_PASSWORD"),
    ]);
    expect([2, 3]).toContain(agent.exitCode);
    const load = await runAssay(
      ["load", "--base-url", "http://127.0.0.1:9", "--profile", "smoke", "--agents", "1", "--redis", broker],
      { env },
    );
    expect([2, 3]).toContain(load.exitCode);
    expect(load.stdout + load.stderr).toContain("set ASSAY_REDIS_PASSWORD");
  });
});
