import type { EndpointId } from "../../core/exchange/endpoint.ts";
import { waveFile } from "../../core/exchange/bodies/wave-file.ts";
import type { SendBody } from "../../core/exchange/send-request.ts";
import { isOperationDeclared } from "../../core/is-operation-declared.ts";
import type { Manifest } from "../../core/manifest.ts";
import { fewerPictures, picturesOfPurchase } from "./pictures-of-purchase.ts";

/** One thing that caps can be examined with: the same request each time, of a size that costs enough. */
export interface Ware {
  readonly endpoint: EndpointId;
  /** In words: pictures, words, seconds. */
  readonly unit: string;
  readonly size: number;
  /** The next smaller size where this one is refused; null: there is none. */
  readonly fewer: (size: number) => number | null;
  /** The size that costs the wanted sum where this one costs so many cents; null: none that is much larger. */
  readonly more: (size: number, cents: number) => number | null;
  /** By the prices of the manifest. */
  readonly centsOf: (size: number) => number;
  readonly bodyOf: (size: number) => SendBody;
}

/** A text that costs as much by the manifest: four are bought for each question. */
const wantedCents = 0.6;
/** Beside so many words the few that a model answers are cheap: purchases cost the same. */
const leastWords = 1000;
const mostWords = 48_000;
/** Words of one text of a batch: models of embeddings have a short context. */
const wordsOfText = 1500;
const mostSeconds = 120;
const samplesPerSecond = 8000;

/** Everything that the manifest lets caps be examined with, pictures first. */
export function waresOf(manifest: Manifest): readonly Ware[] {
  const { models, prices } = manifest;
  const wares: Ware[] = [];
  if (isOperationDeclared("images", manifest)) wares.push(pictures(manifest));
  const words = bounded((wantedCents * 1e4) / prices.perMillionPromptTokens, leastWords, mostWords);
  const text = {
    unit: "words",
    size: words,
    fewer: (size: number) => (size > leastWords ? Math.max(leastWords, Math.floor(size / 2)) : null),
    more: moreUpTo(mostWords),
    centsOf: (size: number) => (size * prices.perMillionPromptTokens) / 1e4,
  };
  const { embedding, chat, transcription } = models;
  // An embedding has no answer that varies in length.
  if (embedding !== null) {
    wares.push({
      ...text,
      endpoint: "embeddings",
      bodyOf: (size) => ({ kind: "json", value: { model: embedding, input: textsOf(size) } }),
    });
  }
  if (chat !== null) {
    wares.push({
      ...text,
      endpoint: "chat",
      bodyOf: (size) => {
        const messages = [{ role: "user", content: wordsOf(size) }];
        return { kind: "json", value: { model: chat, messages, max_tokens: 4 } };
      },
    });
  }
  if (transcription !== null) wares.push(silence(transcription, manifest));
  return wares;
}

function pictures({ prices }: Manifest): Ware {
  return {
    endpoint: "images",
    unit: "pictures",
    size: picturesOfPurchase(prices),
    fewer: fewerPictures,
    more: () => null,
    centsOf: (size) => 100 * size * prices.perImage,
    bodyOf: (n) => ({ kind: "json", value: { prompt: "A grey square", n, size: "1024x1024", quality: "standard" } }),
  };
}

function silence(model: string, { prices }: Manifest): Ware {
  return {
    endpoint: "transcriptions",
    unit: "seconds",
    size: bounded((wantedCents * 60) / (100 * prices.perAudioMinute), 1, mostSeconds),
    fewer: (size) => (size > 1 ? Math.floor(size / 2) : null),
    more: moreUpTo(mostSeconds),
    centsOf: (seconds) => (100 * seconds * prices.perAudioMinute) / 60,
    bodyOf: (seconds) => {
      const value = waveFile({ samplesPerSecond, bits: 8, samples: seconds * samplesPerSecond, sampleAt: () => 128 });
      const file = { name: "file", value, filename: "silence.wav", contentType: "audio/wav" };
      return { kind: "multipart", parts: [{ name: "model", value: model }, file] };
    },
  };
}

function moreUpTo(most: number): Ware["more"] {
  return (size, cents) => {
    const wanted = bounded((size * wantedCents) / cents, size, most);
    return wanted >= 2 * size ? wanted : null;
  };
}

function bounded(wanted: number, least: number, most: number): number {
  return Number.isFinite(wanted) ? Math.min(most, Math.max(least, Math.ceil(wanted))) : most;
}

function wordsOf(count: number): string {
  return Array.from({ length: count }, (_, index) => String.fromCodePoint(97 + (index % 26))).join(" ");
}

function textsOf(count: number): string | readonly string[] {
  if (count <= wordsOfText) return wordsOf(count);
  const texts = Math.ceil(count / wordsOfText);
  return Array.from({ length: texts }, () => wordsOf(Math.round(count / texts)));
}
