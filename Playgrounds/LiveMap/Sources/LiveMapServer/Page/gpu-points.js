// Points drawn by the GPU: they are counted into a texture, with one call for each visible copy of the world, and
// the counts become the picture.
import { DENSEST, DENSITY, DIAMETERS, LOOKS } from "./looks.js";

const POINTS = {
  vertex: `#version 300 es
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
    }`,
  // The colour is that of the last point, and the opacity counts the points in steps of a byte.
  fragment: `#version 300 es
    precision mediump float;
    in vec3 color;
    out vec4 result;
    void main() {
      if (length(gl_PointCoord * 2.0 - 1.0) > 1.0) discard;
      result = vec4(color, 1.0 / ${DENSEST}.0);
    }`,
};
const PICTURE = {
  // A triangle that covers the canvas.
  vertex: `#version 300 es
    void main() {
      vec2 corner = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2));
      gl_Position = vec4(corner * 2.0 - 1.0, 0, 1);
    }`,
  fragment: `#version 300 es
    precision mediump float;
    uniform sampler2D counts;
    uniform vec3 ink;
    out vec4 result;
    void main() {
      vec4 cell = texelFetch(counts, ivec2(gl_FragCoord.xy), 0);
      float count = floor(cell.a * ${DENSEST}.0 + 0.5);
      float share = log2(max(count, 1.0)) / log2(${DENSEST}.0);
      float opacity = count < 0.5 ? 0.0 : mix(${DENSITY.opacity.toFixed(3)}, 1.0, share);
      result = vec4(mix(cell.rgb, ink, share * ${DENSITY.shade.toFixed(3)}) * opacity, opacity);
    }`,
};

export class GPUPoints {
  #gl;
  #points;
  #picture;
  #array;
  #noArray;
  #places;
  #looks;
  #counts;
  #buffer;
  #size = "";
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
    this.#points = program(gl, POINTS, ["middle", "origin", "size", "scale", "density", "copy", "diameters", "colors"]);
    this.#picture = program(gl, PICTURE, ["counts", "ink"]);
    this.#array = gl.createVertexArray();
    this.#noArray = gl.createVertexArray();
    gl.bindVertexArray(this.#array);
    this.#places = this.#attribute("place", 2, gl.FLOAT);
    this.#looks = this.#attribute("look", 1, gl.UNSIGNED_BYTE);
    this.#counts = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.#counts);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
      gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
    }
    this.#buffer = gl.createFramebuffer();
    gl.enable(gl.BLEND);
    gl.useProgram(this.#points.program);
    gl.uniform1fv(this.#points.uniforms.diameters, DIAMETERS);
  }

  #attribute(name, size, type) {
    const gl = this.#gl;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    const location = gl.getAttribLocation(this.#points.program, name);
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
    this.#takeSize();
    this.#takeColors(theme);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#buffer);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (count > 0) this.#count(count, camera, theme);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.useProgram(this.#picture.program);
    gl.bindVertexArray(this.#noArray);
    gl.blendFunc(gl.ONE, gl.ZERO);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  #count(count, camera, theme) {
    const gl = this.#gl;
    const { uniforms } = this.#points;
    const { x, y, middleX, middleY, width, height, scale, copies } = camera;
    gl.useProgram(this.#points.program);
    gl.bindVertexArray(this.#array);
    gl.blendFuncSeparate(gl.ONE, gl.ZERO, gl.ONE, gl.ONE);
    gl.uniform2f(uniforms.middle, x, y);
    gl.uniform2f(uniforms.origin, middleX, middleY);
    gl.uniform2f(uniforms.size, width, height);
    gl.uniform1f(uniforms.scale, scale);
    gl.uniform1f(uniforms.density, theme.density);
    for (let copy = -copies; copy <= copies; copy += 1) {
      gl.uniform1f(uniforms.copy, copy);
      gl.drawArrays(gl.POINTS, 0, count);
    }
  }

  #takeSize() {
    const gl = this.#gl;
    const { width, height } = gl.canvas;
    if (this.#size === `${width} ${height}`) return;
    this.#size = `${width} ${height}`;
    gl.viewport(0, 0, width, height);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#buffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.#counts, 0);
  }

  #takeColors(theme) {
    if (theme === this.#theme) return;
    this.#theme = theme;
    const gl = this.#gl;
    const parts = (name) => theme.rgb(name).map((part) => part / 255);
    gl.useProgram(this.#points.program);
    gl.uniform3fv(this.#points.uniforms.colors, LOOKS.flatMap(parts));
    gl.useProgram(this.#picture.program);
    gl.uniform3fv(this.#picture.uniforms.ink, parts("ink"));
  }
}

/** Links a program, and finds its uniforms. */
function program(gl, { vertex, fragment }, names) {
  const made = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  return { program: made, uniforms: Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(made, name)])) };
}

function hasGPU() {
  const gl = new OffscreenCanvas(1, 1).getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!gl) return false;
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|software/i.test(name);
}
