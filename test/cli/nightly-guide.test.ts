import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { parse } from "yaml";
import { type Carried, openGuideShell } from "../make/guides/guide-shell.ts";
import { readGuide } from "../make/guides/read-guide.ts";
import { runAssay } from "./run-assay.ts";

interface NightlyProfile {
  readonly arrivals: { readonly thinkMs: number };
  readonly durationSeconds: number;
  readonly warmUpSeconds: number;
  readonly workload: readonly { readonly promptTokens: number; readonly outputTokens: number }[];
}

const guide = readGuide("nightly.md", ["npx", "export", "rm", "cp"]);
const shell = openGuideShell();
afterAll(() => shell.close());

const [try1, point, accept, keep, widen, ci] = [
  "1. Try it against the reference service",
  "2. Point it at your server",
  "3. Accept what is known",
  "4. Keep the scope",
  "5. Widen the scope",
  "6. Put it into CI",
] as const;

/**
 * One line of the guide as a shell runs it. Commands of assay run in this process, which spares sixteen starts of Node; load does not,
 * since it must not share its loop.
 */
async function carry(line: string, env: Readonly<Record<string, string>> = {}): Promise<Carried> {
  const words = line.split(/\s+/);
  const [npx, assay, ...args] = words;
  if (npx !== "npx" || args[0] === "run") return shell.run(line, env);
  // Plain words: none would mean something else to a shell.
  expect([line, assay, words.filter((word) => !/^[\w./:@=,-]+$/.test(word))]).toEqual([line, "assay", []]);
  const { exitCode, stdout } = await runAssay(args, { folder: shell.folder, env, demo: false });
  return { exitCode: exitCode ?? 128, stdout, last: stdout.trimEnd().split("\n").at(-1) ?? "" };
}

it("the guide to a nightly gate is carried out from its text, command by command", async () => {
  const [serve, exportKey, init, check] = guide.commandsOf(try1);
  const serving = /reference service +(\S+)[\s\S]*^ {2}primary .*?(\S+)$/m;
  /** The server of the guide at a free port, with a defect or without; its address and the last column of the line of `primary`. */
  const startService = async (more = ""): Promise<{ url: string; env: Record<string, string>; end: () => Promise<void> }> => {
    const { stdout, end } = await shell.start(`${serve!.replace("--port 8080", "--port 0 --seed 3")}${more}`, /^try: /m);
    const [, url = "", secret = ""] = serving.exec(stdout) ?? [];
    expect(exportKey).toMatch(new RegExp(`^export ASSAY_API_KEY=${secret.slice(0, 9)}\\.\\.\\.$`));
    return { url, env: { ASSAY_API_KEY: secret }, end };
  };
  const few = (line: string): string => `${line} --suite models`;

  // 1. Green, and red with a defect.
  const first = await startService();
  const atPlace = (line: string, { url }: { url: string }): string =>
    line.replace(/http:\/\/127\.0\.0\.1:8080|https:\/\/staging\.example\/api/, url);
  expect((await carry(atPlace(init!, first), first.env)).stdout).toContain("wrote assay.config.yaml");
  expect((await carry(check!, first.env)).last).toContain("PASSED  exit 0");
  await first.end();
  // Of a whole run, as the fifth step wants it: those below are of one suite.
  const show = guide.inlineOf(widen).find((code) => code.startsWith("npx assay show"))!;
  expect((await carry(show)).stdout).toContain("keys.secondary");

  const inline = guide.inlineOf(try1);
  const wrong = await startService(inline.map((code) => / --mutant \S+/.exec(code)?.[0]).find((flag) => flag !== undefined));
  const explain = inline.find((code) => code.startsWith("npx assay explain"))!;
  const violated = explain.split(" ").at(-1)!;
  const manifestOf = (url: string): string =>
    readFileSync(join(shell.folder, "assay.config.yaml"), "utf8").replace(/baseUrl: ".*"/, `baseUrl: "${url}"`);
  writeFileSync(join(shell.folder, "assay.config.yaml"), manifestOf(wrong.url));
  const red = await carry(few(check!), wrong.env);
  expect([red.exitCode, red.stdout]).toEqual([1, expect.stringContaining(violated)]);
  expect((await carry(explain)).stdout).toContain("owned_by");

  // 2. A server of one's own, at another address.
  const steps = guide.commandsOf(point);
  expect(steps.map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
    "rm assay.config.yaml",
    "npx assay doctor",
    "npx assay init",
    "npx assay check",
    "npx assay check",
  ]);
  for (const line of steps.slice(0, 4))
    expect([line, (await carry(atPlace(line, wrong), wrong.env)).exitCode]).toEqual([line, 0]);

  // 3. A known failure fails no run, and an entry that no longer fails does.
  const [known] = guide.blocksOf(accept, "yaml");
  const entry = known!.replace("CHAT-021", violated).replace(/\d{4}-\d\d-\d\d/, "2999-01-31");
  expect(entry).not.toBe(known);
  const plain = manifestOf(wrong.url);
  writeFileSync(join(shell.folder, "assay.config.yaml"), plain.replace(/^baseline: .*$/m, entry));
  const accepted = await carry(few(steps[4]!), wrong.env);
  expect([accepted.exitCode, accepted.stdout]).toEqual([0, expect.stringContaining("known: ")]);
  await wrong.end();
  const mended = await startService();
  writeFileSync(join(shell.folder, "assay.config.yaml"), manifestOf(mended.url));
  const stale = await carry(few(steps[4]!), mended.env);
  expect([stale.exitCode, stale.stdout]).toEqual([1, expect.stringContaining(violated)]);
  writeFileSync(join(shell.folder, "assay.config.yaml"), plain.replace(/baseUrl: ".*"/, `baseUrl: "${mended.url}"`));

  // 4. The scope of a good run holds; a key that is gone narrows it.
  const [copy, expectScope] = guide.commandsOf(keep);
  expect((await carry(few(steps[4]!), mended.env)).exitCode).toBe(0);
  expect((await carry(copy!)).exitCode).toBe(0);
  expect((await carry(few(expectScope!), mended.env)).exitCode).toBe(0);
  const narrower = await carry(`${expectScope!} --case models/list`, mended.env);
  expect(narrower.exitCode).toBe(3);

  // 5. Supplies, and load of a profile of one's own, shortened.
  const [profile] = guide.blocksOf(widen, "yaml");
  const short = profile!.replace("durationSeconds: 60", "durationSeconds: 4").replace("< 800ms", "< 60s");
  expect(short).toMatch(/durationSeconds: 4\n[^]*< 60s/);
  writeFileSync(join(shell.folder, "nightly.yaml"), short);
  // The profile as it stands cannot use up the budget that init writes.
  const { arrivals, durationSeconds, warmUpSeconds, workload } = parse(profile!) as NightlyProfile;
  const requests = (1000 * (durationSeconds + warmUpSeconds)) / arrivals.thinkMs;
  const tokens = workload.reduce((sum, { promptTokens, outputTokens }) => sum + promptTokens + outputTokens, 0);
  expect(requests * tokens).toBeLessThan(100_000);
  const [plan, load] = guide.commandsOf(widen);
  expect((await carry(plan!, mended.env)).exitCode).toBe(0);
  const night = await carry(few(load!), mended.env);
  // So short a load on a busy machine may be too few samples, which is never red and never green.
  expect([night.exitCode, night.stdout]).toEqual([expect.toBeOneOf([0, 3]), expect.stringContaining("ttft.p50 < 60s")]);
  await mended.end();

  // 6. The runs on one page.
  const history = guide.inlineOf(ci).find((code) => code.startsWith("npx assay history"))!;
  expect((await carry(history)).last).toBe("reports/index.html");
});
