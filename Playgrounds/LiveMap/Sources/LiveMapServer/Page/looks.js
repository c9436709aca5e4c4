// The looks of pins that are drawn as points, in the order of drawing: the weakest first.

export const LOOKS = ["weak", "balloon", "medium", "strong", "great"];

/** The diameters of the looks, in points of the screen. */
export const DIAMETERS = [4, 5, 5, 7, 9];

/** The name of a magnitude's colour. */
export function strength(magnitude) {
  if (magnitude < 2.5) return "weak";
  if (magnitude < 4.5) return "medium";
  return magnitude < 6 ? "strong" : "great";
}
