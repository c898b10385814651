/**
 * Timing of an imagined model server: TTFT = queue wait + overhead + prompt tokens x per-token time, then one token per
 * inter-token time; both grow with the share of busy slots up to `loadFactor`. The formula is that of the public
 * simulator llm-d-inference-sim. Milliseconds.
 */
export interface LatencyPreset {
  readonly slots: number;
  /** Requests that wait for a slot; more are turned away as overload. */
  readonly maxQueue: number;
  readonly overheadMs: number;
  readonly perPromptTokenMs: number;
  readonly interTokenMs: number;
  /** Factor on all times when every slot is busy; 1: load does not matter. */
  readonly loadFactor: number;
  /** Standard deviation as a share of each time; draws stay within 70 % of the mean. */
  readonly jitter: number;
  readonly perImageMs: number;
  readonly perAudioSecondMs: number;
}

export type LatencyPresetName = "instant" | "realistic" | "h100-8b" | "h100-70b-tp8";

export const latencyPresets: Readonly<Record<LatencyPresetName, LatencyPreset>> = {
  instant: {
    slots: Number.MAX_SAFE_INTEGER,
    maxQueue: 0,
    overheadMs: 0,
    perPromptTokenMs: 0,
    interTokenMs: 0,
    loadFactor: 1,
    jitter: 0,
    perImageMs: 0,
    perAudioSecondMs: 0,
  },
  /** Small enough for a load run of seconds on two cores, large enough to be paced and to queue. */
  realistic: {
    slots: 24,
    maxQueue: 200,
    overheadMs: 55,
    perPromptTokenMs: 0.25,
    interTokenMs: 10,
    loadFactor: 1.6,
    jitter: 0.15,
    perImageMs: 120,
    perAudioSecondMs: 15,
  },
  "h100-8b": {
    slots: 64,
    maxQueue: 1000,
    overheadMs: 50,
    perPromptTokenMs: 0.17,
    interTokenMs: 12,
    loadFactor: 1.4,
    jitter: 0.1,
    perImageMs: 2500,
    perAudioSecondMs: 30,
  },
  "h100-70b-tp8": {
    slots: 32,
    maxQueue: 1000,
    overheadMs: 130,
    perPromptTokenMs: 0.27,
    interTokenMs: 23,
    loadFactor: 1.5,
    jitter: 0.1,
    perImageMs: 6000,
    perAudioSecondMs: 50,
  },
};
