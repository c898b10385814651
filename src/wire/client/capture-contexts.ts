import { bodyBounds } from "../../core/body-bounds.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import { createArrivalMeter } from "../capture/arrival-meter.ts";
import { type CaptureAccount, createCaptureAccount } from "../capture/capture-account.ts";
import type { HandlerContext } from "../capture/exchange-handler.ts";
import type { Redactor } from "../redaction/redaction.ts";
import type { WireOptions } from "./wire-options.ts";

/** How answers are captured: those of load are many, alike and not kept, so they are masked and hashed less. */
export interface CaptureContexts {
  for(request: SendRequest): HandlerContext;
  /** Gives back what an answer of load held. */
  release(request: SendRequest, heldBytes: number): void;
}

const defaultCaptureBytes = 1_048_576;
/** As much as a run may hold and stay below 512 MB with what judges make of it. */
export const keptBytes = 67_108_864;
const defaultLoadBytes = 201_326_592;

export function createCaptureContexts(options: WireOptions, redactor: Redactor): CaptureContexts {
  const { clock, manifest, mayWrite } = options;
  const bounds = bodyBounds(manifest.target);
  const textBytes = options.captureBytes ?? defaultCaptureBytes;
  const arrivals = createArrivalMeter(() => clock.nowMs());
  const contextOf = (digests: boolean, account: CaptureAccount, mask: (text: string) => string): HandlerContext => ({
    clock,
    arrivals,
    redactor: { ...redactor, mask },
    policy: { textBytes, binaryBytes: Math.ceil(textBytes / 16), digests },
    maxResponseBytes: options.maxResponseBytes ?? bounds.maxBodyBytes,
    maxEvents: bounds.maxEvents,
    account,
    ...(mayWrite === undefined ? {} : { mayWrite }),
  });
  const kept = contextOf(options.digests ?? true, options.account ?? createCaptureAccount(keptBytes), redactor.maskDeep);
  const ofLoad = createCaptureAccount(options.loadBytes ?? defaultLoadBytes);
  const load = contextOf(options.digests ?? false, ofLoad, redactor.mask);
  return {
    for: ({ stage }) => (stage === "load" ? load : kept),
    release: ({ stage }, heldBytes) => {
      if (stage === "load") ofLoad.release(heldBytes);
    },
  };
}
