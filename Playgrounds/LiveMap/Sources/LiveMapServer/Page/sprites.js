// The looks of pins and clusters. Each look is drawn once and copied from then on.
import { strength } from "./looks.js";

const ABOUT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** From 10 points for two pins to 21 for 100,000: each factor of ten adds as much. */
export function clusterRadius(count) { return Math.min(21, 9.5 + 2.3 * Math.log10(count)); }

/** The parts of a cluster by kind: the values are the balloons and the quakes of each strength. */
function parts({ count, properties: { values = [] } }) {
  const [balloon = 0, medium = 0, strong = 0, great = 0] = values;
  const weak = Math.max(0, count - balloon - medium - strong - great);
  return { balloon, weak, medium, strong, great };
}

export class Sprites {
  #images = new Map();
  #theme = null;

  /** In points. Clusters are never nearer to each other than 44 points: two of them fit in there. */
  static radius({ count, properties }) {
    if (count > 1) return clusterRadius(count);
    if (properties.style === "balloon") return 5;
    return Math.round((3 + 1.75 * Math.max(0.5, properties.priority ?? 0.5)) * 2) / 2;
  }

  draw(context, theme, pin, x, y, size) {
    // Colours and resolution are in the images.
    if (this.#theme !== theme) {
      this.#images.clear();
      this.#theme = theme;
    }
    if (pin.sprite?.theme !== theme) pin.sprite = { theme, image: this.#image(pin) };
    const { image } = pin.sprite;
    const width = (image.width / theme.density) * size;
    context.drawImage(image, x - width / 2, y - width / 2, width, width);
  }

  #image(pin) {
    const radius = Sprites.radius(pin);
    // Shares in 24ths: clusters that look the same have one image.
    const shares = pin.count > 1
      ? Object.entries(parts(pin)).map(([name, part]) => [name, Math.round((24 * part) / pin.count)])
      : [];
    const look = pin.count > 1
      ? `${ABOUT.format(pin.count)} ${radius.toFixed(1)} ${shares}`
      : `${pin.properties.style} ${radius} ${strength(pin.properties.priority ?? 0)}`;
    const known = this.#images.get(look);
    if (known) return known;
    if (this.#images.size > 2000) this.#images.clear();
    const { density } = this.#theme;
    const side = Math.ceil((radius * 2 + 12) * density);
    const canvas = new OffscreenCanvas(side, side);
    const context = canvas.getContext("2d");
    context.scale(density, density);
    context.translate(radius + 6, radius + 6);
    if (pin.count > 1) this.#drawCluster(context, pin, radius, shares);
    else if (pin.properties.style === "balloon") this.#drawBalloon(context);
    else this.#drawQuake(context, pin.properties.priority ?? 0, radius);
    const image = canvas.transferToImageBitmap();
    this.#images.set(look, image);
    return image;
  }

  #drawQuake(context, magnitude, radius) {
    const color = this.#theme[strength(magnitude)];
    disc(context, radius);
    context.fillStyle = color;
    context.globalAlpha = 0.38;
    context.fill();
    context.globalAlpha = 1;
    context.lineWidth = 1.4;
    context.strokeStyle = color;
    context.stroke();
    disc(context, 1.6);
    context.fillStyle = color;
    context.fill();
  }

  #drawBalloon(context) {
    context.strokeStyle = this.#theme.halo;
    context.fillStyle = this.#theme.balloon;
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(0, -1.5, 4.6, Math.PI * 0.82, Math.PI * 0.18);
    context.lineTo(0, 6);
    context.closePath();
    context.stroke();
    context.fill();
  }

  /** A number, and a ring with the share of each kind. */
  #drawCluster(context, { count }, radius, shares) {
    const theme = this.#theme;
    context.shadowColor = "rgb(10 30 40 / 28%)";
    context.shadowBlur = 5 * theme.density;
    context.shadowOffsetY = 1.5 * theme.density;
    disc(context, radius);
    context.fillStyle = theme.cluster;
    context.fill();
    context.shadowColor = "transparent";
    context.lineWidth = 3.2;
    const total = shares.reduce((sum, [, share]) => sum + share, 0);
    let from = -Math.PI / 2;
    for (const [name, share] of shares) {
      if (share === 0) continue;
      const to = from + (2 * Math.PI * share) / total;
      context.beginPath();
      context.arc(0, 0, radius - 1.6, from, to);
      context.strokeStyle = theme[name];
      context.stroke();
      from = to;
    }
    context.fillStyle = theme.ink;
    const text = ABOUT.format(count);
    context.font = `620 ${text.length > 3 ? 9.5 : text.length > 2 ? 10.5 : 11.5}px ${theme.font}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(text, 0, 0.5);
  }
}

function disc(context, radius) {
  context.beginPath();
  context.arc(0, 0, radius, 0, 2 * Math.PI);
}
