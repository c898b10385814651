import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { findLimitCheck } from "../../../src/core/result/checks/limit-checks.ts";
import type { Mutant, Variant } from "../../../src/reference/switches/switch.ts";
import { allSwitches } from "../../../src/reference/switches/all-switches.ts";
import { createSwitchboard } from "../../../src/reference/switches/switchboard.ts";
import { readCatalogue } from "../../../src/schemas/read-catalogue.ts";

const root = resolve(import.meta.dirname, "../../../src/reference");

/** The code that asks switches, without the lists that name them. */
const asking = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter(
    (entry) => entry.isFile() && entry.name.endsWith(".ts") && !/\/switches(?:\/(?:lawful|broken))?$/.test(entry.parentPath),
  )
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
  .join("\n");

const ids = allSwitches.map(({ id }) => id);
const mutants = allSwitches.filter((entry): entry is Mutant => entry.kind === "mutant");
const variants = allSwitches.filter((entry): entry is Variant => entry.kind === "variant");
const rows = new Set(readCatalogue().map(({ id }) => id));

/** A requirement of the catalogue, or a check of the limits exam. */
const isKnown = (id: string): boolean => rows.has(id) || findLimitCheck(id) !== undefined;

describe("registry of switches", () => {
  it("has unique ids that begin with their area", () => {
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(allSwitches.filter(({ id, area }) => !/^[a-z]+\/[a-z0-9-]+$/.test(id) || !id.startsWith(`${area}/`))).toEqual([]);
  });

  it("lists exactly the switches that the code asks", () => {
    expect(ids.filter((id) => !asking.includes(`"${id}"`))).toEqual([]);
    const asked = new Set(
      [...asking.matchAll(/\bon\("([a-z]+\/[a-z0-9-]+)"\)|^ *"([a-z]+\/[a-z0-9-]+)": \(/gm)].map(([, id, key]) => id ?? key!),
    );
    expect([...asked].filter((id) => !ids.includes(id))).toEqual([]);
  });

  it("names only requirements of the catalogue and checks of limits", () => {
    const named = [
      ...mutants.flatMap(({ violates, mayAlsoFail = [] }) => [...violates, ...mayAlsoFail]),
      ...variants.flatMap(({ changes = [] }) => changes),
    ];
    expect([...new Set(named)].filter((id) => !isKnown(id))).toEqual([]);
  });

  it("says why every variant is lawful", () => {
    expect(variants.filter(({ lawfulBecause }) => lawfulBecause.length <= 10)).toEqual([]);
  });

  it("lets no mutant off: each violates something that is not also among what may fail", () => {
    expect(mutants.filter(({ violates }) => violates.length === 0).map(({ id }) => id)).toEqual([]);
    expect(
      mutants.filter(({ violates, mayAlsoFail = [] }) => violates.some((id) => mayAlsoFail.includes(id))).map(({ id }) => id),
    ).toEqual([]);
  });

  it("is large enough to prove something, real products included", () => {
    expect(mutants.length).toBeGreaterThanOrEqual(150);
    expect(variants.length).toBeGreaterThanOrEqual(25);
    expect(mutants.filter(({ origin }) => origin !== undefined).length).toBeGreaterThanOrEqual(20);
  });

  it("names known switches where one excludes another", () => {
    expect(variants.flatMap(({ excludes = [] }) => excludes).filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe("switchboard", () => {
  it("suggests the nearest id for an unknown one", () => {
    expect(() => createSwitchboard(["auth/bare-keys"])).toThrow('Did you mean "auth/bare-key"?');
  });

  it("refuses variants that contradict each other", () => {
    expect(() => createSwitchboard(["stream/crlf", "stream/cr"])).toThrow("contradict");
  });

  it("replaces the active switches", () => {
    const board = createSwitchboard(["stream/crlf"]);
    board.set(["stream/ids"]);
    expect([board.on("stream/crlf"), board.on("stream/ids"), board.active()]).toEqual([false, true, ["stream/ids"]]);
  });
});
