import { type LabelSeries, labelSeries } from "../../judging/label-series.ts";

/** The respect in which a change is wrong that has to be refused. */
export type RefusedHow = "type" | "malformed" | "no-key" | "bad-key" | "scope" | "past-due" | "no-credit";

/** Labels by which judges find what the cases of settings sent. */
export const effectLabels = {
  /** The spend of the account, read before a change and once more after it. */
  spent: "spent",
  spentThen: "spent-then",
  /** A change that is accepted, before those that are refused. */
  twin: "twin",
  readBack: "read-back",
  setBurst: "set-burst",
  /** The only change of the cooldown; those of several are a series. */
  setCooldown: "set-cooldown",
  /** A change of another key, after the limit was set. */
  setOther: "set-other",
} as const;

/** Labels of what is sent several times, or in several ways. */
export const effectSeries: {
  readonly refused: LabelSeries<[how: RefusedHow]>;
  readonly after: LabelSeries;
  readonly again: LabelSeries;
  readonly setCooldown: LabelSeries;
  readonly exceed: LabelSeries<[request: number] | [round: number, count: number] | ["again", time: number]>;
  readonly otherKey: LabelSeries;
} = {
  refused: labelSeries("refused"),
  after: labelSeries("after"),
  again: labelSeries("again"),
  setCooldown: labelSeries("set-cooldown"),
  exceed: labelSeries("exceed"),
  otherKey: labelSeries("other-key"),
};

/** The first of the refused changes, which the series has as well: the only one that a service may convert and accept. */
export const refusedType: string = effectSeries.refused.label("type");
