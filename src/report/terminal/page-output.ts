import { spawnSync } from "node:child_process";

/**
 * Prints a text; where the stream is a terminal with fewer rows than the text, through the pager of the operator, as git does
 * (PAGER, else less). Without a pager the text is printed as it is.
 */
export function pageOutput(text: string, stream: Pick<NodeJS.WriteStream, "isTTY" | "rows" | "write">): void {
  const { isTTY, rows } = stream;
  const pager = process.env["PAGER"] ?? "less";
  if (isTTY && text.split("\n").length > rows && pager !== "" && process.env["TERM"] !== "dumb") {
    // F: a text that fits is not held; R: colours pass; X: the text stays on the screen.
    const env = { ...process.env, LESS: process.env["LESS"] ?? "FRX" };
    const { error, status } = spawnSync(pager, { input: text, stdio: ["pipe", "inherit", "inherit"], shell: true, env });
    // 127: the shell finds no such command.
    if (error === undefined && status !== 127) return;
  }
  stream.write(text);
}
