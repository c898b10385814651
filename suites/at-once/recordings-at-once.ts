import {
  recordingLabels,
  recordingsTogether,
  transcriptOf,
} from "../../src/conformance/judges/concurrency/recordings-at-once.ts";
import type { Case, CaseRequest, CaseTools } from "../../src/conformance/plan/case.ts";
import { filePart, makeWav } from "../requests/audio-fixtures.ts";

const places = Array.from({ length: recordingsTogether }, (_, place) => place);

/** Recordings of different lengths in files of one name, as clients send them that call every recording the same. */
function upload({ manifest }: CaseTools, place: number, label: string): CaseRequest {
  const file = filePart("recording.wav", "audio/wav", makeWav(place + 1));
  const parts = [file, { name: "model", value: manifest.models.transcription ?? "any" }];
  return { endpoint: "transcriptions", label, body: { kind: "multipart", parts } };
}

export const recordingsAtOnceCases: readonly Case[] = [
  {
    id: "audio/recordings-at-once",
    suite: "audio",
    title: "Keeps recordings apart that are uploaded at the same time",
    covers: ["SVC-022"],
    needs: [{ kind: "model", use: "transcription" }],
    alone: true,
    cost: {
      requests: { transcriptions: 3 * recordingsTogether },
      tokens: 0,
      audioSeconds: 3 * places.reduce((sum, place) => sum + place + 1, 0),
    },
    async run(tools) {
      const alone: (string | null)[] = [];
      for (const place of places)
        alone.push(transcriptOf(await tools.send(upload(tools, place, recordingLabels.alone(place).label(1)))));
      const together = await tools.sendAtOnce(places.map((place) => upload(tools, place, recordingLabels.together.label(place))));
      if (together.every((exchange, place) => transcriptOf(exchange) === alone[place])) return;
      // Whether the model hears the same each time that they come alone.
      for (const place of places) await tools.send(upload(tools, place, recordingLabels.alone(place).label(2)));
    },
  },
];
