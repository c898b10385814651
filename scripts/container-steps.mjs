// Carries out the steps of the Dockerfile without Docker: each COPY and RUN of the build stage in a clean folder, the COPYs of the last stage
// into another, then the entry point as a user that may write to its working directory only. Needs root (to become that user) and setpriv.
//   node scripts/container-steps.mjs
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { exit, stdout } from "node:process";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const home = mkdtempSync(join(tmpdir(), "assay-container-"));
chmodSync(home, 0o755);
const stages = readFileSync(join(root, "Dockerfile"), "utf8")
  .split(/^FROM .*$/m)
  .slice(1)
  .map((text) => text.split("\n").filter((line) => /^[A-Z]+ /.test(line)));
const [build, final] = stages;
if (build === undefined || final === undefined) throw new Error("the Dockerfile has two stages");

const source = join(home, "build");
mkdirSync(source);
for (const line of build) {
  const [word, ...rest] = line.split(" ");
  if (word === "COPY") {
    const to = rest.pop();
    for (const from of rest)
      cpSync(join(root, from), join(source, rest.length > 1 || to.endsWith("/") ? join(to, from) : to), { recursive: true });
  }
  if (word === "RUN") execFileSync("sh", ["-ec", rest.join(" ")], { cwd: source, stdio: ["ignore", "ignore", "inherit"] });
}

const image = join(home, "image");
for (const line of final.filter((each) => each.startsWith("COPY "))) {
  const [, , from, to] = line.split(" ");
  cpSync(join(source, from.replace("/app/", "")), join(image, to), { recursive: true, verbatimSymlinks: true });
}
const entry = final.find((line) => line.startsWith("ENTRYPOINT "));
const [program, script] = JSON.parse(entry.replace("ENTRYPOINT ", ""));
const work = join(home, "work");
mkdirSync(work);
chmodSync(work, 0o777);
const asNobody = (...args) =>
  spawnSync("setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", program, join(image, script), ...args], {
    cwd: work,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", NODE_ENV: "production", HOME: work },
    encoding: "utf8",
    timeout: 120_000,
  });
const help = asNobody("--help");
const check = asNobody("check", "--demo", "--suite", "models");
const written = execFileSync("find", [image, "-newer", join(image, "app/package.json"), "-user", "65534"], { encoding: "utf8" });
const [kilobytes] = execFileSync("du", ["-sk", image], { encoding: "utf8" }).split("\t");
stdout.write(`${check.stdout}${check.stderr}\n`);
stdout.write(
  `help ${help.status}, check ${check.status}, files written into the image: ${written.trim() === "" ? "none" : written}\n`,
);
stdout.write(`${Math.round(Number(kilobytes) / 1024)} MB without the base image\n`);
rmSync(home, { recursive: true, force: true });
exit(help.status === 0 && check.status === 0 && written.trim() === "" ? 0 : 1);
