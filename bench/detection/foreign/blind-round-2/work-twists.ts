import { type Answer, refuse } from "../reply.ts";
import { askedOf, bagOf, listOf, type OpenBag, rewrite, type Twist } from "../twist.ts";

const items = (answer: Answer): readonly OpenBag[] => listOf(bagOf(answer.value)["data"]).map(bagOf);

/** Mistakes in embeddings, images, transcriptions and the list of models. */
export const workTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind2/vectors-index-restarts",
    says: "batches are worked on in parts of eight, and index begins anew with each part",
    lines: "48, 118",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "vectors" || answer.status !== 200) return;
        const data = items(answer).map((item, at) => ({ ...item, index: at % 8 }));
        answer.value = { ...bagOf(answer.value), data };
      },
    }),
  },
  {
    id: "blind2/vectors-split-at-lines",
    says: "one text of several lines is embedded line by line",
    lines: "48, 118",
    make: () => ({
      work(call) {
        const input = call.endpoint === "vectors" ? askedOf(call)?.["input"] : undefined;
        if (typeof input !== "string") return;
        const lines = input.split(/\r?\n/).filter((line) => line.trim() !== "");
        if (lines.length > 1) rewrite(call, { input: lines });
      },
    }),
  },
  {
    id: "blind2/images-hd-square",
    says: "images of the quality hd are square, whatever size was asked for",
    lines: "131, 132",
    make: () => ({
      answer(call, answer, { sizes }) {
        if (call.endpoint !== "images" || answer.status !== 200 || askedOf(call)?.["quality"] !== "hd") return;
        for (const { url } of items(answer)) sizes.set(String(url).split("/").at(-1) ?? "", "1024x1024");
      },
    }),
  },
  {
    id: "blind2/images-created-local-time",
    says: "created of images is the local time two hours east of UTC, written as though it were UTC",
    lines: "56",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "images" || answer.status !== 200) return;
        const body = bagOf(answer.value);
        answer.value = { ...body, created: Number(body["created"]) + 7200 };
      },
    }),
  },
  {
    id: "blind2/audio-quoted-boundary-refused",
    says: "a form whose boundary stands in quotation marks is answered 400",
    lines: "138",
    make: () => ({
      work(call, desk) {
        if (call.endpoint !== "audio" || !/boundary="/i.test(call.request.headers["content-type"] ?? "")) return false;
        refuse(desk, call, 400, "no_form");
        return true;
      },
    }),
  },
  {
    id: "blind2/audio-foreign-name-500",
    says: "a recording whose file name is not ASCII is answered 500",
    lines: "138, 142, 205",
    make: () => ({
      work(call, desk) {
        const name = call.endpoint === "audio" ? /filename="([^"]*)"/.exec(call.body.toString("latin1"))?.[1] : undefined;
        if (!Array.from(name ?? "").some((letter) => letter > "\u007f")) return false;
        refuse(desk, call, 500, "broken");
        return true;
      },
    }),
  },
  {
    id: "blind2/models-created-now",
    says: "every model states the time of the request as created",
    lines: "70",
    make: () => ({
      answer(call, answer, { book }) {
        if (call.endpoint !== "models" || answer.status !== 200) return;
        const created = Math.floor(book.nowMs() / 1000);
        answer.value = { ...bagOf(answer.value), data: items(answer).map((item) => ({ ...item, created })) };
      },
    }),
  },
];
