/** The members for which this holds; the list itself where it holds for all, as it mostly does: a million records are not listed twice. */
export function selectRecords<Member>(records: readonly Member[], matches: (record: Member) => boolean): readonly Member[] {
  const first = records.findIndex((record) => !matches(record));
  if (first === -1) return records;
  const selected = records.slice(0, first);
  for (let at = first + 1; at < records.length; at += 1) {
    const record = records[at] as Member;
    if (matches(record)) selected.push(record);
  }
  return selected;
}
