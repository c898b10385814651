import { createRequire } from "node:module";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import { counterSource } from "./counter-source.ts";

/** Counts tokens as one tokenizer does. */
export interface TokenCounter {
  /** Words of its vocabulary that are plain ASCII letters, in its order. */
  readonly vocabulary: readonly string[];
  /** Tokens of each text. Throws RangeError where it cannot be counted in time. */
  count(texts: readonly string[]): readonly number[];
  close(): void;
}

/** Large vocabularies take seconds; a pattern of the file that never ends takes for ever. */
const defaultMostMs = 60_000;
const mostMemoryMb = 2048;

/**
 * Reads the text of a tokenizer.json by the package `@huggingface/tokenizers`, in a thread of its own: no pattern of the file holds up more
 * than that thread, no size of it takes the memory of the run, and nothing of the file is ever run as code. Throws RangeError.
 */
export function openTokenCounter(text: string, mostMs: number = defaultMostMs): TokenCounter {
  const { port1: port, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const path = createRequire(import.meta.url).resolve("@huggingface/tokenizers");
  const worker = new Worker(counterSource, {
    eval: true,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
    workerData: { path, text, port: port2, answered },
    transferList: [port2],
  });
  worker.unref();
  // A thread that ran out of memory says so here; the wait for its answer ends by time.
  worker.on("error", () => {});
  const close = (): void => {
    port.close();
    void worker.terminate();
  };
  try {
    const vocabulary = awaitAnswer({ port, answered, mostMs }, 0) as readonly string[];
    let asked = 1;
    const count = (texts: readonly string[]): readonly number[] => {
      port.postMessage(texts);
      return awaitAnswer({ port, answered, mostMs }, asked++) as readonly number[];
    };
    return { vocabulary, count, close };
  } catch (error) {
    close();
    throw error;
  }
}

interface Line {
  readonly port: MessagePort;
  /** How many answers came. */
  readonly answered: Int32Array;
  readonly mostMs: number;
}

/** The answer with this number; the thread waits for it, since profiles are read before anything is sent. */
function awaitAnswer({ port, answered, mostMs }: Line, before: number): unknown {
  // The notice of the answer before may come late, when its count was seen already: it wakes as well.
  while (Atomics.load(answered, 0) === before) {
    if (Atomics.wait(answered, 0, before, mostMs) === "timed-out")
      throw new RangeError(`not read within ${mostMs / 1000} s and ${mostMemoryMb} MB of memory`);
  }
  const { message } = receiveMessageOnPort(port) as { readonly message: { readonly value?: unknown; readonly problem?: string } };
  if (message.problem !== undefined) throw new RangeError(message.problem);
  return message.value;
}
