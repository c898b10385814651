import { runBounded } from "../run-bounded.ts";
import type { GeneratedClass, Random } from "./generated-class.ts";
import { bounds, findFaults, folderWith } from "./try-command.ts";

const secret = "sk_live_Zx81LqT0pWv73NdRf5Ub";

/** A tree of lists and mappings in which each leaf is an alias, of itself or of one that unfolds. */
function drawKnot(random: Random, depth: number): string {
  if (depth === 0) return "*a";
  const inner = Array.from({ length: 1 + random(3) }, () => drawKnot(random, depth - 1));
  return random(1) === 0 ? `[${inner.join(", ")}]` : `{ ${inner.map((one, at) => `k${at}: ${one}`).join(", ")} }`;
}

/** So many aliases a level that they unfold to more values than any memory holds. */
function drawBomb(random: Random): string {
  const [levels, width] = [7 + random(5), 8 + random(4)];
  const level = (at: number): string =>
    `&b${at} [${Array.from({ length: width }, () => (at === 0 ? "x" : `*b${at - 1}`)).join(",")}]`;
  return `[${Array.from({ length: levels }, (_, at) => level(at)).join(", ")}]`;
}

const members = ["baseline", "waive", "require", "models", "features", "limits", "keys", "restore", "faults", "budget"];
const target = 'target: { baseUrl: "http://127.0.0.1:9" }';

/** Every kind of file, with a knot or a bomb at the top or in a member. */
const files: readonly ((
  text: string,
  random: Random,
) => { readonly name: string; readonly text: string; readonly args: readonly string[] })[] = [
  (text) => ({ name: "assay.config.yaml", text: `&a ${text}`, args: ["check", "--plan"] }),
  (text, random) => ({
    name: "assay.config.yaml",
    text: `${target}\n${members[random(members.length - 1)]}: &a ${text}`,
    args: ["check"],
  }),
  (text) => ({ name: "own.yaml", text: `&a ${text}`, args: ["load", "--profile", "./own.yaml", "--plan", "--demo"] }),
  (text) => ({
    name: "own.yaml",
    text: `id: own\ngates: &a ${text}`,
    args: ["load", "--profile", "./own.yaml", "--plan", "--demo"],
  }),
  (text) => ({ name: "own.yaml", text: `&a ${text}`, args: ["challenge", "--out", "c.json", "--policy", "own.yaml"] }),
  (text) => ({ name: "own.yaml", text: `suites: &a ${text}`, args: ["challenge", "--out", "c.json", "--policy", "own.yaml"] }),
];

/** Refused as what they are: usage, in a screen of words. */
export const yamlCycles: GeneratedClass = {
  id: "YAML cycles and bombs",
  make: ({ count, random }) =>
    Promise.resolve({
      cases: Array.from({ length: count }, (_, at) => {
        const isBomb = at % 3 === 2;
        const { name, text, args } = files[at % files.length]!(
          isBomb ? drawBomb(random) : drawKnot(random, 1 + random(3)),
          random,
        );
        return {
          id: `${isBomb ? "bomb" : "cycle"} in ${name} of ${args[0]}: ${text.slice(0, 60).replaceAll("\n", " ")}`,
          run: async () => {
            const folder = folderWith({ [name]: text });
            const run = await runBounded(args, { folder, secret, bounds });
            return {
              runs: [run],
              broken: [
                ...findFaults(run, folder, secret),
                ...(run.exitCode === 2 ? [] : [`exit ${run.exitCode}, not 2`]),
                ...(run.output.trimEnd().split("\n").length > 20 || run.output.length > 4096
                  ? ["more than a screen of words"]
                  : []),
              ],
            };
          },
        };
      }),
    }),
};
