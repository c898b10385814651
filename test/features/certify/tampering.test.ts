import { rmSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { BundleError } from "../../../src/features/certify/bundle-error.ts";
import { memberNames } from "../../../src/features/certify/archive/member-names.ts";
import { verifyBundle } from "../../../src/features/certify/verify/verify-bundle.ts";
import { createRandom } from "../../../src/core/random.ts";
import { archiveMutations, memberMutations, statementMutations, type Mutation } from "./mutations.ts";
import { archiveOf, makeKeys, sampleMembers, writeBundle, type KeyPair } from "./sample-bundle.ts";

/** All of the matrix by ASSAY_TEST_ALL=1, a part of it else. */
const isWhole = process.env["ASSAY_TEST_ALL"] === "1";
const rounds = isWhole ? 200 : 2;
const cleanBundles = isWhole ? 1000 : 20;

let keys: Readonly<Record<"ed25519" | "p256", KeyPair>>;
let stranger: KeyPair;
beforeAll(() => {
  keys = { ed25519: makeKeys("ed25519"), p256: makeKeys("p256") };
  stranger = makeKeys("ed25519");
});

/** The words that may stand before the reason: the member itself, or its neighbour if no name of it can be believed. */
const anyMember = /^(?:(?:the member after |the end of the archive, after )?[a-z0-9][a-z0-9.-]*|the first member): /;
const byName = (name: string): RegExp =>
  new RegExp(`^(?:${name.replaceAll(".", "\\.")}|[^:]*: its name "[^"]*${name}|${name}\\d)`);

describe("a bundle that was changed", () => {
  /** Why it is refused. */
  async function refusalOf(bytes: Buffer, kind: "ed25519" | "p256"): Promise<string> {
    const path = writeBundle(bytes);
    const reason = await verifyBundle(path, [keys[kind].trusted]).then(
      () => "accepted",
      (error: unknown) => (error instanceof BundleError ? error.message : `CRASHED ${String(error)}`),
    );
    rmSync(path);
    return reason;
  }

  it.each(["ed25519", "p256"] as const)("(%s) is refused with a reason that names the member", async (kind) => {
    const { signing } = keys[kind];
    const older = { product: { name: "Product", version: "0.9" }, plain: new Map([["run.json", Buffer.from('{"a":1}')]]) };
    const members = new Map(sampleMembers(signing));
    const given = { members, other: new Map(sampleMembers(signing, older)), stranger: stranger.signing };
    const names = [...members.keys()];
    expect(names.toSorted()).toEqual(Object.values(memberNames).toSorted());
    const wrong: string[] = [];
    let tried = 0;
    const tryEach = async (what: string, mutate: Mutation, name: string, times: number, named: RegExp): Promise<void> => {
      const random = createRandom(7).fork(`${kind}/${what}/${name}`);
      for (let round = 0; round < times; round += 1) {
        const bytes = mutate({ ...given, members: new Map(members), name, random });
        if (bytes === null) continue;
        tried += 1;
        const reason = await refusalOf(bytes, kind);
        if (!named.test(reason)) wrong.push(`${what} ${name}: ${reason}`);
      }
    };
    for (const [what, mutate] of Object.entries(memberMutations)) {
      for (const name of names) {
        // An attestation of another run is one: what betrays it is its copy.
        const named = what === "member of another run" && name === memberNames.envelope ? memberNames.sigstore : name;
        await tryEach(what, mutate, name, /flip|truncated/.test(what) ? rounds : 1, byName(named));
      }
    }
    for (const [what, mutate] of Object.entries(statementMutations)) {
      await tryEach(what, mutate, memberNames.envelope, 1, byName(memberNames.envelope));
    }
    for (const [what, mutate] of Object.entries(archiveMutations)) {
      await tryEach(what, mutate, memberNames.record, /flip|truncated/.test(what) ? names.length * rounds : 1, anyMember);
    }
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThanOrEqual(isWhole ? 5000 : 200);
  });
});

describe("a bundle that was not changed", () => {
  it("is accepted, whoever signed it and whatever it says", async () => {
    const random = createRandom(11);
    for (let count = 0; count < cleanBundles; count += 1) {
      const { signing, trusted } = keys[count % 2 === 0 ? "ed25519" : "p256"];
      const text = String.fromCodePoint(...Array.from({ length: 6 }, () => random.integer(32, 0x2fff)));
      const version = String(random.next());
      const evidence = Buffer.from(Array.from({ length: random.integer(0, 600) }, () => random.integer(0, 255)));
      const base = sampleMembers(signing, {
        product: { name: text, version },
        plain: new Map([
          ["run.json", evidence],
          ["manifest.json", Buffer.from("{}")],
        ]),
      });
      const path = writeBundle(archiveOf(base));
      const { predicate, signer } = await verifyBundle(path, [stranger.trusted, trusted]);
      rmSync(path);
      expect([predicate.product, signer.id]).toEqual([{ name: text, version }, trusted.id]);
    }
  });

  it("is the same archive for the same members, and one that tar reads", async () => {
    const members = sampleMembers(keys.ed25519.signing);
    const reversed = new Map([...members].toReversed());
    expect(archiveOf(members).equals(archiveOf(reversed))).toBe(true);
    const path = writeBundle(archiveOf(members));
    const { execFileSync } = await import("node:child_process");
    expect(execFileSync("tar", ["-tf", path], { encoding: "utf8" }).trim().split("\n")).toEqual([...members.keys()].toSorted());
  });

  it("is refused where its signer is not trusted", async () => {
    const path = writeBundle(archiveOf(sampleMembers(keys.ed25519.signing)));
    await expect(verifyBundle(path, [stranger.trusted])).rejects.toThrow(
      "attestation.dsse.json: no signature in it is by a trusted key",
    );
  });
});
