import { expect, it } from "vitest";
import { startGateway } from "../../../make/wire/gateway.ts";
import { examineReference } from "../../examine-reference.ts";

const text = JSON.stringify({ error: { code: "unavailable", message: "Starting." } });

/** Verdicts of the findings of a check in the middle of which a gateway answers four good requests with 503 and without the fields. */
async function judgeAbsence(fields: Readonly<Record<string, string>>): Promise<readonly string[]> {
  let good = 0;
  const gateway = await startGateway(({ status }) => {
    if (status !== 200) return {};
    good += 1;
    const headers = { "content-type": "application/json", ...fields };
    return good > 6 && good <= 10 ? { status: 503, headers, body: Buffer.from(text) } : {};
  });
  try {
    const { findings } = await examineReference({ suites: ["models", "core"], manifest: gateway.before });
    return findings.map(({ requirement, verdict }) => `${requirement} ${verdict}`);
  } finally {
    await gateway.close();
  }
}

it("a service that starts knows no limits yet: fields that its 503 lacks are noted, not held against it", async () => {
  // Its wait stands in the header alone, which is a note of its own.
  expect(await judgeAbsence({ "retry-after": "1" })).toEqual(["SVC-011 advisory", "ERR-032 advisory"]);
});

it("one that names no wait is no such service", async () => {
  expect(await judgeAbsence({})).toEqual(["SVC-011 fail", "ERR-030 fail"]);
});
