export interface PricesFile {
  /**
   * US dollars for a million prompt tokens
   * @minimum 0
   */
  readonly perMillionPromptTokens?: number;
  /**
   * US dollars for a million completion tokens
   * @minimum 0
   */
  readonly perMillionCompletionTokens?: number;
  /**
   * US dollars for an image
   * @minimum 0
   */
  readonly perImage?: number;
  /**
   * US dollars for a minute of audio
   * @minimum 0
   */
  readonly perAudioMinute?: number;
}
