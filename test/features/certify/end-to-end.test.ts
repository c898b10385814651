import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readArchive } from "../../../src/features/certify/archive/read-archive.ts";
import { wholeContent } from "../../../src/features/certify/archive/read-content.ts";
import { packBundle } from "../../../src/features/certify/bundle/pack-bundle.ts";
import { verifyBundle } from "../../../src/features/certify/verify/verify-bundle.ts";
import { openEnvelope } from "../../../src/features/certify/envelope/envelope.ts";
import { visibleJson } from "../../../src/core/exchange/bodies/visible-json.ts";
import type { RunRecord } from "../../../src/run/record/run-record.ts";
import { sealRecord } from "../../../src/run/record/seal-record.ts";
import { type ReferenceService, startReferenceService } from "../../../src/index.ts";
import { keep } from "../../make/keep.ts";
import { runAssay, spawnAssay } from "../../cli/run-assay.ts";
import { createRandom } from "../../../src/core/random.ts";
import type { Result } from "../../../src/core/result/result.ts";
import { digestLine } from "../../../src/evidence/chain-writer.ts";
import { archiveMutations, memberMutations, statementMutations } from "./mutations.ts";
import { archiveOf, makeKeys, sampleMembers, type KeyPair } from "./sample-bundle.ts";

/** Two machines that share files only: a folder each. */
const root = mkdtempSync(join(tmpdir(), "assay-certify-"));
const vendor = join(root, "vendor");
const verifier = join(root, "verifier");
const handedOver = join(verifier, "commitments");
for (const folder of [vendor, verifier, handedOver]) mkdirSync(folder, { recursive: true });

/** The product of the vendor. */
let service: ReferenceService;
let vendorKey: KeyPair;
let verifierKey: KeyPair;
const bundle = join(verifier, "product.assay.tar");
const challenge = join(verifier, "challenge.json");
const trust = join(verifier, "vendor.pem");

interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(out: string): Promise<string> {
  const key = service.manifest.keys["primary"]?.secret ?? "";
  const flags = ["--suite", "models", "--challenge", challenge, "--key", "env:VENDOR_KEY", "--out", out];
  const { stderr, exitCode } = await runAssay(["check", "--base-url", service.url, ...flags], {
    env: { ASSAY_API_KEY: key, VENDOR_KEY: vendorKey.privatePem },
  });
  expect(`${exitCode} ${stderr}`).toMatch(/^[03] [^]*hand \S+commitment\.dsse\.json to the verifier now/);
  return join(out, readdirSync(out).find((name) => existsSync(join(out, name, "run.json")) && !seen.has(name)) ?? "");
}
const seen = new Set<string>();

async function certify(folder: string, out: string): Promise<Outcome> {
  const flags = ["--key", "env:VENDOR_KEY", "--out", out, "--product", "Product", "--product-version", "2.1"];
  return runAssay(["certify", folder, ...flags], { env: { VENDOR_KEY: vendorKey.privatePem } });
}

function verify(path: string, ...flags: readonly string[]): Promise<Outcome> {
  return runAssay(["verify", path, "--trust", trust, "--challenge", challenge, ...flags]);
}

/** As they lie in the archive. */
async function storedMembers(path: string): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  for (const [name, member] of await readArchive(path)) {
    const chunks: Buffer[] = [];
    for await (const chunk of member.chunks()) chunks.push(chunk);
    contents.set(name, Buffer.concat(chunks));
  }
  return contents;
}

/** Name of the flag, which changed. */
const permission = process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission";

beforeAll(async () => {
  service = await startReferenceService({ seed: 5 });
  vendorKey = makeKeys("ed25519");
  verifierKey = makeKeys("p256");
  writeFileSync(trust, vendorKey.publicPem);
  writeFileSync(join(verifier, "policy.yaml"), "verdict: any\nsuites: [models]\nchallenge: true\nmaxAgeDays: 1\n");
  await runAssay(["challenge", "--out", challenge]);
  await runAssay(["challenge", "--out", join(verifier, "own.json")]);
  const folder = await run(join(vendor, "reports"));
  cpSync(join(folder, "commitment.dsse.json"), join(handedOver, "first.json"));
  await certify(folder, bundle);
});
afterAll(async () => {
  await service.close();
  rmSync(root, { recursive: true });
});

describe("a verifier and a vendor", () => {
  it("share files only: the bundle is accepted, judged again to the same bytes, and endorsed", async () => {
    const pages = join(verifier, "pages");
    mkdirSync(pages);
    const statement = join(pages, "statement");
    const policy = ["--policy", join(verifier, "policy.yaml"), "--commitments", handedOver];
    // A connection or a look-up of a name ends the process; writing elsewhere, other programs, threads and native code are not
    // permitted.
    const trap =
      "import net from 'node:net';import dns from 'node:dns';import dgram from 'node:dgram';" +
      "net.Socket.prototype.connect=dns.lookup=dgram.createSocket=()=>process.exit(99);";
    const options = [`--import=data:text/javascript,${encodeURIComponent(trap)}`, permission, "--allow-fs-read=*"];
    const env = { NODE_OPTIONS: [...options, `--allow-fs-write=${pages}`].join(" ") };
    const flags = ["--trust", trust, "--challenge", challenge, "--statement", statement, ...policy];
    const { stdout, exitCode } = await spawnAssay(["verify", bundle, ...flags], { env });
    expect(`${exitCode} ${stdout}`).toMatch(/^0 [^]*judged again, the run gives [^]*byte for byte/);
    expect(stdout).toContain("the only run that was committed to");
    expect(stdout).toMatch(/not checked: that the answers came from this product/);
    expect(readdirSync(pages).map((name) => name.replace("statement.", ""))).toEqual([
      "earl.jsonld",
      "html",
      "md",
      "report.html",
      "report.md",
      "svg",
    ]);
    expect(readFileSync(`${statement}.md`, "utf8")).toContain("Product 2.1");
    expect(readFileSync(`${statement}.html`, "utf8")).toContain("Content-Security-Policy");
    expect(readFileSync(`${statement}.svg`, "utf8")).toContain("<svg");
    const earl = JSON.parse(readFileSync(`${statement}.earl.jsonld`, "utf8")) as { readonly "@graph": readonly object[] };
    expect(JSON.stringify(earl["@graph"])).toMatch(/earl:passed[^]*earl:untested|earl:untested[^]*earl:passed/);

    const out = join(verifier, "endorsement.json");
    const endorsed = await runAssay(
      ["endorse", bundle, "--trust", trust, "--challenge", challenge, ...policy, "--key", "env:KEY", "--out", out],
      { env: { KEY: verifierKey.privatePem } },
    );
    expect(endorsed.exitCode).toBe(0);
    const opened = openEnvelope(JSON.parse(readFileSync(out, "utf8")), [verifierKey.trusted]);
    const said = JSON.parse("payload" in opened ? opened.payload.toString() : "{}") as Record<string, unknown>;
    expect(said).toMatchObject({
      subject: [
        { name: "product.assay.tar", digest: { sha256: createHash("sha256").update(readFileSync(bundle)).digest("hex") } },
      ],
      predicateType: "https://in-toto.io/attestation/svr/v0.2",
      predicate: {
        verifier: { policies: [{ name: "policy.yaml" }] },
        properties: ["ASSAY_ACCEPTED", "ASSAY_REJUDGED", "ASSAY_CHALLENGED"],
      },
    });
  });

  it("is refused by name after each class of tampering, and where another key or challenge is asked for", async () => {
    const members = await storedMembers(bundle);
    const changed = join(verifier, "changed.assay.tar");
    const random = createRandom(3);
    const given = { members, other: new Map(sampleMembers(vendorKey.signing)), stranger: verifierKey.signing, random };
    for (const [what, mutate] of Object.entries({ ...memberMutations, ...statementMutations, ...archiveMutations })) {
      const names = [...members.keys()];
      const from = random.integer(0, names.length - 1);
      for (const name of [...names.slice(from), ...names.slice(0, from)]) {
        const bytes = mutate({ ...given, name });
        if (bytes === null) continue;
        writeFileSync(changed, bytes);
        const refused = verifyBundle(changed, [vendorKey.trusted]);
        await expect(refused, `${what} ${name}`).rejects.toThrow(/^[a-z0-9 ,.-]+: /);
        break;
      }
    }
    const run = Buffer.from(members.get("run.json")!);
    run[99] = (run[99] ?? 0) ^ 1;
    writeFileSync(changed, archiveOf(new Map([...members, ["run.json", run]])));
    expect(await verify(changed)).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("REFUSED  run.json: ") });
    const named = join(verifier, "named.json");
    await runAssay(["challenge", "--out", named, "--policy", join(verifier, "policy.yaml")]);
    const elsewhere = await runAssay(["verify", bundle, "--trust", trust, "--challenge", named]);
    expect(elsewhere).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("was issued with another policy") });
    writeFileSync(trust.replace("vendor", "other"), verifierKey.publicPem);
    const other = await runAssay(["verify", bundle, "--trust", trust.replace("vendor", "other")]);
    expect(other).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("REFUSED  attestation.dsse.json") });
    // A reader who does not hold the challenge himself cannot see who issued it: it may be the vendor's own.
    const alone = await runAssay(["verify", bundle, "--trust", trust, "--policy", join(verifier, "policy.yaml")]);
    expect(alone).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/self-asserted: [^]*policy: [^]*a challenge of yours/),
    });
    const second = join(verifier, "second-challenge.json");
    await runAssay(["challenge", "--out", second]);
    const wrong = await runAssay(["verify", bundle, "--trust", trust, "--challenge", second]);
    expect(wrong).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("challenge.json: it is another challenge") });
  });

  it("are not fooled by a signer who signs what he changed: judged again, it is refused by name", async () => {
    const members = await storedMembers(bundle);
    const text = (name: string): string => {
      const bytes = members.get(name) ?? members.get(`${name}.gz`)!;
      return (members.has(name) ? bytes : gunzipSync(bytes)).toString();
    };
    const { tool, catalogue } = (await verifyBundle(bundle, [vendorKey.trusted])).predicate;
    const verdict = JSON.parse(text("result.json")) as Result;
    const resealed = (change: object): string => {
      const { seal: _seal, ...record } = { ...(JSON.parse(text("run.json")) as RunRecord), ...change };
      return `${visibleJson(sealRecord(record), 1)}\n`;
    };
    const withoutLast = text("evidence.ndjson").split("\n").slice(0, -3).join("\n");
    const heads = text("heads.ndjson").trimEnd().split("\n");
    const later = `${heads.at(-1)}`.replace(/"prev":"\w+"/, `"prev":"${digestLine(heads.at(-1)!)}"`);
    const attempts: readonly (readonly [what: string, name: string, text: string, refusedBy: string])[] = [
      ["a better figure", "result.json", visibleJson({ ...verdict, durationMs: verdict.durationMs + 1 }), "result.json.gz"],
      ["a nicer page", "report.html", `${text("report.html")} `, "report.html.gz"],
      ["fewer tests", "junit.xml", "<testsuites/>", "junit.xml.gz"],
      ["another manifest", "manifest.json", "{}\n", "manifest.json"],
      ["a number of the record, sealed anew", "run.json", resealed({ durationMs: 1 }), "result.json.gz"],
      ["a record of no evidence", "run.json", resealed({ heads: { evidence: null, load: null } }), "evidence.ndjson"],
      ["evidence that ends earlier", "evidence.ndjson", `${withoutLast}\n`, "evidence.ndjson"],
      ["notes of another course", "heads.ndjson", `${[...heads, later].join("\n")}\n`, "heads.ndjson"],
      ["another challenge", "challenge.json", readFileSync(join(verifier, "own.json"), "utf8"), "commitment.dsse.json"],
    ];
    const out = join(verifier, "resigned.assay.tar");
    for (const [what, name, changed, refusedBy] of attempts) {
      const all = new Map([...members.keys()].map((one) => one.replace(/\.gz$/, "")).map((one) => [one, text(one)] as const));
      for (const attestation of ["attestation.dsse.json", "attestation.sigstore.json"]) all.delete(attestation);
      all.set(name, changed);
      const part = (isPacked: boolean): ReadonlyMap<string, Buffer> =>
        new Map(
          [...all].filter(([one]) => members.has(`${one}.gz`) === isPacked).map(([one, content]) => [one, Buffer.from(content)]),
        );
      const { members: resigned } = packBundle({
        result: JSON.parse(all.get("result.json")!) as Result,
        product: { name: "Product", version: "2.1" },
        signedAt: new Date().toISOString(),
        toolSha256: tool.sha256,
        catalogueSha256: catalogue.sha256,
        packed: part(true),
        plain: part(false),
        key: vendorKey.signing,
      });
      writeFileSync(out, archiveOf(resigned));
      const { stdout, exitCode } = await runAssay(["verify", out, "--trust", trust]);
      expect(`${what}: ${exitCode} ${stdout}`).toContain(`${what}: 1 REFUSED  ${refusedBy}`);
    }
  });

  it("send requests of it to the live target, which is the same one or not", async () => {
    const other = keep(await startReferenceService({ seed: 5, mutants: ["models/owner-absent"] }));
    const held = ["--policy", join(verifier, "policy.yaml"), "--challenge", challenge, "--commitments", handedOver];
    const spot = (at: ReferenceService): Promise<Outcome> =>
      runAssay(["verify", bundle, "--trust", trust, "--spot", "2", "--base-url", at.url, ...held], {
        env: { ASSAY_API_KEY: at.manifest.keys["primary"]?.secret ?? "" },
      });
    const same = await spot(service);
    expect(same.stdout).toContain("challenged and spot-checked");
    expect(`${same.exitCode} ${same.stdout}`).toMatch(/^0 [^]*[12] are judged alike, 0 are not/);
    const differs = await spot(other);
    expect(`${differs.exitCode} ${differs.stdout}`).toMatch(/^1 [^]*differs: #\d+ [^]*violating MOD-/);
  });

  it("notices a run that was picked from three attempts", async () => {
    const out = join(vendor, "attempts");
    const attempts: string[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const folder = await run(out);
      seen.add(folder.slice(out.length + 1));
      attempts.push(folder);
      cpSync(join(folder, "commitment.dsse.json"), join(handedOver, `attempt-${attempt}.json`));
    }
    const picked = join(verifier, "picked.assay.tar");
    await certify(attempts[1] ?? "", picked);
    const { stdout, exitCode } = await verify(picked, "--commitments", handedOver);
    expect(`${exitCode} ${stdout}`).toMatch(/^1 REFUSED {2}commitment\.dsse\.json: 4 runs were begun for this challenge/);
    // Nor does it help to keep the commitment back.
    rmSync(join(handedOver, "attempt-1.json"));
    expect((await verify(picked, "--commitments", handedOver)).stdout).toContain(
      "not among those that you received before the run",
    );
  });

  it("does not sign a record that was changed, and keeps the key out of the bundle and every message", async () => {
    const folder = join(vendor, "reports", readdirSync(join(vendor, "reports"))[0] ?? "");
    const copy = join(vendor, "copy");
    cpSync(folder, copy, { recursive: true });
    const text = readFileSync(join(copy, "run.json"), "utf8");
    writeFileSync(join(copy, "run.json"), text.replace(/"durationMs": \d+/, '"durationMs": 1'));
    const refused = await certify(copy, join(vendor, "changed.assay.tar"));
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("what was changed is not signed: run.json") });
    const { seal: _seal, ...whole } = JSON.parse(text) as RunRecord;
    writeFileSync(join(copy, "run.json"), `${visibleJson(sealRecord({ ...whole, internalError: "a fault" }), 1)}\n`);
    const faulty = await certify(copy, join(vendor, "faulty.assay.tar"));
    expect(faulty).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("no verdict is signed: assay itself failed: a fault"),
    });
    expect(existsSync(join(vendor, "faulty.assay.tar"))).toBe(false);
    const secret = vendorKey.privatePem.split("\n")[1] ?? "";
    const api = service.manifest.keys["primary"]?.secret ?? "";
    for (const member of (await readArchive(bundle)).values()) {
      const content = (await wholeContent(member, 1e8)).toString("latin1");
      for (const form of [
        secret,
        api,
        Buffer.from(api).toString("base64"),
        Buffer.from(api).toString("hex"),
        encodeURIComponent(api),
      ]) {
        expect(content.includes(form)).toBe(false);
      }
    }
    expect(refused.stdout + refused.stderr).not.toContain(secret);
    const inFlag = await runAssay(["certify", folder, "--key", vendorKey.privatePem]);
    expect(inFlag.exitCode).toBe(2);
    expect(inFlag.stderr).not.toContain(secret);
  });
});
