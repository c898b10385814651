import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { audioFormats, readAudio } from "../../../src/reference/content/audio.ts";
import { makeWav } from "../../../suites/requests/audio-fixtures.ts";
import { runsOf } from "../../make/runner/sample.ts";

const folder = resolve(import.meta.dirname, "../../../suites/audio");
const recordings = readdirSync(folder).filter((name) => audioFormats.some((format) => name.endsWith(`.${format}`)));

describe("audio containers", () => {
  it("has recordings of the formats that cannot be made up", () => {
    const formats = new Set(recordings.map((name) => name.split(".").at(-1)));
    // wav is generated here, and mpga is another name for mp3.
    expect(audioFormats.filter((format) => !formats.has(format)).toSorted()).toEqual(["mpga", "wav"]);
  });

  it.each(recordings)("reads the duration of %s", (name) => {
    const info = readAudio(readFileSync(join(folder, name)));
    expect(info?.seconds).toBeGreaterThan(0.5);
    expect(info?.seconds).toBeLessThan(3);
  });

  it("measures WAVE exactly", () => {
    expect(readAudio(Buffer.from(makeWav(2.5)))).toEqual({ container: "wav", seconds: 2.5 });
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["text", Buffer.from("This is no audio at all, only words.")],
    ["a WAVE header without data", Buffer.from(makeWav(1).subarray(0, 44))],
    ["a WAVE file that was cut", Buffer.from(makeWav(1).subarray(0, 9000))],
    ["FLAC", Buffer.concat([Buffer.from("fLaC"), Buffer.alloc(200)])],
    ["Ogg", Buffer.concat([Buffer.from("OggS"), Buffer.alloc(200)])],
    ["an ftyp box alone", Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isommp42", "latin1")],
  ])("refuses %s", (_, bytes) => {
    expect(readAudio(bytes)).toBeNull();
  });

  it("survives every damage to a real file", () => {
    const files = recordings.map((name) => readFileSync(join(folder, name)));
    fc.assert(
      fc.property(fc.constantFrom(...files), fc.nat(), fc.nat(255), fc.nat(), (file, at, value, cut) => {
        const damaged = Buffer.from(file.subarray(0, 1 + (cut % file.length)));
        damaged[at % Math.min(damaged.length, 400)] = value;
        const info = readAudio(damaged);
        expect(info === null || (Number.isFinite(info.seconds) && info.seconds >= 0)).toBe(true);
      }),
      { numRuns: runsOf(500) },
    );
  });

  it("takes random bytes for nothing", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 200, maxLength: 600 }), (bytes) => {
        expect(readAudio(Buffer.from(bytes))).toBeNull();
      }),
    );
  });
});
