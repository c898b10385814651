import type { Judge } from "../../judging/judge.ts";
import { transcriptionAcceptance } from "./transcription-acceptance.ts";
import { transcriptionIsJson } from "./transcription-is-json.ts";
import { transcriptionShape } from "./transcription-shape.ts";

export const audioJudges: readonly Judge[] = [transcriptionAcceptance, transcriptionShape, transcriptionIsJson];
