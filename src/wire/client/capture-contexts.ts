import { bodyBounds } from "../../core/body-bounds.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import { createArrivalMeter } from "../capture/arrival-meter.ts";
import { createCaptureAccount } from "../capture/capture-account.ts";
import type { HandlerContext } from "../capture/handler-context.ts";
import { TransportError } from "../http/transport-error.ts";
import type { Redactor } from "../redaction/redaction.ts";
import type { WireOptions } from "./wire-options.ts";

/** As much as answers of load may take while they are under way, in all threads together. */
export const mostLoadBytes = 268_435_456;

/** How answers are captured: those of load are many, alike and not kept, so they are masked and hashed less. */
export interface CaptureContexts {
  for(request: SendRequest): HandlerContext;
  /** Gives back what an answer of load held. */
  release(request: SendRequest, heldBytes: number): void;
}

const defaultCaptureBytes = 1_048_576;
/** As much as a run may hold and stay below 512 MB with what judges make of it. */
export const keptBytes = 67_108_864;
/** Bytes of a record of an event beside its texts: itself, its numbers, its place in the list. */
const recordedEventBytes = 320;

/** `makeRoom`: reads answers of load that are over, so that they hold nothing any more. */
export function createCaptureContexts(options: WireOptions, redactor: Redactor, makeRoom: () => void): CaptureContexts {
  const { clock, manifest, mayWrite } = options;
  const bounds = bodyBounds(manifest.target);
  const textBytes = options.captureBytes ?? defaultCaptureBytes;
  const arrivals = createArrivalMeter(() => clock.nowMs());
  const contextOf = (
    digests: boolean,
    particular: Pick<HandlerContext, "account" | "recordBytes" | "lackOfRoom" | "redactor">,
  ): HandlerContext => ({
    clock,
    arrivals,
    policy: { textBytes, binaryBytes: Math.ceil(textBytes / 16), digests },
    maxResponseBytes: options.maxResponseBytes ?? bounds.maxBodyBytes,
    maxEvents: bounds.maxEvents,
    ...particular,
    ...(mayWrite === undefined ? {} : { mayWrite }),
  });
  const kept = contextOf(options.digests ?? true, {
    account: options.account ?? createCaptureAccount(keptBytes),
    redactor: { ...redactor, mask: redactor.maskDeep },
    recordBytes: (characters) => recordedEventBytes + 2 * characters,
    lackOfRoom: null,
  });
  const ofLoad = createCaptureAccount(options.loadBytes ?? mostLoadBytes);
  const takeOfLoad = (bytes: number): boolean => {
    if (ofLoad.take(bytes)) return true;
    makeRoom();
    return ofLoad.take(bytes);
  };
  const load = contextOf(options.digests ?? false, {
    account: { take: takeOfLoad },
    redactor,
    // Records of load are made one after the other and not kept.
    recordBytes: () => 0,
    // The target did nothing wrong: the request is given up by us.
    lackOfRoom: new TransportError("aborted", "given up: there is no room for more answers under way"),
  });
  return {
    for: ({ stage }) => (stage === "load" ? load : kept),
    release: ({ stage }, heldBytes) => {
      if (stage === "load") ofLoad.release(heldBytes);
    },
  };
}
