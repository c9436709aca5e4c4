// The looks of pins that are drawn as points, in the order of drawing: the weakest first.

export const LOOKS = ["weak", "balloon", "medium", "strong", "great"];

/** The diameters of the looks, in points of the screen. */
export const DIAMETERS = [4, 5, 5, 7, 9];

/** The number of points over each other from which on a pixel looks the same. */
export const DENSEST = 255;

/**
 * The look of a pixel under points. Each doubling of their number adds as much, so that neither a single point
 * nor the shape of a dense place is lost.
 *
 * `opacity` is that of a single point; the densest is opaque. `shade` is the share of ink in the densest.
 */
export const DENSITY = { opacity: 0.6, shade: 0.55 };

/** The density of a number of points over each other, 0 for one to 1 for the densest. */
export function density(count) { return Math.log2(count) / Math.log2(DENSEST); }

/** The name of a magnitude's colour. */
export function strength(magnitude) {
  if (magnitude < 2.5) return "weak";
  if (magnitude < 4.5) return "medium";
  return magnitude < 6 ? "strong" : "great";
}
