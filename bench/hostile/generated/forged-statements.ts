import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readArchive } from "../../../src/features/certify/archive/read-archive.ts";
import { wholeContent } from "../../../src/features/certify/archive/read-content.ts";
import { packBundle } from "../../../src/features/certify/bundle/pack-bundle.ts";
import { verifyBundle } from "../../../src/features/certify/verify/verify-bundle.ts";
import type { Result } from "../../../src/core/result/result.ts";
import { startReferenceService } from "../../../src/index.ts";
import { archiveOf, makeKeys } from "../../../test/features/certify/sample-bundle.ts";
import { runBounded } from "../run-bounded.ts";
import type { GeneratedClass, Random } from "./generated-class.ts";
import { bounds, findFaults, folderWith, keyOf } from "./try-command.ts";

type Change = (result: Result, random: Random) => Result;

/** Each requirement that failed passes, and nothing else speaks of it. */
function asPassed(result: Result): Result {
  if (result.conformance === null) return result;
  const requirements = result.conformance.requirements.map((one) =>
    one.verdict === "fail" ? { ...one, verdict: "pass" as const, findings: [], exchanges: [] } : one,
  );
  return { ...result, verdict: "passed", exitCode: 0, findings: [], conformance: { ...result.conformance, requirements } };
}

/** A vendor may write anything above its own signature. */
const forgeries: Readonly<Record<string, Change>> = {
  "the verdict alone": (result) => ({ ...result, verdict: "passed" }),
  "verdict, reason and exit code": (result) => ({
    ...result,
    verdict: "passed",
    reason: "all in scope was judged and met",
    exitCode: 0,
  }),
  "all that failed": asPassed,
  "no findings": (result) => ({ ...result, findings: [] }),
  "one finding less": (result, random) => ({
    ...result,
    findings: result.findings.toSpliced(random(result.findings.length - 1), 1),
  }),
  "an advisory in the place of a failure": (result) => ({
    ...result,
    findings: result.findings.map((one) => ({ ...one, verdict: "advisory" as const })),
  }),
  "another target": (result) => ({ ...result, target: { ...result.target, name: "the product" } }),
  "another start": (result, random) => ({
    ...result,
    startedAt: new Date(Date.parse(result.startedAt) - random(9e8)).toISOString(),
  }),
  "another length": (result, random) => ({ ...result, durationMs: result.durationMs + 1 + random(1000) }),
  "another seed": (result, random) => ({ ...result, seed: result.seed + 1 + random(9) }),
  "more requests": (result, random) => ({
    ...result,
    spent: { ...result.spent, requests: result.spent.requests + 1 + random(99) },
  }),
  "a strict run": (result) => ({ ...result, strict: !result.strict }),
};

function changeValue(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  return typeof value === "string" ? `${value}.` : value === true ? false : value === false ? true : 1;
}

/** One leaf of the result, drawn, is another one. */
function changeLeaf(result: Result, random: Random): Result {
  const copy = structuredClone(result) as unknown as Record<string, unknown>;
  for (;;) {
    let node: Record<string, unknown> = copy;
    for (;;) {
      const names = Object.keys(node);
      const name = names[random(names.length - 1)];
      if (name === undefined) break;
      const value = node[name];
      if (typeof value === "object" && value !== null) {
        node = value as Record<string, unknown>;
        continue;
      }
      node[name] = changeValue(value);
      return copy as unknown as Result;
    }
  }
}

/** A failed run, signed whole by the vendor, with a statement and reports that say something else. */
export const forgedStatements: GeneratedClass = {
  id: "forged statements with the vendor's own key",
  make: async ({ count, random }) => {
    const service = await startReferenceService({ seed: 5, mutants: ["models/owner-absent"] });
    const secret = keyOf(service);
    const vendor = makeKeys("ed25519");
    const folder = folderWith({ "vendor.pem": vendor.publicPem, "key.pem": vendor.privatePem });
    const own = { folder, secret, bounds };
    await runBounded(["check", "--suite", "models", "--base-url", service.url], own);
    await service.close();
    const honest = join(folder, "honest.tar");
    const product = ["--product", "Product", "--product-version", "1"];
    await runBounded(["certify", "reports/latest", "--key", "key.pem", "--out", honest, ...product], own);
    const { predicate, result } = await verifyBundle(honest, [vendor.trusted]);
    const [packed, plain] = [new Map<string, Buffer>(), new Map<string, Buffer>()];
    for (const [name, member] of await readArchive(honest)) {
      if (name.startsWith("attestation.")) continue;
      const content = await wholeContent(member, 10_000_000);
      if (name.endsWith(".gz")) packed.set(name.replace(/\.gz$/, ""), content);
      else plain.set(name, content);
    }
    const forge = (file: string, forged: Result, signedAt: string): void => {
      const { members } = packBundle({
        result: forged,
        product: { name: "Product", version: "1" },
        signedAt,
        toolSha256: predicate.tool.sha256,
        catalogueSha256: predicate.catalogue.sha256,
        packed: new Map([...packed, ["result.json", Buffer.from(`${JSON.stringify(forged, null, 2)}\n`)]]),
        plain,
        key: vendor.signing,
      });
      writeFileSync(join(folder, file), archiveOf(members));
    };
    const changes = [
      ...Object.entries(forgeries),
      ...Array.from({ length: 99 }, () => ["a leaf that was drawn", changeLeaf] as const),
    ];
    const policy = join(folder, "policy.yaml");
    writeFileSync(policy, "verdict: any\n");
    const instants: readonly (readonly [string, string])[] = [
      ["signed before its run", "2001-01-01T00:00:00.000Z"],
      ["signed in the future", "2099-01-01T00:00:00.000Z"],
    ];
    const verify = async (file: string) => {
      const run = await runBounded(["verify", join(folder, file), "--trust", "vendor.pem", "--policy", policy], own);
      return {
        runs: [run],
        broken: [
          ...findFaults(run, folder, secret),
          ...(run.exitCode === 1 ? [] : [`exit ${run.exitCode}, not 1: ${run.output.slice(-200)}`]),
        ],
      };
    };
    return {
      cases: [
        ...changes.slice(0, Math.max(0, count - instants.length)).map(([id, change], at) => ({
          id,
          run: () => {
            forge(`forged-${at}.tar`, change(result, random), predicate.signedAt);
            return verify(`forged-${at}.tar`);
          },
        })),
        ...instants.slice(0, count).map(([id, signedAt], at) => ({
          id,
          run: () => {
            forge(`dated-${at}.tar`, result, signedAt);
            return verify(`dated-${at}.tar`);
          },
        })),
      ],
    };
  },
};
