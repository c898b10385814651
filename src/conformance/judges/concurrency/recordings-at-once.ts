import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { showValue } from "../../judging/json-value.ts";
import { type LabelSeries, labelSeries } from "../../judging/label-series.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";
import { roundsOf } from "../../judging/rounds-of.ts";

const caseId = "audio/recordings-at-once";
const requirement = "SVC-022";

export const recordingsTogether = 3;

/** Each recording alone, then all of them in flight together; alone once more, where a text differs. */
export const recordingLabels: {
  readonly alone: (place: number) => LabelSeries<[time: number]>;
  readonly together: LabelSeries<[place: number]>;
} = { alone: (place) => labelSeries("alone", String(place)), together: labelSeries("together") };

/** One text of another recording may be chance, where a model hears little in a tone. */
const mixedNeeded = 2;

/**
 * Recordings in flight at the same time are answered with their own texts. Only recordings are compared whose text is the same each time
 * that they come alone: a model that hears something else each time says nothing.
 */
export const recordingsAtOnce: RunJudge = {
  scope: "run",
  id: "recordings-at-once",
  covers: [requirement],
  *judge(exchanges): Iterable<Occurrence> {
    const own = exchanges.filter((exchange) => exchange.caseId === caseId && exchange.isSuccess);
    const first = recordingLabels.alone(0).label(1);
    for (const round of roundsOf(own, ({ label }) => label === first)) yield* judgeRound(round);
  },
};

function* judgeRound(round: readonly ExchangeFacts[]): Iterable<Occurrence> {
  const texts = new Map<number, string>();
  for (let place = 0; place < recordingsTogether; place += 1) {
    const alone = round.filter(recordingLabels.alone(place).has);
    const [text, ...others] = new Set(alone.map(transcriptOf));
    if (others.length === 0 && text != null) texts.set(place, text);
  }
  if (new Set(texts.values()).size < 2) return;
  const judged = round.filter(recordingLabels.together.has).flatMap((exchange) => {
    const own = texts.get(Number(exchange.label.split("-").at(-1)));
    const here = transcriptOf(exchange);
    return own === undefined || here === null ? [] : [{ exchange, own, here }];
  });
  const known = new Set(texts.values());
  const isRepeated = round.some(({ label }) => label === recordingLabels.alone(0).label(2));
  const mixed = judged.filter(({ own, here }) => isRepeated && here !== own && known.has(here));
  for (const { exchange, own, here } of judged) {
    const isOwn = !mixed.some((one) => one.exchange === exchange);
    if (!isOwn && mixed.length < mixedNeeded) continue;
    yield passOrFail({ requirement, exchanges: [exchange.seq] }, isOwn, () => ({
      kind: "a recording in flight with others is answered with the text of another one",
      expected: `${showValue(own, 80)}, as each time that it comes alone`,
      observed: `${showValue(here, 80)}, the text of another recording`,
    }));
  }
}

/** null: there is none. */
export function transcriptOf({ responseObject }: ExchangeFacts): string | null {
  const text = responseObject?.["text"];
  return typeof text === "string" ? text.trim() : null;
}
