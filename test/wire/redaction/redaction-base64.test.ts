import { expect, it } from "vitest";
import { completeManifest } from "../../../src/config/complete-manifest.ts";
import { createRedactor } from "../../../src/wire/redaction/redaction.ts";

const secret = "vk-primary-e3b7c980d763~~~1996e9d134c3ec1c3de0ded54e5ce";
const key = { secret, id: null, createdAtMs: null };
const manifest = { ...completeManifest({ target: { name: "t", baseUrl: "http://127.0.0.1" } }), keys: { primary: key } };

it.each(["", "x", "xy", "Bearer ", "Authorization: Bearer "])(
  "hides the key in the base64 of a text that begins with %j",
  (before) => {
    const { mask } = createRedactor(manifest);
    for (const after of ["", "\n", ";x"]) {
      for (const encoding of ["base64", "base64url"] as const) {
        const masked = mask(`echo=${Buffer.from(`${before}${secret}${after}`).toString(encoding)}`);
        expect(masked).toContain("<key:primary:base64>");
        expect(masked.replace("<key:primary:base64>", "").length).toBeLessThan(5 + ((before.length + after.length) * 4) / 3 + 8);
      }
    }
  },
);
