import { styleText } from "node:util";

export interface ScreenStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** The abilities of a terminal, decided once and passed to everything that prints. */
export interface Screen {
  /** Redrawing in place is possible and wanted. */
  readonly interactive: boolean;
  readonly colour: boolean;
  readonly unicode: boolean;
  /** Columns to lay out for; never beyond 100. */
  readonly width: number;
  paint(style: Paint, text: string): string;
  write(text: string): void;
}

export type Paint = "red" | "green" | "yellow" | "magenta" | "cyan" | "dim" | "bold";

export interface ScreenOptions {
  readonly stream: ScreenStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * NO_COLOR (no-color.org: any non-empty value) beats the terminal, FORCE_COLOR beats both unless it is 0 or false.
 * A dumb terminal, CI and agents get no redraw.
 */
export function createScreen({ stream, env }: ScreenOptions): Screen {
  const terminal = stream.isTTY === true;
  const dumb = env["TERM"] === "dumb";
  const colour = decideColour(env, terminal && !dumb);
  return {
    interactive: terminal && !dumb && !isSet(env["CI"]),
    colour,
    unicode: !dumb && mayShowUnicode(env, terminal),
    width: Math.max(40, Math.min(100, stream.columns ?? readColumns(env) ?? 100)),
    paint: (style, text) => (colour && text !== "" ? styleText(style, text, { validateStream: false }) : text),
    write: (text) => void stream.write(text),
  };
}

function decideColour(env: ScreenOptions["env"], capable: boolean): boolean {
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if (isSet(env["NO_COLOR"])) return false;
  return capable;
}

/** POSIX: the first variable that is set decides; without one, what writes to a file may, and terminals that say who they are. */
function mayShowUnicode(env: ScreenOptions["env"], terminal: boolean): boolean {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((value) => isSet(value));
  if (locale !== undefined) return /utf-?8/i.test(locale);
  return !terminal || env["WT_SESSION"] !== undefined || env["TERM_PROGRAM"] !== undefined;
}

function readColumns(env: ScreenOptions["env"]): number | null {
  const columns = Number(env["COLUMNS"]);
  return Number.isInteger(columns) && columns > 0 ? columns : null;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
