import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AgentOrder } from "../../../../src/features/agents/messages/agent-order.ts";
import { sealKey, unsealKeys, openSealed, seal } from "../../../../src/features/agents/sealing/sealed-keys.ts";
import { manifestFor } from "../../../make/load/load-target.ts";

const agent = () => {
  const { publicKey, privateKey } = generateKeyPairSync("x25519");
  return { publicKey: publicKey.export({ format: "jwk" }).x!, privateKey };
};

function opens(...box: Parameters<typeof openSealed>): boolean {
  try {
    openSealed(...box);
    return true;
  } catch {
    return false;
  }
}

describe("keys that are sealed for an agent", () => {
  const one = agent();
  const secret = "sk_test_sealed_for_one";

  it("can be read by it alone, and every box is another", () => {
    const boxes = [seal(secret, one.publicKey, "run"), seal(secret, one.publicKey, "run")];
    expect(boxes.map((box) => openSealed(box, one.privateKey, "run"))).toEqual([secret, secret]);
    expect(boxes[0]).not.toBe(boxes[1]);
    for (const text of [secret, Buffer.from(secret).toString("base64url"), Buffer.from(secret).toString("hex")]) {
      expect(boxes[0]).not.toContain(text);
    }
    expect(opens(boxes[0]!, agent().privateKey, "run")).toBe(false);
  });

  it("cannot be used for another purpose, nor changed in any character", () => {
    const box = seal(secret, one.publicKey, "run");
    expect(opens(box, one.privateKey, "another run")).toBe(false);
    expect(opens(box, one.privateKey, "run")).toBe(true);
    // The last character may hold bits that stand for nothing.
    for (let index = 0; index < box.length - 1; index += 1) {
      const changed = box.slice(0, index) + (box[index] === "B" ? "C" : "B") + box.slice(index + 1);
      expect(opens(changed, one.privateKey, "run"), `character ${index}`).toBe(false);
    }
    for (const broken of ["", ".", "A", `${box}.`.slice(0, 50)]) expect(opens(broken, one.privateKey, "run")).toBe(false);
  });

  it("hold the one key that the profile sends with, and give way to keys that the agent has itself", () => {
    const manifest = manifestFor("http://127.0.0.1:1");
    const order = { runId: "r", agent: 2, target: "t" };
    const both = { ...manifest, keys: { ...manifest.keys, other: { ...manifest.keys["primary"]!, secret: "sk_other_secret" } } };
    const sealedKeys = sealKey(both, "primary", one, order);
    const keyless = { ...manifest, keys: {} };
    const open = (own = keyless, changed: Partial<AgentOrder> = {}) =>
      unsealKeys(own, { ...order, sealedKeys, ...changed } as AgentOrder, one.privateKey).keys;
    expect(open()).toEqual({ primary: manifest.keys["primary"] });
    const own = { ...manifest.keys["primary"]!, secret: "sk_own_secret" };
    expect(open({ ...manifest, keys: { primary: own } })["primary"]).toEqual(own);
    expect(open(keyless, { sealedKeys: null })).toEqual({});
    for (const changed of [{ runId: "s" }, { agent: 1 }, { target: "u" }]) {
      expect(() => open(keyless, changed)).toThrow("sealed for another agent or run");
    }
  });
});
