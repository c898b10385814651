import { base64Of, readForm, vectorOf } from "../contents.ts";
import { type Answer, refuseFaults } from "../reply.ts";
import { audioModel } from "../work.ts";
import { askedOf, bagOf, listOf, type OpenBag, rewrite, type Twist } from "../twist.ts";

const items = (answer: Answer): readonly OpenBag[] => listOf(bagOf(answer.value)["data"]).map(bagOf);
const textsOf = (input: unknown): readonly unknown[] => (Array.isArray(input) ? listOf(input) : [input]);
const lastOf = (address: unknown): string => String(address).split("/").at(-1) ?? "";

/** Mistakes in embeddings, images, transcriptions and the list of models. */
export const workTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind1/vectors-duplicates-merged",
    says: "equal texts of a batch get one item together",
    lines: "48, 118",
    make: () => ({
      work(call) {
        const input = call.endpoint === "vectors" ? askedOf(call)?.["input"] : undefined;
        if (Array.isArray(input)) rewrite(call, { input: [...new Set(input as readonly unknown[])] });
      },
    }),
  },
  {
    id: "blind1/vectors-dimensions-first-alone",
    says: "dimensions shortens only the first vector of a batch",
    lines: "121",
    make: () => ({
      answer(call, answer) {
        const asked = call.endpoint === "vectors" && answer.status === 200 ? askedOf(call) : null;
        if (asked?.["dimensions"] === undefined) return;
        const texts = textsOf(asked["input"]);
        const data = items(answer).map((item, index) => {
          const whole = vectorOf(String(texts[index]), 384);
          return index === 0 ? item : { ...item, embedding: asked["encoding_format"] === "base64" ? base64Of(whole) : whole };
        });
        answer.value = { ...bagOf(answer.value), data };
      },
    }),
  },
  {
    id: "blind1/vectors-cache-forgets-dimensions",
    says: "vectors are kept by text and encoding alone: a text that was embedded before comes back in its former length",
    lines: "121",
    make: () => {
      const kept = new Map<string, unknown>();
      return {
        answer(call, answer) {
          const asked = call.endpoint === "vectors" && answer.status === 200 ? askedOf(call) : null;
          if (asked === null) return;
          const texts = textsOf(asked["input"]);
          const data = items(answer).map((item, index) => {
            const key = `${asked["encoding_format"] === "base64" ? "base64" : "float"} ${String(texts[index])}`;
            const embedding = kept.get(key) ?? item["embedding"];
            kept.set(key, embedding);
            return { ...item, embedding };
          });
          answer.value = { ...bagOf(answer.value), data };
        },
      };
    },
  },
  {
    id: "blind1/vectors-base64url",
    says: "base64 is written in the alphabet for addresses (- and _)",
    lines: "48, 120",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "vectors" || answer.status !== 200) return;
        const data = items(answer).map((item) => {
          const { embedding } = item;
          return typeof embedding !== "string"
            ? item
            : { ...item, embedding: Buffer.from(embedding, "base64").toString("base64url") };
        });
        answer.value = { ...bagOf(answer.value), data };
      },
    }),
  },
  {
    id: "blind1/images-second-default-size",
    says: "from the second image on the size is the default one",
    lines: "130, 131",
    make: () => ({
      answer(call, answer, { sizes }) {
        if (call.endpoint !== "images" || answer.status !== 200) return;
        for (const { url } of items(answer).slice(1)) sizes.set(lastOf(url), "1024x1024");
      },
    }),
  },
  {
    id: "blind1/images-shared-address",
    says: "all images of a request have one address",
    lines: "57, 130",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "images" || answer.status !== 200) return;
        const all = items(answer);
        answer.value = { ...bagOf(answer.value), data: all.map((item) => ({ ...item, url: all[0]?.["url"] })) };
      },
    }),
  },
  {
    id: "blind1/images-details-as-map",
    says: "error.details of images is an object by field and no array",
    lines: "195",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "images" || answer.status !== 422) return;
        const body = bagOf(answer.value);
        const error = bagOf(body["error"]);
        const details = Object.fromEntries(listOf(error["details"]).map((one) => [bagOf(one)["at"], bagOf(one)["want"]]));
        answer.value = { ...body, error: { ...error, details } };
      },
    }),
  },
  {
    id: "blind1/audio-model-after-file-missed",
    says: "a form whose model stands after its file is answered 422, because reading ends at the file",
    lines: "138, 143",
    make: () => ({
      work(call, desk) {
        const form = call.endpoint === "audio" ? readForm(call.body, call.request.headers["content-type"] ?? "") : null;
        const names = [...(form?.keys() ?? [])];
        if (!names.includes("file") || names.indexOf("model") < names.indexOf("file")) return false;
        refuseFaults(desk, call, [{ at: "model", want: "the id of a model" }]);
        return true;
      },
    }),
  },
  {
    id: "blind1/audio-octet-stream-refused",
    says: "a recording whose part is typed application/octet-stream, or not at all, is answered 422",
    lines: "142",
    make: () => ({
      work(call, desk) {
        if (call.endpoint !== "audio") return false;
        const head = /name="file"[^]*?\r\n\r\n/.exec(call.body.toString("latin1"))?.[0];
        if (head === undefined || /content-type: *(?:audio|video)\//i.test(head)) return false;
        refuseFaults(desk, call, [{ at: "file", want: "mp3, mp4, mpeg, mpga, m4a, wav or webm" }]);
        return true;
      },
    }),
  },
  {
    id: "blind1/models-transcription-unlisted",
    says: "the model of transcriptions works and is not listed",
    lines: "13, 143, 148",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "models" || answer.status !== 200) return;
        answer.value = { ...bagOf(answer.value), data: items(answer).filter(({ id }) => id !== audioModel) };
      },
    }),
  },
];
