// What pins and clusters look like. Each look is drawn once and copied from then on.

const ABOUT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** The name of a magnitude's colour. */
export function strength(magnitude) {
  if (magnitude < 2.5) return "weak";
  if (magnitude < 4.5) return "medium";
  return magnitude < 6 ? "strong" : "great";
}

export class Sprites {
  #images = new Map();
  #theme = null;

  /** In points. Clusters are never nearer to each other than 44 points: two of them fit in there. */
  static radius({ count, properties }) {
    if (count > 1) return Math.min(21, 11 + 1.1 * Math.log2(count));
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
    const share = pin.count > 1 ? Math.round((24 * pin.properties.values[0]) / pin.count) / 24 : 0;
    const look = pin.count > 1
      ? `${ABOUT.format(pin.count)} ${radius.toFixed(1)} ${share} ${strength(pin.properties.values[1])}`
      : `${pin.properties.style} ${radius}`;
    const known = this.#images.get(look);
    if (known) return known;
    if (this.#images.size > 2000) this.#images.clear();
    const { density } = this.#theme;
    const side = Math.ceil((radius * 2 + 12) * density);
    const canvas = new OffscreenCanvas(side, side);
    const context = canvas.getContext("2d");
    context.scale(density, density);
    context.translate(radius + 6, radius + 6);
    if (pin.count > 1) this.#drawCluster(context, pin, radius, share);
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

  /** A ring that says how many are balloons, and how strong the strongest quake is. */
  #drawCluster(context, { count, properties }, radius, share) {
    const theme = this.#theme;
    context.shadowColor = "rgb(10 30 40 / 28%)";
    context.shadowBlur = 5 * theme.density;
    context.shadowOffsetY = 1.5 * theme.density;
    disc(context, radius);
    context.fillStyle = theme.cluster;
    context.fill();
    context.shadowColor = "transparent";
    const top = -Math.PI / 2;
    const end = top + 2 * Math.PI * share;
    context.lineWidth = 3.2;
    arc(context, radius - 1.6, end, top + 2 * Math.PI, theme[strength(properties.values[1])], share < 1);
    arc(context, radius - 1.6, top, end, theme.balloon, share > 0);
    context.fillStyle = theme.ink;
    const text = ABOUT.format(count);
    context.font = `620 ${text.length > 3 ? 10.5 : 11.5}px ${theme.font}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(text, 0, 0.5);
  }
}

function disc(context, radius) {
  context.beginPath();
  context.arc(0, 0, radius, 0, 2 * Math.PI);
}

function arc(context, radius, from, to, color, isVisible) {
  if (!isVisible) return;
  context.beginPath();
  context.arc(0, 0, radius, from, to);
  context.strokeStyle = color;
  context.stroke();
}
