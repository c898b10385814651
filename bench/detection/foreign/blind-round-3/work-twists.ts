import type { Reading } from "../account-book.ts";
import { pngOf, readForm } from "../contents.ts";
import { type Call, refuseFaults } from "../reply.ts";
import { askedOf, bagOf, listOf, type OpenBag, type Twist } from "../twist.ts";
import { transcribe } from "../work.ts";

const mediaType = ({ request }: Pick<Call, "request">): string => request.headers["content-type"] ?? "";
const nameIn = (address: unknown): string => String(address).split("/").at(-1) ?? "";

/** Changes the items of a list in an answer. */
function withItems(value: unknown, change: (item: OpenBag, index: number) => unknown): OpenBag {
  const body = bagOf(value);
  return { ...body, data: listOf(body["data"]).map((item, index) => change(bagOf(item), index)) };
}

/** Mistakes in images, transcriptions and the list of models. */
export const workTwists: readonly Omit<Twist, "isLawful">[] = [
  {
    id: "blind3/images-later-ones-square",
    says: "of several images the first alone has the size that was asked for, the others are 1024x1024",
    lines: "130, 131",
    make: () => ({
      answer(call, { status, value }, { sizes }) {
        if (call.endpoint !== "images" || status !== 200) return;
        for (const item of listOf(bagOf(value)["data"]).slice(1)) sizes.set(nameIn(bagOf(item)["url"]), "1024x1024");
      },
    }),
  },
  {
    id: "blind3/images-hd-inline",
    says: "images in quality hd come as text in base64 in b64_json, without an address",
    lines: "57, 132",
    make: () => ({
      answer(call, answer, { sizes }) {
        if (call.endpoint !== "images" || answer.status !== 200 || askedOf(call)?.["quality"] !== "hd") return;
        answer.value = withItems(answer.value, ({ url, ...rest }) => {
          const [width = 1, height = 1] = (sizes.get(nameIn(url)) ?? "").split("x").map(Number);
          return { ...rest, b64_json: pngOf(width, height).toString("base64") };
        });
      },
    }),
  },
  {
    id: "blind3/audio-bare-frames-refused",
    says: "recordings that begin with a bare MPEG frame instead of an ID3 tag are refused as no audio",
    lines: "142",
    make: () => ({
      work(call, desk) {
        if (call.endpoint !== "audio") return false;
        if (readForm(call.body, mediaType(call))?.get("file")?.data[0] !== 0xff) return false;
        refuseFaults(desk, call, [{ at: "file", want: "mp3, mp4, mpeg, mpga, m4a, wav or webm" }]);
        return true;
      },
    }),
  },
  {
    id: "blind3/audio-file-shared-at-once",
    says: "uploads of one file name that overlap are written to one file, and all of them are answered for the last of them",
    lines: "12, 63, 142",
    make: () => {
      const written = new Map<string, { body: Buffer; type: string }>();
      return {
        work(call, desk) {
          const name = call.endpoint === "audio" ? readForm(call.body, mediaType(call))?.get("file")?.file : null;
          if (name === undefined || name === null) return false;
          written.set(name, { body: call.body, type: mediaType(call) });
          setTimeout(() => {
            const { body, type } = written.get(name) ?? { body: call.body, type: mediaType(call) };
            call.body = body;
            call.request.headers["content-type"] = type;
            transcribe(desk, call);
          }, 25);
          return true;
        },
      };
    },
  },
  {
    id: "blind3/models-ids-with-owner",
    says: "models are listed with their owner in front of the id, in a form that no other endpoint takes",
    lines: "70, 103, 119",
    make: () => ({
      answer(call, answer) {
        if (call.endpoint !== "models" || answer.status !== 200) return;
        answer.value = withItems(answer.value, (item) => ({ ...item, id: `${String(item["owned_by"])}/${String(item["id"])}` }));
      },
    }),
  },
  {
    id: "blind3/models-rate-fields-cached",
    says: "the list of models is kept for five seconds with its rate-limit fields, which are those of whoever asked first",
    lines: "17, 215, 220",
    make: () => {
      let kept: { atMs: number; reading: Reading | null } | null = null;
      return {
        work(call, { book }) {
          if (call.endpoint !== "models") return;
          const nowMs = book.nowMs();
          if (kept === null || kept.atMs < nowMs - 5000) kept = { atMs: nowMs, reading: call.reading };
          else call.reading = kept.reading;
        },
      };
    },
  },
];
