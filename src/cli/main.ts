import { ControlPlaneError } from "../wire/clock/control-plane-error.ts";
import { type Command, CommanderError } from "commander";
import { ConfigError } from "../config/config-error.ts";
import { suggestWord } from "../core/suggest-word.ts";
import { exitCodes } from "../core/result/verdict.ts";
import { ProfileError } from "../load/profile/profile-error.ts";
import { RunFolderError } from "../run/record/run-folder.ts";
import { createProgram } from "./program.ts";
import { UsageError } from "../command/usage-error.ts";
import { output } from "../report/terminal/output.ts";

/** Carries out one command line; resolves to the exit code and never rejects. */
export async function main(args: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.met;
  const program = createProgram(args, (code) => {
    exitCode = code;
  });
  try {
    checkCommand(program, args);
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    return explainFailure(error);
  }
}

/** commander prints its whole help for `help chekc` and for `chekc --help`, and ends with 0. */
function checkCommand(program: Command, [first = "", second = ""]: readonly string[]): void {
  const asked = first === "help" ? second : first;
  const known = program.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  if (asked === "" || asked.startsWith("-") || asked === "help" || known.includes(asked)) return;
  throw new UsageError(`unknown command ${asked}`, suggestWord(asked, [...known, "help"]) ?? "assay --help lists the commands");
}

function explainFailure(error: unknown): number {
  // Help and version are answers, not failures; commander has printed the rest.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.met : exitCodes.usage;
  const mistake = describeMistake(error);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  output.refuse(`assay: ${mistake ?? `a fault in assay itself; please report it:\n${stack}`}`);
  return mistake === null ? exitCodes.internal : exitCodes.usage;
}

/** null: a fault of assay itself. */
function describeMistake(error: unknown): string | null {
  if (error instanceof ConfigError) return `the configuration cannot be used:\n${error.message}`;
  if (error instanceof ProfileError) return `the load profile cannot be used:\n${error.message}`;
  if (error instanceof RunFolderError) return `${error.message}\ngive another folder with --out`;
  if (error instanceof UsageError) return error.hint === null ? error.message : `${error.message}\n${error.hint}`;
  if (error instanceof ControlPlaneError) return error.message;
  return describeSystemRefusal(error);
}

const advice: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program uses this port: give another one, or 0 for any free port",
  EADDRNOTAVAIL: "this address is not one of this machine",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "the file system can only be read",
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of the path is a file",
  EISDIR: "it is a folder",
  EEXIST: "it is there already, and is not written over: give another name",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "links lead in a circle",
  ENOSPC: "the disk is full",
  EMFILE: "too many files are open: raise the limit, for example with ulimit -n 65536",
};

/**
 * The reason for which the operating system refused an operator's port, file or folder, in words; null for any other error. A
 * fault of assay itself (exit code 4) is none of these.
 */
function describeSystemRefusal(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, syscall, path, port, address } = error as NodeJS.ErrnoException & {
    readonly port?: number;
    readonly address?: string;
  };
  const why = advice[code ?? ""];
  if (why === undefined || syscall === undefined) return null;
  const where = path ?? (port === undefined ? null : `${address ?? "port"}:${port}`);
  return `${syscall}${where === null ? "" : ` ${where}`}: ${why} (${code ?? ""})`;
}
