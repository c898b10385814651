import { ColumnError, packSeries, packTexts, unpackSeries, unpackTexts, type Column } from "../../core/columns/column.ts";
import { visibleJson } from "../../core/exchange/bodies/visible-json.ts";

/** A requirement that one answer under load violates, by its judge. An answer without such a line violates nothing that was judged. */
export interface Said {
  /** Of the exchange. */
  readonly seq: number;
  readonly judge: string;
  readonly requirement: string;
}

/** Line of `load.ndjson` with what judges said, by the order of the answers. */
export interface SaidLine {
  readonly kind: "said";
  readonly loop: number;
  readonly rows: number;
  readonly columns: Readonly<Record<keyof Said, Column>>;
}

export interface SaidLog {
  readonly add: (said: Said) => void;
  /** Hands over what is held back and ends. */
  readonly close: () => void;
}

const mostRows = 256;
/** Lines that are held back go to the ledger this often, so that a crash loses no more. */
const flushMs = 1000;

export function createSaidLog(worker: number, sink: () => (json: string) => void): SaidLog {
  let held: Said[] = [];
  const flush = (): void => {
    if (held.length === 0) return;
    const line: SaidLine = {
      kind: "said",
      loop: worker,
      rows: held.length,
      columns: {
        seq: packSeries(held.map(({ seq }) => seq)),
        judge: packTexts(held.map(({ judge }) => judge)),
        requirement: packTexts(held.map(({ requirement }) => requirement)),
      },
    };
    held = [];
    sink()(visibleJson(line));
  };
  const timer = setInterval(flush, flushMs);
  timer.unref();
  return {
    add(said) {
      held.push(said);
      if (held.length === mostRows) flush();
    },
    close() {
      clearInterval(timer);
      flush();
    },
  };
}

/** The statements that a line was packed from. Throws a ColumnError for what `createSaidLog` cannot have written. */
export function unpackSaid({ columns, rows }: SaidLine): readonly Said[] {
  const [seqs, judges, requirements] = [
    unpackSeries(columns.seq, rows),
    unpackTexts(columns.judge, rows),
    unpackTexts(columns.requirement, rows),
  ];
  return seqs.map((seq, row) => {
    const [judge, requirement] = [judges[row] ?? null, requirements[row] ?? null];
    if (seq === null || judge === null || requirement === null) throw new ColumnError("a row that names no judge or requirement");
    return { seq, judge, requirement };
  });
}
