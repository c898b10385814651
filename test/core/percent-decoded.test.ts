import { expect, it } from "vitest";
import { percentDecoded } from "../../src/core/percent-decoded.ts";

it.each([
  ["s3cret%40pass", "s3cret@pass"],
  ["50%off%3Dx", "50%off=x"],
  ["%E2%82%AC%20%e2%82%ac", "€ €"],
  ["%ff%3Dx", "%ff=x"],
  ["%", "%"],
  ["100%25", "100%"],
])("decodes each percent-encoded character of %s by itself", (text, decoded) => {
  expect(percentDecoded(text)).toBe(decoded);
});
