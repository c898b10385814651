import { expect, it } from "vitest";
import { createRandom } from "../../src/core/random.ts";
import { inventId } from "../../suites/settings/settings.ts";

it("keeps the form of an identifier and changes the rest", () => {
  const random = createRandom(3);
  expect(inventId("key_Ab3dEf5h", random)).toMatch(/^key_[A-Z][a-z]\d[a-z][A-Z][a-z]\d[a-z]$/);
  expect(inventId("6f9619ff-8b86-d011-b42d-00c04fc964ff", random)).toMatch(/^6f9619ff-8b86-d011-b\d\d[a-z]-[0-9a-z]{12}$/);
  expect(inventId("key_Ab3dEf5h", random)).not.toBe("key_Ab3dEf5h");
});
