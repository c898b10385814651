import { fork } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spawnAssay } from "../../cli/run-assay.ts";
import { manifestFor, startTarget, streamWords } from "../../make/load/load-target.ts";
import { isWhole } from "../../make/runner/sample.ts";
import { hasBroker, type SecureBroker, startSecureBroker } from "./broker-process.ts";
import type { SecureRunSeen } from "./secure-run.ts";

describe.skipIf(!hasBroker)("a broker that speaks TLS alone and asks for a password", () => {
  let broker: SecureBroker;
  beforeAll(async () => {
    broker = await startSecureBroker();
  });
  afterAll(() => broker.close());

  /** The program reads its trusted certificates when it starts: only a process of its own can be given one. */
  const diagnose = async (env: Readonly<Record<string, string>>) => {
    // Nobody listens at the target; what is said of the broker does not depend on it.
    const args = ["doctor", "--json", "--base-url", "http://127.0.0.1:9", "--redis", broker.url];
    const { stdout, stderr } = await spawnAssay(args, { env: { ASSAY_API_KEY: "sk_test_secure_broker", ...env } });
    expect(stdout + stderr).not.toContain("geheim");
    const found = JSON.parse(stdout) as readonly { readonly check: string; readonly status: string; readonly message: string }[];
    return found.find(({ check }) => check === "broker");
  };

  it("is reached with the certificate of its authority and the password", async () => {
    const env = { NODE_EXTRA_CA_CERTS: broker.certificateFile, ASSAY_REDIS_PASSWORD: broker.password };
    expect(await diagnose(env)).toMatchObject({ status: "ok", message: expect.stringMatching(/^(?:redis|valkey) \d/) as string });
  });

  it("is not believed by whoever does not know its certificate", async () => {
    const found = await diagnose({ ASSAY_REDIS_PASSWORD: broker.password });
    expect(found).toMatchObject({ status: "failed", message: expect.stringContaining("self-signed certificate") as string });
  });

  it("takes no other password", async () => {
    const found = await diagnose({ NODE_EXTRA_CA_CERTS: broker.certificateFile, ASSAY_REDIS_PASSWORD: "another" });
    expect(found).toMatchObject({ status: "failed", message: expect.stringMatching(/WRONGPASS|NOAUTH/) as string });
  });

  it.each(isWhole ? ["queue, streams, clocks and budget"] : [])("carries a whole run: %s", async () => {
    const target = await startTarget((_, response) => streamWords(response, 3, 10, 5));
    const child = fork(new URL("secure-run.ts", import.meta.url), [], {
      execArgv: ["--import", "tsx"],
      env: { ...process.env, NODE_EXTRA_CA_CERTS: broker.certificateFile, ASSAY_REDIS_PASSWORD: broker.password },
    });
    try {
      const seen = await new Promise<SecureRunSeen>((resolve, reject) => {
        child.once("message", (message) => resolve(message as SecureRunSeen));
        child.once("exit", (code) => reject(new Error(`it ended with ${code}`)));
        child.send({ url: broker.url, manifest: manifestFor(target.baseUrl) });
      });
      expect(seen.sent).toBe(target.seen.length);
      expect(seen.sent).toBeGreaterThan(20);
      expect(seen.lost).toEqual([null, null]);
    } finally {
      child.kill("SIGKILL");
      await target.close();
    }
  });
});
