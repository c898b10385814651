/** So many of one kind are no accident any more, even where each of them was served in the end. */
const accidentsAtMost = 2;
const accidentShare = 0.05;

export function isNoAccident(odd: number, sent: number): boolean {
  return odd > accidentsAtMost && odd > accidentShare * sent;
}
