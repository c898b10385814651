import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { limitPhases } from "../src/core/exchange/limit-phase.ts";

const root = resolve(import.meta.dirname, "..");

interface Layer {
  readonly imports: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

/** The table "Imports" of docs/architecture.md. */
function readLayers(): ReadonlyMap<string, Layer> {
  const rows = readFileSync(join(root, "docs/architecture.md"), "utf8")
    .split("\n## Imports")[1]!
    .split("\n")
    .filter((line) => /^\| [a-z]/.test(line) && !line.startsWith("| layer"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const list = (cell: string | undefined): Set<string> =>
    new Set(
      (cell ?? "")
        .split(",")
        .map((word) => word.trim())
        .filter(Boolean),
    );
  return new Map(rows.map(([, name, imports, packages]) => [name!, { imports: list(imports), packages: list(packages) }]));
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name));
}

function layerOf(file: string): string {
  const path = relative(root, file);
  const [, layer, feature] = path.split("/");
  if (path.startsWith("suites/")) return "suites";
  return layer === "features" ? `features/${feature!}` : layer!;
}

/** Specifiers of static, dynamic and type imports and of re-exports. */
function specifiers(file: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/(?:\bfrom\s+|\bimport\s+|\bimport\(\s*)["']([^"'\n]+)["']/g)].map(([, specifier]) => specifier!);
}

function packageOf(specifier: string): string {
  if (specifier.startsWith("node:")) return "node";
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Circles in a graph, each as a chain of names, once for each edge that closes it. */
function findCircles(edges: ReadonlyMap<string, Iterable<string>>): readonly string[] {
  const finished = new Set<string>();
  const circles: string[] = [];
  const visit = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) circles.push([...path.slice(path.indexOf(node)), node].join(" -> "));
    if (finished.has(node) || path.includes(node)) return;
    for (const next of edges.get(node) ?? []) visit(next, [...path, node]);
    finished.add(node);
  };
  for (const node of edges.keys()) visit(node, []);
  return circles;
}

describe("architecture", () => {
  const layers = readLayers();
  const files = [...sourceFiles("src"), ...sourceFiles("suites")].filter((file) => relative(root, file) !== "src/index.ts");

  it("reads a table with every layer of the tree", () => {
    expect(layers.size).toBeGreaterThan(10);
    expect([...new Set(files.map(layerOf))].filter((layer) => !layers.has(layer))).toEqual([]);
  });

  it("has no import that the table of docs/architecture.md does not allow", () => {
    const wrong = files.flatMap((file) => {
      const layer = layers.get(layerOf(file))!;
      return specifiers(file).flatMap((specifier) => {
        if (!specifier.startsWith(".")) {
          return layer.packages.has(packageOf(specifier)) ? [] : [`${relative(root, file)} imports ${specifier}`];
        }
        const other = layerOf(resolve(dirname(file), specifier));
        return other === layerOf(file) || layer.imports.has(other) ? [] : [`${relative(root, file)} imports ${specifier}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  it("has no circle of files, type imports included", () => {
    const importsOf = new Map(
      files.map((file) => [
        file,
        specifiers(file)
          .filter((one) => one.startsWith("."))
          .map((one) => resolve(dirname(file), one)),
      ]),
    );
    expect(findCircles(importsOf)).toEqual([]);
  });

  it("has no circle of folders in any layer", () => {
    const folderOf = (file: string): string => {
      const layer = layerOf(file);
      const inLayer = relative(join(root, layer === "suites" ? layer : `src/${layer}`), file);
      return `${layer}/${inLayer.split("/")[0]!}`;
    };
    const importsOf = new Map<string, Set<string>>();
    for (const file of files) {
      const own = folderOf(file);
      const others = specifiers(file)
        .filter((one) => one.startsWith("."))
        .map((one) => resolve(dirname(file), one))
        .filter((one) => layerOf(one) === layerOf(file) && folderOf(one) !== own);
      importsOf.set(own, new Set([...(importsOf.get(own) ?? []), ...others.map(folderOf)]));
    }
    expect(findCircles(importsOf)).toEqual([]);
  });

  it("lets the programs that verify certificates share no code with those that make them", () => {
    const folder = join(root, "src/limits/certificates");
    const importsOf = (file: string): readonly (readonly [names: string, target: string])[] => {
      const text = readFileSync(file, "utf8");
      return [...text.matchAll(/^(?:import|export) ([^;]+?) from "([^"]+)";$/gm)].map(
        ([, names, specifier]) => [names!, resolve(dirname(file), specifier!)] as const,
      );
    };
    const isType = (names: string): boolean =>
      names.startsWith("type ") ||
      (names.startsWith("{") && names.split(",").every((name) => /^[{\s]*type |^[\s}]*$/.test(name)));
    const verifiers = sourceFiles("src/limits/certificates");
    expect(verifiers.length).toBeGreaterThan(5);
    // They read the forms of histories and certificates, and run nothing but their own functions.
    const shared = verifiers.flatMap((file) =>
      importsOf(file).flatMap(([names, target]) =>
        target.startsWith(folder) || isType(names) ? [] : [`${relative(root, file)} runs ${relative(root, target)}`],
      ),
    );
    expect(shared).toEqual([]);
    // Nobody else runs a function of theirs but the verifiers themselves.
    const lent = files
      .filter((file) => !file.startsWith(folder))
      .flatMap((file) =>
        importsOf(file).flatMap(([names, target]) =>
          !target.startsWith(folder) || isType(names) || /\/verify-[a-z-]+\.ts$/.test(target) ? [] : [relative(root, file)],
        ),
      );
    expect(lent).toEqual([]);
  });

  it("keeps core and judges free of clocks and randomness", () => {
    const pure = files.filter((file) =>
      /src\/core\/|src\/conformance\/judges\/|src\/limits\/(?:identify|models|witness|requests|history)\//.test(file),
    );
    const impure = pure.filter((file) =>
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.|\bset(?:Timeout|Interval|Immediate)\(|\bprocess\./.test(
        readFileSync(file, "utf8"),
      ),
    );
    expect(impure.map((file) => relative(root, file))).toEqual([]);
  });

  it("lets no judge read an instant without its interval", () => {
    const readersOf = (pattern: RegExp): readonly string[] =>
      ["src/conformance", "src/core", "src/limits", "src/run/traffic", "src/run/verdict", "suites"]
        .flatMap(sourceFiles)
        .filter((file) => pattern.test(readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")))
        .map((file) => relative(root, file))
        .toSorted();
    // All others read `momentsOf` (core/exchange/moments.ts), `received` of facts, or the ends of the interval of a LimitOp.
    const allowed: Readonly<Record<string, string>> = {
      "src/core/exchange/exchange.ts": "declares it",
      "src/core/exchange/exchange-facts.ts": "makes intervals of it",
      "src/core/exchange/moments.ts": "makes intervals of it",
      "src/core/exchange/time-out.ts": "asks how late the instrument was, to excuse an end",
      "src/core/exchange/was-sent.ts": "asks whether anything left, which takes no time where nothing did",
      "src/conformance/plan/patience.ts": "decides when to ask again, and judges nothing",
      "src/conformance/send/case-tools.ts": "decides when to ask again, and judges nothing",
      "src/run/traffic/watch-probe.ts": "puts a probe in the order of sending and reports its times",
      "src/limits/history/history.ts": "makes the interval of a LimitOp: sent at the earliest, answered at the latest",
      "src/limits/history/find-replays.ts": "compares the begin of an exchange with the end of an earlier one",
      "src/limits/history/burst-settings.ts": "makes the interval in which a change came into force",
      "src/limits/requests/exam/clock-offset.ts": "bounds the offset of a clock by both ends of an exchange",
      "src/limits/spend/spend-exam.ts": "hands both ends of an exchange to the bound of a price",
      "src/limits/probe/await-return.ts": "waits from the end of an answer on; nothing is judged by it",
      "src/limits/exam/judge-limits.ts": "reports how many minutes an exam took",
      "src/limits/exam/dry-exchange.ts": "makes up an exchange for a plan; nothing is judged by it",
    };
    expect(readersOf(/(?<!server-)\btiming\b/)).toEqual(Object.keys(allowed).toSorted());

    // All others ask `heldMs` and `leastHeldMs` (limits/burst/held-ms.ts) for how long a request waited.
    const waits: Readonly<Record<string, string>> = {
      "src/core/exchange/exchange-facts.ts": "the whole seconds of a wait, which only widen what is lawful",
      "src/core/exchange/find-stalls.ts": "a witness that waited for no longer than half of the span",
      "src/limits/burst/held-ms.ts": "the most for which a request was held",
      "src/limits/history/history.ts": "when a label was read, which one that was read late does not say",
      "src/limits/identify/sliding-log.ts": "the most that a request may have taken",
      "src/limits/requests/counting/capacity.ts": "the most that a request may have taken",
      "src/limits/tokens/check-left-slots.ts": "the most that an answer took, which only raises a doubt",
      "src/limits/verdict/measure-latency.ts": "figures of a timeline",
      "src/limits/witness/witness.ts": "the widest interval of a history",
      "src/run/traffic/watch-probe.ts": "figures of a probe",
    };
    const wait = /\b(\w+\.)?(?:headersMs|endMs)\)? - \1?sentMs\b|(?:headersMs \?\? endMs)\) - sentMs\b/;
    expect(readersOf(wait)).toEqual(Object.keys(waits).toSorted());
  });

  it("keeps defects and variants of the reference service apart from its correct parts", () => {
    const reference = join(root, "src/reference");
    const mixed = files.filter(
      (file) =>
        /^(?:http|engine|content|control)\//.test(relative(reference, file)) &&
        /\bswitches\.on\(|from "[./]+\/switches\//.test(readFileSync(file, "utf8")),
    );
    expect(mixed.map((file) => relative(reference, file))).toEqual([]);
  });

  const guide = readFileSync(join(root, "docs/architecture.md"), "utf8");

  it("has a place for every folder in the table of docs/architecture.md", () => {
    const rows = guide.split("\n").filter((line) => /^\| `(?:src\/(?:features\/)?[a-z]+|suites)\/` \|/.test(line));
    const unnamed = new Set(
      files.flatMap((file) => {
        const layer = layerOf(file);
        const home = layer === "suites" ? layer : `src/${layer}`;
        const name = relative(join(root, home), dirname(file)).split("/")[0] || undefined;
        const row = rows.find((line) => line.startsWith(`| \`${home}/\` |`));
        // A policy has one folder of its own name, as the row of limits says.
        if (home === "src/limits" && name !== undefined && name in limitPhases) return [];
        return row !== undefined && (name === undefined || row.includes(`\`${name}/\``)) ? [] : [`${home}/${name ?? ""}`];
      }),
    );
    expect([...unnamed]).toEqual([]);
  });

  it("walks through files that exist, each once, after one that imports it, directly or through one between", () => {
    const walks = guide.split("\n## Four walks\n")[1]!.match(/(?:^ {4}.*\n)+/gm)!;
    expect(walks).toHaveLength(4);
    const known = new Set(files);
    const importsOf = (file: string): readonly string[] =>
      specifiers(file)
        .map((one) => resolve(dirname(file), one))
        .filter((one) => known.has(one));
    for (const walk of walks) {
      const named = walk.match(/[a-z-]+(?:\/[a-z-]+)+\.ts/g)!.map((name) => join(root, "src", name));
      expect(named.filter((file, index) => !known.has(file) || named.indexOf(file) !== index)).toEqual([]);
      const reached = new Set<string>(named.slice(0, 1));
      const apart = named.filter((file) => {
        const joined = reached.has(file);
        for (const next of importsOf(file)) for (const one of [next, ...importsOf(next)]) reached.add(one);
        return !joined;
      });
      expect(apart.map((file) => relative(root, file))).toEqual([]);
    }
  });
});
