import { describe, expect, it } from "vitest";
import { rebuildRequest } from "../../../src/conformance/send/rebuild-request.ts";
import type { Credential, Distortion } from "../../../src/core/exchange/send-request.ts";
import { authorizationField } from "../../../src/wire/redaction/credential.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";

const all: Readonly<Record<Distortion, true>> = {
  "no-scheme": true,
  "no-space": true,
  "basic-scheme": true,
  "token-scheme": true,
  "lower-case-scheme": true,
  "two-spaces": true,
  "mixed-case-field-name": true,
  "other-field": true,
  "api-key-field": true,
  cookie: true,
  "basic-pair": true,
  "last-character-changed": true,
  cut: true,
  appended: true,
  "case-swapped": true,
  "text-after-space": true,
  "text-after-tab": true,
  "text-after-comma": true,
  "text-after-semicolon": true,
  "text-before": true,
  twice: true,
  "in-quotes": true,
};

const credentials: readonly Credential[] = [
  { kind: "none" },
  { kind: "bearer", key: "primary" },
  { kind: "literal", value: "Bearer nobody-has-this" },
  ...(Object.keys(all) as Distortion[]).map((how): Credential => ({ kind: "distorted", key: "read-only_2", how })),
];

describe("a request that is sent again", () => {
  it.each(credentials.map((one) => [JSON.stringify(one), one] as const))(
    "presents %s as the record shows it",
    (_, credential) => {
      const field = authorizationField(credential, () => "sk_test_0123456789aB");
      const exchange = makeExchange({ seq: 1, endpoint: "models" });
      const headers = field === null ? [] : [[field.name, field.shown] as const];
      const again = rebuildRequest({ ...exchange, request: { ...exchange.request, headers } }, new AbortController().signal);
      expect(again?.credential).toEqual(credential);
      expect(again?.headers).toEqual({});
    },
  );
});
