/**
 * Every attack against every command: `npm run bench:hostile [-- FILTER]`. Prints what was tried, what held, peak memory and time;
 * ends with 1 where something did not hold. FILTER: a part of an attack's or a command's name.
 */
import { attacks } from "./hostile/attacks.ts";
import { tryAttack, type Tried } from "./hostile/try-attack.ts";

const commands: readonly (readonly string[])[] = [
  ["check"],
  ["limits"],
  ["load", "--profile", "smoke"],
  ["load", "--profile", "burst"],
  ["run", "--profile", "smoke"],
  ["doctor"],
];
const bounds = { seconds: 300, megabytes: 512 };
const filter = process.argv[2] ?? "";

const tried: Tried[] = [];
process.stdout.write("| attack | command | exit | seconds | peak MB | held |\n|---|---|---|---|---|---|\n");
for (const attack of attacks) {
  for (const command of commands) {
    if (!`${attack.id} ${command.join(" ")}`.includes(filter)) continue;
    const one = await tryAttack(attack, command, bounds);
    tried.push(one);
    const held = one.broken.length === 0 ? "yes" : one.broken.join(", ");
    const exit = one.exitCode ?? "none";
    process.stdout.write(
      `| ${one.attack} | ${one.command} | ${exit} | ${one.seconds.toFixed(1)} | ${one.peakMegabytes} | ${held} |\n`,
    );
  }
}
const broken = tried.filter((one) => one.broken.length > 0);
const peak = Math.max(0, ...tried.map(({ peakMegabytes }) => peakMegabytes));
process.stdout.write(`\n${tried.length} tried, ${tried.length - broken.length} held, ${peak} MB at most\n`);
process.exitCode = broken.length === 0 ? 0 : 1;
