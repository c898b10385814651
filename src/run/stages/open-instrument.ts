import type { InstrumentAccuracy } from "../../core/result/generator-health.ts";

/** The error of the machine that sends a load, as far as it is known. */
export interface Instrument {
  readonly accuracy: InstrumentAccuracy;
  /** After a load: where the error is not known yet, it is measured once more, and counts for that load and for those that follow. */
  again(): Promise<InstrumentAccuracy>;
}

/** `measure`: how often it tries is its own matter without a number. `onKnown` is called when a later try has succeeded. */
export async function openInstrument(
  measure: (mostTries?: number) => Promise<InstrumentAccuracy>,
  onKnown: (accuracy: InstrumentAccuracy) => void = () => {},
): Promise<Instrument> {
  let accuracy = await measure();
  return {
    get accuracy() {
      return accuracy;
    },
    async again() {
      if (accuracy.uncalibrated === undefined) return accuracy;
      const next = await measure(1);
      if (next.calibration === null) return accuracy;
      accuracy = next;
      onKnown(accuracy);
      return accuracy;
    },
  };
}
