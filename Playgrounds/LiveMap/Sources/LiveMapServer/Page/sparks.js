// Sparklines under the headline: the last seconds of each figure.

/** The samples on a line. */
const SAMPLES = 60;
const NAMES = ["rows", "operations", "bytes"];

export class Sparks {
  #lines = NAMES.map((name) => {
    const canvas = document.querySelector(`#spark-${name}`);
    return { name, canvas, context: canvas.getContext("2d"), values: [] };
  });

  /** Rows and operations have one scale, so that their lines can be compared. Bytes have their own. */
  add(rates) {
    for (const { name, values } of this.#lines) {
      values.push(rates[name]);
      if (values.length > SAMPLES) values.shift();
    }
    const [rows, operations, bytes] = this.#lines.map(({ values }) => Math.max(1, ...values));
    const tops = [Math.max(rows, operations), Math.max(rows, operations), bytes];
    this.#lines.forEach((line, index) => draw(line, tops[index]));
  }
}

function draw({ canvas, context, values }, top) {
  const { clientWidth: width, clientHeight: height } = canvas;
  if (width === 0) return;
  const density = devicePixelRatio;
  if (canvas.width !== width * density) [canvas.width, canvas.height] = [width * density, height * density];
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width, height);
  const step = width / (SAMPLES - 1);
  const left = width - step * (values.length - 1);
  context.beginPath();
  values.forEach((value, index) => {
    context.lineTo(left + index * step, height - 1 - (value / top) * (height - 2));
  });
  context.strokeStyle = getComputedStyle(canvas).color;
  context.lineWidth = 1.5;
  context.lineJoin = "round";
  context.stroke();
}
