/* The page of `cinch view`: RUN holds the run (see page_view() in view.c), everything else is made here. Frames are stored as
   16-bit parts of the box around the motion, fields as 8-bit parts of their range; between frames both are interpolated. */

function bytes(text) {
  const binary = atob(text), out = new Uint8Array(binary.length);
  for (let i = 0; i < out.length; i++) out[i] = binary.charCodeAt(i);
  return out.buffer;
}

const run = {
  position: new Uint16Array(bytes(RUN.position)),
  face: new Uint32Array(bytes(RUN.face)),
  source: new Uint32Array(bytes(RUN.source)),
  edge: new Uint32Array(bytes(RUN.edge)),
  particle: new Uint32Array(bytes(RUN.particle)),
  fields: RUN.fields.map((field) => new Uint8Array(bytes(field.data))),
  pairs: RUN.pairs && { first: RUN.pairs.first, points: new Uint16Array(bytes(RUN.pairs.points)) },
};
const FRAMES = RUN.time.length, END = RUN.time[FRAMES - 1], BEGIN = RUN.time[0];
const element = (id) => document.getElementById(id);
const state = { time: BEGIN, playing: false, speed: 1, field: -1, wires: false, pairs: false, gap: false, drawn: 0 };

/* The frame at or before a time, and how far the time is on the way to the next. */
function place(time) {
  let low = 0, high = FRAMES;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (RUN.time[middle] <= time) low = middle; else high = middle;
  }
  const next = Math.min(low + 1, FRAMES - 1), span = RUN.time[next] - RUN.time[low];
  return { frame: low, next, share: span > 0 ? Math.min((time - RUN.time[low]) / span, 1) : 0 };
}

/* Where all vertices are. */
const where = new Float32Array(3 * RUN.vertices);
function move(at) {
  const a = at.frame * 3 * RUN.vertices, b = at.next * 3 * RUN.vertices, share = at.share;
  for (let i = 0; i < 3 * RUN.vertices; i++) {
    const axis = i % 3, part = run.position[a + i] + share * (run.position[b + i] - run.position[a + i]);
    where[i] = RUN.low[axis] + RUN.span[axis] * part / 65535;
  }
}

/* Colours. */
function mix(stops, share) {
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1), k = Math.min(Math.floor(at), stops.length - 2), part = at - k;
  return [16, 8, 0].map((shift) => ((stops[k] >> shift) & 255) * (1 - part) + ((stops[k + 1] >> shift) & 255) * part);
}
const SCALE = new Float32Array(256 * 3);
for (let i = 0; i < 256; i++) mix(RUN.stops, i / 255).forEach((c, k) => { SCALE[3 * i + k] = Math.pow(c / 255, 2.2); });
const linear = (n) => new THREE.Color(n).convertSRGBToLinear();
const hex = (n) => "#" + n.toString(16).padStart(6, "0");

/* The scene. */
const canvas = element("view");
let renderer = null;
try {
  renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
} catch (problem) {
  element("trouble").hidden = false;
  element("trouble").textContent = "This browser cannot draw in three dimensions (no WebGL). The plots are still there.";
}
const up = new THREE.Vector3(...RUN.up), centre = new THREE.Vector3(...RUN.centre), radius = RUN.radius;
const scene = new THREE.Scene();
scene.background = new THREE.Color(0xeef0f3);
const camera = new THREE.PerspectiveCamera(30, 1, radius / 100, radius * 100);
camera.up.copy(up);
scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8478, 0.62));
scene.children[0].position.copy(up);
const lamp = new THREE.DirectionalLight(0xffffff, 0.42);
lamp.castShadow = true;
lamp.shadow.mapSize.set(2048, 2048);
lamp.shadow.bias = -0.002;
lamp.shadow.radius = 4;
Object.assign(lamp.shadow.camera, { left: -radius, right: radius, top: radius, bottom: -radius, near: radius * 0.1, far: radius * 6 });
lamp.target.position.copy(centre);
scene.add(lamp, lamp.target);

/* Each body is one mesh of its own, so that it can be hidden. */
const BALL = new THREE.SphereBufferGeometry(1, 16, 12), ROD = new THREE.CylinderBufferGeometry(1, 1, 1, 8, 1, true);
function cloth(body) {
  const geometry = new THREE.BufferGeometry(), first = body.firstPoint, n = body.points;
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * n), 3));
  geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * n), 3));
  geometry.setIndex(new THREE.BufferAttribute(run.face.slice(3 * body.firstFace, 3 * (body.firstFace + body.faces)).map((i) => i - first), 1));
  const mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({
    vertexColors: THREE.VertexColors, side: THREE.DoubleSide, roughness: 0.8, metalness: 0, shadowSide: THREE.DoubleSide,
    polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.frustumCulled = false;
  const wires = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color: 0x20242a, wireframe: true, transparent: true, opacity: 0.35 }));
  wires.frustumCulled = false;
  mesh.add(wires);
  body.wires = wires;
  return mesh;
}
/* Balls and rods. */
function copies(shape, count, colour) {
  const mesh = new THREE.InstancedMesh(shape, new THREE.MeshStandardMaterial({ color: linear(colour), roughness: 0.7 }), count);
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.frustumCulled = false;
  return mesh;
}
for (const body of RUN.bodies) {
  body.group = new THREE.Group();
  if (body.faces) body.group.add(body.mesh = cloth(body));
  if (body.edges) body.group.add(body.rods = copies(ROD, body.edges, body.colour));
  if (body.particles) body.group.add(body.balls = copies(BALL, body.particles, body.colour));
  scene.add(body.group);
}
const floor = new THREE.Mesh(new THREE.CircleBufferGeometry(radius * 4, 64), new THREE.ShadowMaterial({ opacity: 0.22 }));
floor.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
floor.position.copy(centre).addScaledVector(up, RUN.lowest - centre.dot(up) - 0.003 * radius);
floor.receiveShadow = true;
floor.visible = RUN.ground;
scene.add(floor);

/* Pairs in contact, and the place of the smallest gap. */
const most = run.pairs ? Math.max(1, ...run.pairs.first.map((n, k) => (run.pairs.first[k + 1] || n) - n)) : 1;
const lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: linear(0xd01c4a), depthTest: false, transparent: true }));
lines.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6 * most), 3));
lines.frustumCulled = false;
lines.renderOrder = 2;
const ends = new THREE.Points(lines.geometry, new THREE.PointsMaterial({ color: linear(0xd01c4a), size: 2, sizeAttenuation: false, depthTest: false, transparent: true }));
ends.frustumCulled = false;
lines.add(ends);
const marker = new THREE.Mesh(new THREE.TorusBufferGeometry(1, 0.1, 12, 48), new THREE.MeshBasicMaterial({ color: linear(0x1768d0), depthTest: false, transparent: true }));
marker.renderOrder = 3;
scene.add(lines, marker);

function showPairs(frame) {
  const points = lines.geometry.attributes.position;
  let n = 0;
  if (run.pairs) {
    const first = run.pairs.first[frame], last = run.pairs.first[frame + 1];
    n = last - first;
    for (let i = 0; i < 6 * n; i++) points.array[i] = RUN.low[i % 3] + RUN.span[i % 3] * run.pairs.points[6 * first + i] / 65535;
  }
  points.needsUpdate = true;
  lines.geometry.setDrawRange(0, 2 * n);
  lines.visible = state.pairs && n > 0;
  marker.visible = state.gap && n > 0; /* the first pair is the closest */
  if (n > 0) {
    const a = points.array;
    marker.position.set((a[0] + a[3]) / 2, (a[1] + a[4]) / 2, (a[2] + a[5]) / 2);
    marker.scale.setScalar(0.018 * camera.position.distanceTo(marker.position));
    marker.quaternion.copy(camera.quaternion);
  }
}

function paint(body, at) {
  const colour = body.mesh.geometry.attributes.color, plain = linear(body.colour);
  if (state.field < 0 || body.held) {
    for (let i = 0; i < body.points; i++) colour.array.set([plain.r, plain.g, plain.b], 3 * i);
  } else {
    const values = run.fields[state.field], a = at.frame * RUN.vertices, b = at.next * RUN.vertices;
    for (let i = 0; i < body.points; i++) {
      const v = run.source[body.firstPoint + i], value = Math.round(values[a + v] + at.share * (values[b + v] - values[a + v]));
      colour.array.set(SCALE.subarray(3 * value, 3 * value + 3), 3 * i);
    }
  }
  colour.needsUpdate = true;
}

const matrix = new THREE.Matrix4(), one = new THREE.Vector3(), two = new THREE.Vector3(), turn = new THREE.Quaternion(), size = new THREE.Vector3(), Y = new THREE.Vector3(0, 1, 0);
function shape(body, at) {
  body.group.visible = body.shown !== false && state.time < body.removed;
  if (!body.group.visible) return;
  if (body.mesh) {
    const position = body.mesh.geometry.attributes.position;
    for (let i = 0; i < body.points; i++) {
      const v = 3 * run.source[body.firstPoint + i];
      position.array[3 * i] = where[v]; position.array[3 * i + 1] = where[v + 1]; position.array[3 * i + 2] = where[v + 2];
    }
    position.needsUpdate = true;
    body.mesh.geometry.computeVertexNormals();
    body.wires.visible = state.wires;
    paint(body, at);
  }
  for (let i = 0; i < body.edges; i++) {
    const e = 2 * (body.firstEdge + i);
    one.fromArray(where, 3 * run.edge[e]);
    two.fromArray(where, 3 * run.edge[e + 1]);
    const length = one.distanceTo(two);
    size.set(body.tube, length, body.tube);
    turn.setFromUnitVectors(Y, two.clone().sub(one).normalize());
    body.rods.setMatrixAt(i, matrix.compose(one.add(two).multiplyScalar(0.5), turn, size));
  }
  if (body.rods) body.rods.instanceMatrix.needsUpdate = true;
  for (let i = 0; i < body.particles; i++) {
    one.fromArray(where, 3 * run.particle[body.firstParticle + i]);
    body.balls.setMatrixAt(i, matrix.makeScale(body.ball, body.ball, body.ball).setPosition(one));
  }
  if (body.balls) body.balls.instanceMatrix.needsUpdate = true;
}

/* The camera. */
const controls = new THREE.OrbitControls(camera, canvas);
controls.addEventListener("change", () => { wanted = true; });
function home() {
  const front = new THREE.Vector3(...RUN.front), side = new THREE.Vector3().crossVectors(up, front);
  const azimuth = RUN.azimuth * Math.PI / 180, elevation = RUN.elevation * Math.PI / 180;
  const back = front.multiplyScalar(Math.cos(azimuth)).addScaledVector(side, Math.sin(azimuth)).multiplyScalar(Math.cos(elevation)).addScaledVector(up, Math.sin(elevation));
  const narrow = Math.min(1, camera.aspect), angle = camera.fov * Math.PI / 360;
  camera.position.copy(centre).addScaledVector(back, radius * 1.02 / Math.sin(Math.atan(Math.tan(angle) * narrow)));
  controls.target.copy(centre);
  controls.update();
  const right = new THREE.Vector3().crossVectors(up, back).normalize();
  lamp.position.copy(centre).addScaledVector(up, 2.2 * radius).addScaledVector(right, -2 * radius).addScaledVector(back, radius);
  wanted = true;
}

/* Plots, with a line at the time of the picture. */
const cursor = {
  id: "cursor",
  afterDatasetsDraw(chart) {
    const { ctx, chartArea: area, scales } = chart, x = scales.x.getPixelForValue(state.time);
    ctx.save();
    ctx.strokeStyle = "#1768d0";
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.moveTo(x, area.top);
    ctx.lineTo(x, area.bottom);
    ctx.stroke();
    ctx.restore();
  },
};
const INKS = ["#d2694a", "#3f8f94", "#b98519", "#6478b4", "#5f8743", "#9a6596", "#23272e", "#a0a7b2"];
const charts = RUN.plots.map((plot) => {
  const heading = document.createElement("h2"), box = document.createElement("div"), sheet = document.createElement("canvas");
  heading.textContent = plot.unit ? plot.title + " [" + plot.unit + "]" : plot.title;
  box.className = "plot";
  box.append(sheet);
  element("plots").append(heading, box);
  const number = (value, _, ticks) => Math.abs(value) < 1e-9 * Math.max(...ticks.map((tick) => Math.abs(tick.value))) ? "0" : Math.abs(value) >= 1e4 || (value !== 0 && Math.abs(value) < 1e-2) ? value.toExponential(1) : String(+value.toPrecision(3));
  return new Chart(sheet, {
    type: "line",
    data: { datasets: plot.series.map((series, k) => ({
      label: series.name, borderColor: INKS[k % INKS.length], backgroundColor: INKS[k % INKS.length], borderWidth: 1.5, pointRadius: 0,
      data: series.values.map((y, i) => ({ x: RUN.plotTime[i], y: y === null ? NaN : y })),
    })) },
    plugins: [cursor],
    options: {
      animation: false, responsive: true, maintainAspectRatio: false, parsing: false, normalized: true, interaction: { mode: "nearest", axis: "x", intersect: false },
      scales: { x: { type: "linear", min: BEGIN, max: END, ticks: { maxTicksLimit: 6, font: { size: 10 } } },
        y: { type: plot.log ? "logarithmic" : "linear", ticks: { maxTicksLimit: 5, font: { size: 10 }, callback: number } } },
      plugins: { legend: { display: plot.series.length > 1, labels: { boxWidth: 8, boxHeight: 8, font: { size: 10 }, padding: 6 } }, tooltip: { enabled: true } },
      onClick: (event, _, chart) => seek(chart.scales.x.getValueForPixel(event.x)),
    },
  });
});

/* Controls. */
let wanted = true, last = 0;
function seek(time) {
  state.time = Math.min(Math.max(time, BEGIN), END);
  wanted = true;
}
function step(by) {
  const at = place(state.time), frame = by < 0 && at.share > 0 ? at.frame : at.frame + by;
  state.playing = false;
  seek(RUN.time[Math.min(Math.max(frame, 0), FRAMES - 1)]);
}
function legend() {
  const field = RUN.fields[state.field];
  element("legend").hidden = !field;
  if (!field) return;
  element("legend-name").textContent = field.unit ? field.name.replace(/_/g, " ") + " [" + field.unit + "]" : field.name.replace(/_/g, " ");
  const context = element("legend-scale").getContext("2d");
  for (let y = 0; y < 180; y++) {
    context.fillStyle = "rgb(" + mix(RUN.stops, 1 - y / 179).map(Math.round).join(",") + ")";
    context.fillRect(0, y, 14, 1);
  }
  element("legend-ticks").replaceChildren(...[4, 3, 2, 1, 0].map((k) => {
    const tick = document.createElement("li");
    tick.textContent = +(field.low + (field.high - field.low) * k / 4).toPrecision(3);
    return tick;
  }));
}
function toggle() {
  wanted = true;
  state.playing = !state.playing;
  if (state.playing && state.time >= END) seek(BEGIN);
}
element("play").onclick = toggle;
element("scrub").oninput = (event) => { state.playing = false; seek(BEGIN + (END - BEGIN) * event.target.value / 1000); };
element("speed").onchange = (event) => { state.speed = +event.target.value; };
element("colour").onchange = (event) => { state.field = event.target.value === "" ? -1 : +event.target.value; legend(); wanted = true; };
for (const name of ["wires", "pairs", "gap"]) element(name).onchange = (event) => { state[name] = event.target.checked; wanted = true; };
element("home").onclick = home;
RUN.fields.forEach((field, i) => element("colour").add(new Option(field.name.replace(/_/g, " "), i)));
element("pairs-label").hidden = element("gap-label").hidden = !run.pairs;
for (const body of RUN.bodies) {
  const label = document.createElement("label"), box = document.createElement("input"), swatch = document.createElement("span");
  box.type = "checkbox";
  box.checked = true;
  box.onchange = () => { body.shown = box.checked; wanted = true; };
  swatch.className = "swatch";
  swatch.style.background = hex(body.colour);
  label.append(box, swatch, body.name);
  element("bodies").append(label);
}
document.onkeydown = (event) => {
  const actions = { " ": toggle, ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: home };
  if (event.target.tagName === "SELECT" || !actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
};

function fit() {
  const width = canvas.clientWidth, height = canvas.clientHeight, ratio = Math.min(window.devicePixelRatio || 1, 2);
  if (!renderer || !width || !height) return;
  renderer.setPixelRatio(ratio);
  renderer.setSize(width, height, false);
  camera.aspect = width / height;
  camera.updateProjectionMatrix();
  wanted = true;
}
if (renderer) {
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = THREE.PCFSoftShadowMap;
  renderer.gammaOutput = true;
  renderer.gammaFactor = 2.2;
}
new ResizeObserver(fit).observe(canvas);
fit();
home();

function draw() {
  const at = place(state.time);
  move(at);
  for (const body of RUN.bodies) shape(body, at);
  showPairs(at.share > 0.5 ? at.next : at.frame);
  if (renderer) renderer.render(scene, camera);
  for (const chart of charts) chart.draw();
  element("scrub").value = END > BEGIN ? 1000 * (state.time - BEGIN) / (END - BEGIN) : 0;
  element("clock").textContent = "t = " + state.time.toFixed(4) + " s, frame " + (at.frame + 1) + " of " + FRAMES;
  element("play").textContent = state.playing ? "Pause" : "Play";
  state.drawn++;
}
function loop(now) {
  if (state.playing) {
    seek(state.time + state.speed * Math.min(now - last, 100) / 1000);
    if (state.time >= END) state.playing = false;
  }
  last = now;
  if (wanted) {
    wanted = false;
    draw();
  }
  requestAnimationFrame(loop);
}
requestAnimationFrame(loop);
