import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { output } from "../report/terminal/output.ts";

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Hands a file to the program that the system opens it with. A machine without one gets a line that says so. */
export function openInBrowser(file: string): void {
  const [command = "xdg-open", ...args] = openers[process.platform] ?? [];
  const child = spawn(command, [...args, resolve(file)], { stdio: "ignore", detached: true });
  child.on("error", () => output.say(`assay: ${command} is not there to open ${file}`));
  child.unref();
}
