// Points drawn by the GPU: one call for each visible copy of the world.
import { DIAMETERS, LOOKS } from "./looks.js";

const VERTEX = `#version 300 es
  in vec2 place;
  in float look;
  uniform vec2 middle, origin, size;
  uniform float scale, density, copy;
  uniform float diameters[5];
  uniform vec3 colors[5];
  out vec3 color;
  void main() {
    vec2 way = place - middle;
    way.x += copy - floor(way.x + 0.5);
    vec2 point = (origin + way * scale) / size * 2.0 - 1.0;
    gl_Position = vec4(point.x, -point.y, 0, 1);
    gl_PointSize = diameters[int(look)] * density;
    color = colors[int(look)];
  }`;
const FRAGMENT = `#version 300 es
  precision mediump float;
  in vec3 color;
  out vec4 result;
  void main() {
    float inside = 1.0 - smoothstep(0.8, 1.0, length(gl_PointCoord * 2.0 - 1.0));
    result = vec4(color, 1) * inside * 0.85;
  }`;

export class GPUPoints {
  #gl;
  #program;
  #uniforms = {};
  #places;
  #looks;
  #theme = null;

  /** Answers null without a GPU: a context that the processor draws is slower than pixels. */
  static make(canvas) {
    const isForced = new URLSearchParams(location.search).has("gpu");
    // A canvas keeps its first kind of context, so the look at the GPU needs another canvas.
    if (!isForced && !hasGPU()) return null;
    const gl = canvas.getContext("webgl2", { antialias: false });
    return gl && new GPUPoints(gl);
  }

  constructor(gl) {
    this.#gl = gl;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    gl.useProgram(program);
    this.#program = program;
    for (const name of ["middle", "origin", "size", "scale", "density", "copy", "diameters", "colors"]) {
      this.#uniforms[name] = gl.getUniformLocation(program, name);
    }
    this.#places = this.#attribute("place", 2, gl.FLOAT);
    this.#looks = this.#attribute("look", 1, gl.UNSIGNED_BYTE);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniform1fv(this.#uniforms.diameters, DIAMETERS);
  }

  #attribute(name, size, type) {
    const gl = this.#gl;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    const location = gl.getAttribLocation(this.#program, name);
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, type, false, 0, 0);
    return buffer;
  }

  takePoints({ places, looks, count }) {
    const gl = this.#gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#places);
    gl.bufferData(gl.ARRAY_BUFFER, places.subarray(0, 2 * count), gl.DYNAMIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#looks);
    gl.bufferData(gl.ARRAY_BUFFER, looks.subarray(0, count), gl.DYNAMIC_DRAW);
  }

  draw({ count }, camera, theme) {
    const gl = this.#gl;
    if (theme !== this.#theme) {
      this.#theme = theme;
      gl.uniform3fv(this.#uniforms.colors, LOOKS.flatMap((look) => theme.rgb(look).map((c) => c / 255)));
    }
    gl.viewport(0, 0, gl.canvas.width, gl.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (count === 0) return;
    const { x, y, middleX, middleY, width, height, scale, copies } = camera;
    gl.uniform2f(this.#uniforms.middle, x, y);
    gl.uniform2f(this.#uniforms.origin, middleX, middleY);
    gl.uniform2f(this.#uniforms.size, width, height);
    gl.uniform1f(this.#uniforms.scale, scale);
    gl.uniform1f(this.#uniforms.density, theme.density);
    for (let copy = -copies; copy <= copies; copy += 1) {
      gl.uniform1f(this.#uniforms.copy, copy);
      gl.drawArrays(gl.POINTS, 0, count);
    }
  }
}

function hasGPU() {
  const gl = new OffscreenCanvas(1, 1).getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!gl) return false;
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|software/i.test(name);
}
