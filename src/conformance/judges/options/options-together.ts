import { describeAnswer } from "../../judging/describe-answer.ts";
import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { isValidRequest } from "../../judging/is-valid-request.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { refusedByChance } from "../../judging/refused-by-chance.ts";
import { isUnplannedTrouble, troubleOf } from "../../judging/trouble.ts";
import { optionLabels, optionsOf } from "../../judging/option-labels.ts";

const rows = {
  "CHAT-044": "chat",
  "EMB-040": "embeddings",
  "IMG-031": "images",
  "AUD-025": "transcriptions",
} as const satisfies Readonly<Record<string, EndpointId>>;

/** Options that are accepted one by one are accepted together. One that is never accepted is the business of the row on it. */
export const optionsTogether: RunJudge = {
  scope: "run",
  id: "options-together",
  covers: Object.keys(rows),
  *judge(exchanges): Iterable<Occurrence> {
    for (const [requirement, endpoint] of Object.entries(rows)) {
      const valid = exchanges.filter((one) => isValidRequest(one, endpoint) && one.intent.kind === "valid");
      const generated = valid.filter((one) => optionLabels.has(one));
      // A fault that comes now and then is blamed on no option.
      const chance = refusedByChance(valid.map((exchange) => ({ exchange, rows: optionsOf(exchange) })));
      const accepted = generated.filter(({ isSuccess }) => isSuccess).map(optionsOf);
      const refused = generated.filter(({ isSuccess }) => !isSuccess);
      if (needsAnOption(refused.map(optionsOf), accepted)) {
        const message = "the usual value of an option is refused whatever stands beside it: the row on that value judges it";
        yield { requirement, exchanges: refused.map(({ seq }) => seq), outcome: "inconclusive", message };
        continue;
      }
      for (const exchange of generated) {
        if (chance?.refused.has(exchange) !== true)
          yield* judgeOne(requirement, exchange, { accepted, refused: refused.map(optionsOf) });
      }
    }
  },
};

type Options = readonly string[];

/** Whether just those requests are accepted that have one of several values which exclude each other: those of one option. */
function needsAnOption(refused: readonly Options[], accepted: readonly Options[]): boolean {
  if (refused.length === 0 || accepted.length === 0) return false;
  const ofRefused = new Set(refused.flat());
  const only = [...new Set(accepted.flat())].filter((option) => !ofRefused.has(option));
  const meet = (one: string, other: string): boolean =>
    accepted.some((options) => options.includes(one) && options.includes(other));
  return only.some((one) => {
    const values = new Set(only.filter((other) => other === one || !meet(one, other)));
    return accepted.every((options) => options.some((option) => values.has(option)));
  });
}

interface Asked {
  readonly accepted: readonly Options[];
  readonly refused: readonly Options[];
}

function* judgeOne(requirement: string, exchange: ExchangeFacts, { accepted, refused }: Asked): Iterable<Occurrence> {
  const subject = { requirement, exchanges: [exchange.seq] };
  if (exchange.isSuccess) {
    yield { ...subject, outcome: "pass" };
    return;
  }
  if (isUnplannedTrouble(exchange) || accepted.length === 0 || exchange.status === 401 || exchange.status === 403) {
    yield { ...subject, outcome: "inconclusive", message: troubleOf(exchange) };
    return;
  }
  const options = optionsOf(exchange);
  const isSeen = (some: Options): boolean => accepted.some((one) => some.every((option) => one.includes(option)));
  if (options.some((option) => !isSeen([option]))) return;
  const pair = options
    .flatMap((one, place) => options.slice(place + 1).map((other) => [one, other]))
    .find((both) => !isSeen(both));
  // Two of them that are refused without the others are to blame; else two that no accepted request has.
  const [least] = refused
    .filter((one) => one.length > 1 && one.length < options.length && one.every((option) => options.includes(option)))
    .toSorted((one, other) => one.length - other.length);
  const culprits = (least ?? pair ?? options).join(" with ");
  yield {
    ...subject,
    outcome: "fail",
    kind: "options that are accepted one by one are refused together",
    message: `options that are accepted one by one are refused together: ${culprits}`,
    expected: "a 2xx answer",
    observed: describeAnswer(exchange),
  };
}
