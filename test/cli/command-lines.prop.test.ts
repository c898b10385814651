import type { Command, Option } from "commander";
import { expect, it } from "vitest";
import type { Random } from "../../src/core/random.ts";
import { createProgram } from "../../src/cli/program.ts";
import { countOf, sampleTitle, testRandom } from "../make/runner/sample.ts";
import { folderWith, runAssay } from "./run-assay.ts";

const lines = countOf({ inCi: 100, byNight: 2000 });
/** Those that measure the embedded service for minutes, or serve until they are ended, are tested elsewhere. */
const left = new Set(["--demo", "--variant", "--mutant", "--agents", "--workers", "--open"]);
const values = [
  "",
  " ",
  "0",
  "-1",
  "NaN",
  "1e999",
  "9".repeat(400),
  "nothing",
  "../..",
  "/dev/null",
  "-",
  "--",
  "a=b",
  "json=-",
  "x: y",
]
  .concat([
    "a\u001b[2J\u202eb",
    "\ud800",
    "é".repeat(3000),
    "file.json",
    "file.yaml",
    "http://127.0.0.1:9",
    "https://",
    "redis://",
    "env:NO",
  ])
  .concat([
    "${ABSENT}",
    "models",
    "chat",
    "smoke",
    "1",
    "5s",
    "CHAT-021",
    "ttft.p95 < 1s",
    "%00",
    "{}",
    "[",
    "constructor",
    "__proto__",
  ]);
const files = { "file.json": '{"a":[1,{}],"schemaVersion":"1.0"}', "file.yaml": "a: &a [*a]\n" };

/** Those that go on until they are ended. */
const endless = new Set(["serve", "mcp"]);
const commands = createProgram([], () => undefined).commands.filter((command) => !endless.has(command.name()));

function draw<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.integer(0, items.length - 1)]!;
}

function drawOption(random: Random, option: Option): readonly string[] {
  const name = option.long ?? option.short ?? "";
  if (left.has(name)) return [];
  return option.required || option.optional ? [name, draw(random, [...values, ...(option.argChoices ?? [])])] : [name];
}

function drawLine(random: Random): readonly string[] {
  const command: Command = draw(random, commands);
  const inner = command.commands.length > 0 ? draw(random, command.commands) : null;
  const options = [...(inner ?? command).options];
  const words = [command.name(), ...(inner === null ? [] : [inner.name()])];
  for (let count = random.integer(0, 4); count > 0; count -= 1) words.push(draw(random, values));
  for (let count = random.integer(0, 4); count > 0 && options.length > 0; count -= 1)
    words.push(...drawOption(random, draw(random, options)));
  return random.next() < 0.1 ? [...words, `--${draw(random, values)}`] : words;
}

it(`a command line ends with 0 to 3 and no stack, whatever stands in it (${lines}, ${sampleTitle})`, async () => {
  const random = testRandom("command lines");
  const codes = new Map<number | null, number>();
  for (let line = 0; line < lines; line += 1) {
    const args = drawLine(random);
    const { exitCode, stderr } = await runAssay(args, { folder: folderWith(files), demo: false, env: { CI: "1" } });
    expect([args, [0, 1, 2, 3].includes(exitCode ?? -1), /\n {4}at /.test(stderr)]).toEqual([args, true, false]);
    codes.set(exitCode, (codes.get(exitCode) ?? 0) + 1);
  }
  // They are not all refused at the first word.
  expect([...codes.keys()]).toEqual(expect.arrayContaining([0, 2]));
}, 6_000_000);
