import { describe, expect, it } from "vitest";
import { factsOf } from "../../../../src/core/exchange/exchange-facts.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { chunk, done, streamed } from "../../../make/exchanges/make-stream.ts";
import { allRelations } from "../../../../src/conformance/judges/relations/relations-hold.ts";

const compare = (id: string, record: readonly Exchange[]): readonly (boolean | "doubtful")[] =>
  [...(allRelations.find((one) => one.id === id)?.compare(record.map(factsOf)) ?? [])].map(({ holds, isDoubtful }) =>
    isDoubtful === true ? "doubtful" : holds,
  );

const message = (content: string): object => ({ role: "user", content });

describe("prompt tokens of longer conversations", () => {
  const id = "chat/longer-conversation/usage.prompt_tokens";
  const asked = (seq: number, texts: readonly string[], tokens: number): Exchange =>
    makeExchange({
      seq,
      endpoint: "chat",
      sent: { model: "m", messages: texts.map(message) },
      received: { usage: { prompt_tokens: tokens, completion_tokens: 1, total_tokens: tokens + 1 } },
    });

  it("exceed those of the last message alone", () => {
    expect(compare(id, [asked(1, ["c"], 5), asked(2, ["a", "b", "c"], 15)])).toEqual([true]);
    expect(compare(id, [asked(1, ["c"], 5), asked(2, ["a", "b", "c"], 5)])).toEqual([false]);
  });

  it("are not compared where the count leaves out what was read from a cache", () => {
    expect(compare(id, [asked(1, ["c"], 5), asked(2, ["c"], 0), asked(3, ["a", "b", "c"], 5)])).toEqual([]);
    expect(compare(id, [asked(1, ["c"], 5), asked(2, ["a", "b", "c"], 0)])).toEqual([]);
  });

  it("need not exceed those of fewer messages where one is only repeated", () => {
    expect(compare(id, [asked(1, ["c"], 5), asked(2, ["c", "c"], 5)])).toEqual([]);
  });

  it("are not compared with those of another conversation", () => {
    expect(compare(id, [asked(1, ["c"], 5), asked(2, ["a", "b"], 5)])).toEqual([]);
  });
});

describe("texts of streams", () => {
  const id = "chat/same-request/streamed/text";
  const plain = (seq: number, subject: string, content: string): Exchange =>
    makeExchange({
      seq,
      endpoint: "chat",
      sent: { model: "m", messages: [message(subject)] },
      received: { choices: [{ index: 0, message: { role: "assistant", content } }] },
    });
  const stream = (seq: number, subject: string, pieces: readonly string[]): Exchange =>
    streamed([...pieces.map((content) => chunk({ content })), done], {
      seq,
      sent: { model: "m", messages: [message(subject)], stream: true },
    });
  const subjects = ["a", "b", "c", "d", "e", "f"];
  const record = (
    answer: (subject: string, time: number) => string,
    pieces: (subject: string) => readonly string[],
  ): Exchange[] =>
    subjects.flatMap((subject, place) => [
      ...[0, 1, 2].map((time) => plain(10 * place + time + 1, subject, answer(subject, time))),
      ...[3, 4, 5, 6].map((time) => stream(10 * place + time + 1, subject, pieces(subject))),
    ]);

  it("are those of the plain answers, in pieces or as they grow", () => {
    const answer = (subject: string): string => `Of ${subject}.`;
    expect(
      compare(
        id,
        record(answer, (subject) => ["Of", ` ${subject}`, "."]),
      ),
    ).toEqual(subjects.map(() => true));
    expect(
      compare(
        id,
        record(answer, (subject) => ["Of", `Of ${subject}`, `Of ${subject}.`]),
      ),
    ).toEqual(subjects.map(() => true));
    expect(
      compare(
        id,
        record(answer, (subject) => [` ${subject}`, "."]),
      ),
    ).toEqual(subjects.map(() => false));
  });

  it("are held against the answers where each alone holds them and most of those that are open together do not", () => {
    const answer = (subject: string): string => `Of ${subject}.`;
    const open = (seq: number, subject: string, text: string, sentMs: number): Exchange => {
      const made = stream(seq, subject, [text]);
      return { ...made, timing: { ...made.timing, sentMs, endMs: sentMs + 500 } };
    };
    const subjectOf = ({ request }: Exchange): string =>
      (JSON.parse(request.body!.text!) as { messages: readonly { content: string }[] }).messages[0]!.content;
    // Whole texts of other subjects, another one each time.
    const together = subjects.flatMap((subject, place) =>
      [1, 2, 3, 4, 5].map((time) =>
        open(
          100 + 10 * place + time,
          subject,
          time === 5 ? answer(subject) : `${answer(subjects[(place + time) % 6]!)}${time}`,
          1000,
        ),
      ),
    );
    const singles = (text: (subject: string) => string): readonly Exchange[] =>
      subjects.flatMap((subject, place) =>
        [1, 2].map((time) => open(300 + 10 * place + time, subject, text(subject), 10_000 + 1000 * (2 * place + time))),
      );
    const plains = subjects.flatMap((subject, place) =>
      [1, 2, 3].map((time) => plain(10 * place + time, subject, answer(subject))),
    );
    expect(compare(id, [...plains, ...together])).toEqual(["doubtful"]);
    expect(compare(id, [...plains, ...together, ...singles(answer)])).toEqual(subjects.map(() => false));
    // A few that differ say too little, and are asked again once.
    const [odd, ...others] = together.map((one, index) =>
      index === 0 ? one : open(one.seq, subjectOf(one), answer(subjectOf(one)), 1000),
    );
    const few = [...plains, odd!, ...others, ...singles(answer)];
    expect(compare(id, few).filter((one) => one !== true)).toEqual(["doubtful"]);
    // A stream that was refused at first and sent again repeats none.
    const late = { ...open(900, "b", answer("b"), 90_000), attempt: 2 };
    expect(compare(id, [...few, late]).filter((one) => one !== true)).toEqual(["doubtful"]);
    const again = { ...open(900, "b", answer("b"), 90_000), attempt: 2, label: others[0]!.label };
    expect(compare(id, [...few, again]).filter((one) => one !== true)).toEqual([]);
    // Samples beside answers that are kept: those that are open alone are samples, too.
    expect(compare(id, [...plains, ...together, ...singles((subject) => `${subject} at will`)])).toEqual([]);
  });

  it("are held against nothing where plain answers differ, or where chance may explain it", () => {
    const pieces = (subject: string): readonly string[] => ["Something else on ", subject];
    expect(
      compare(
        id,
        record((subject, time) => `${subject} ${time}`, pieces),
      ),
    ).toEqual([]);
    const few = [plain(1, "a", "Of a."), plain(2, "a", "Of a."), stream(3, "a", pieces("a"))];
    expect(compare(id, few)).toEqual([]);
  });
});

describe("events of streams", () => {
  const id = "chat/streams/chunk-ids";
  const stream = (seq: number, ids: readonly string[]): Exchange =>
    streamed([...ids.map((name) => chunk({ content: "x" }, null, { id: name })), done], { seq });

  it("have no id of another stream", () => {
    expect(compare(id, [stream(1, ["a", "a", "a"]), stream(2, ["b", "b", "b"])])).toEqual([true, true]);
    expect(compare(id, [stream(1, ["a", "a", "b"]), stream(2, ["b", "b", "b"])])).toEqual([false, true]);
  });

  it("may each have an id of their own, or one that all streams have", () => {
    expect(compare(id, [stream(1, ["a", "b", "c"]), stream(2, ["d", "e", "f"])])).toEqual([]);
    expect(compare(id, [stream(1, ["a", "a"]), stream(2, ["a", "a"])])).toEqual([]);
  });
});
