export interface PointLabel {
  readonly x: number;
  readonly y: number;
  readonly label: string;
}

export interface PlacedLabel extends PointLabel {
  readonly anchor: "start" | "end";
}

/** Of a letter of the labels of charts, about. */
const letterWidth = 7;
const lineHeight = 13;

/** Places the labels of points beside them, none on another. A label that has no place left is left out. */
export function placeLabels(points: readonly PointLabel[]): readonly PlacedLabel[] {
  const taken: Box[] = [];
  return points.flatMap((point) => {
    const found = placesOf(point)
      .map((place) => ({ place, box: boxOf(place) }))
      .find(({ box }) => !taken.some((other) => overlaps(box, other)));
    if (found === undefined) return [];
    taken.push(found.box);
    return [found.place];
  });
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

/** Right above, left above, right below, left below. */
function placesOf({ x, y, label }: PointLabel): readonly PlacedLabel[] {
  return ([-5, 14] as const).flatMap((down) => [
    { x: x + 7, y: y + down, label, anchor: "start" as const },
    { x: x - 7, y: y + down, label, anchor: "end" as const },
  ]);
}

function boxOf({ x, y, label, anchor }: PlacedLabel): Box {
  const width = letterWidth * label.length;
  return anchor === "start" ? { left: x, right: x + width, bottom: y } : { left: x - width, right: x, bottom: y };
}

function overlaps(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && Math.abs(one.bottom - other.bottom) < lineHeight;
}
