"use strict";
// The report's page: figures, tasks and comparison, drawn from the JSON in the page. No network, no library.
const { summary, tasks } = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main");
const byQid = new Map(tasks.map((task) => [task.qid, task]));
const SVG = "http://www.w3.org/2000/svg";

function make(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick" || key === "oninput") node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function draw(name, attributes, text) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

const percent = (value) => `${(100 * value).toFixed(1)} %`;
const mean = (score) => (score ? percent(score.mean) : "none");
const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
const interval = (score) => `${percent(score.low)} to ${percent(score.high)}, ${counted(score.count, "task")}`;
const isRight = (task) => task.execution_accuracy === 1 || task.behaviour === "right";
const isLeftOut = (task) => task.rule !== "published" && task.expected === "answer" && Boolean(task.gold_failure || task.gold_empty);
const verdict = (task) => (isLeftOut(task) ? "left out" : isRight(task) ? "right" : task.category);
const section = (title, ...children) => make("section", {}, make("h2", {}, title), ...children);

function card(title, score) {
  return make("div", { class: "card" }, make("small", {}, title), make("b", {}, score ? percent(score.mean) : "none"),
    make("small", {}, score ? interval(score) : "no such tasks"));
}

// Draws a horizontal bar with its confidence interval for each group.
function bars(groups, metric, colour) {
  const rows = Object.entries(groups).map(([name, scores]) => [name, scores[metric]]).filter(([, score]) => score);
  const height = 26, left = 250, width = 560;
  const svg = draw("svg", { viewBox: `0 0 ${left + width + 110} ${rows.length * height + 24}`, role: "img" });
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
    const x = left + tick * width;
    svg.append(draw("line", { x1: x, x2: x, y1: 0, y2: rows.length * height, stroke: "#d9dfe7" }),
      draw("text", { x, y: rows.length * height + 16, "text-anchor": "middle", class: "quiet" }, `${tick * 100} %`));
  }
  rows.forEach(([name, score], place) => {
    const y = place * height, middle = y + height / 2 - 1;
    svg.append(draw("text", { x: left - 10, y: middle + 4, "text-anchor": "end" }, name),
      draw("rect", { x: left, y: y + 4, width: Math.max(1, score.mean * width), height: height - 10, fill: colour, rx: 2 }),
      draw("line", { x1: left + score.low * width, x2: left + score.high * width, y1: middle, y2: middle,
        stroke: "#1c2330", "stroke-width": 1.5 }),
      draw("text", { x: left + width + 8, y: middle + 4, class: "quiet" }, `${percent(score.mean)} of ${score.count}`));
  });
  return svg;
}

function counts(entries, total) {
  const table = make("table");
  for (const [name, count, meaning] of entries) {
    const bar = make("div", { style: `background:#b3402f;height:10px;border-radius:2px;width:${(100 * count) / Math.max(1, total)}%` });
    table.append(make("tr", {}, make("td", {}, name, meaning ? make("div", { class: "quiet" }, meaning) : null),
      make("td", { class: "number" }, String(count)), make("td", { style: "width:34%" }, bar)));
  }
  return table;
}

function overview() {
  const { overall, by, honesty, cost } = summary;
  const wrong = Object.values(summary.categories).reduce((sum, category) => sum + category.count, 0);
  main.replaceChildren();
  if (summary.note) main.append(make("section", { class: "note", id: "note" }, summary.note));
  if (summary.left_out) {
    const means = summary.metrics.map(({ name, title }) => `${title} ${percent(summary.all_tasks[name].mean)}`);
    main.append(make("section", { class: "note", id: "left-out" }, `${summary.left_out} With them: ${means.join(", ")}.`));
  }
  main.append(make("div", { class: "cards", id: "scores" },
    ...summary.metrics.map(({ name, title }) => card(title[0].toUpperCase() + title.slice(1), overall[name])),
    summary.judged ? card(`Answers in words, as ${summary.judged.judge} judges them`, summary.judged.right) : null,
    card("Answers with wrong rows, of all answers", honesty.confident_wrong),
    card("Wrong answers without rows, of all answers", honesty.from_nothing),
    card("Right refusals and clarifying questions", honesty.refusals_right)),
  make("p", { class: "quiet", id: "intervals" }, "The ranges below the scores and the lines on the bars are 95 % confidence intervals."
    + (summary.judged?.second ? ` ${summary.judged.judge} and ${summary.judged.second} agree on ${percent(summary.judged.agree)} of `
      + `${counted(summary.judged.common, "answer")} (Cohen's kappa ${summary.judged.kappa}).` : "")));
  main.append(section("Execution accuracy by graph", bars(by.graph, "execution_accuracy", "#2b5fa8")),
    section("Execution accuracy by graph pattern", bars(by.pattern, "execution_accuracy", "#2f7d5b")),
    section("Execution accuracy by RETURN template", bars(by.template, "execution_accuracy", "#b7791f")));
  if (Object.keys(by.variant).some((name) => name !== "none")) {
    main.append(section("Execution accuracy by variant", bars(by.variant, "execution_accuracy", "#6b5ca5")));
  }
  const categories = Object.entries(summary.categories).map(([name, category]) => [name, category.count, category.meaning
    + (category.several > category.count ? ` Together with another category: ${category.several - category.count}.` : "")])
    .sort((left, right) => right[1] - left[1]);
  main.append(section(`Error categories of ${counted(wrong, "wrong prediction")}`, make("div", { id: "categories" }, counts(categories, wrong))));
  main.append(costs(cost));
}

function costs(cost) {
  const table = make("table", {}, make("tr", {}, ...["tool", "calls", "seconds", "tokens in", "tokens out"].map(
    (name, place) => make("th", { class: place ? "number" : "" }, name))));
  for (const [tool, sums] of Object.entries(cost.by_tool)) {
    table.append(make("tr", {}, make("td", {}, tool), ...["calls", "seconds", "tokens_in", "tokens_out"].map(
      (key) => make("td", { class: "number" }, String(sums[key] ?? 0)))));
  }
  const mean = cost.per_task;
  const words = `Mean per task: ${counted(mean.calls, "tool call")}, ${mean.tokens_in} tokens in, ${mean.tokens_out} out, ${mean.seconds} s `
    + `(median ${cost.seconds_median} s, 95th percentile ${cost.seconds_p95} s)${mean.cost ? `, $${mean.cost}` : ""}. `
    + (cost.calls_per_correct === null ? "" : `${counted(cost.calls_per_correct, "call")} for each right answer.`);
  return section("Cost of the answers", make("p", { class: "quiet", id: "cost" }, words),
    Object.keys(cost.by_tool).length ? table : null);
}

const chosen = { graph: "", pattern: "", category: "", text: "" };

function list() {
  main.replaceChildren();
  const select = (key, values, title) => make("select", { id: `by-${key}`, oninput: (event) => { chosen[key] = event.target.value; rows(); } },
    make("option", { value: "" }, title), ...values.map((value) => {
      const option = make("option", { value }, value);
      option.selected = chosen[key] === value;
      return option;
    }));
  const distinct = (values) => [...new Set(values)].filter(Boolean).sort();
  const categories = distinct(tasks.filter((task) => !isRight(task) && !isLeftOut(task)).map((task) => task.category));
  const search = make("input", { id: "search", placeholder: "Search questions and queries", value: chosen.text,
    oninput: (event) => { chosen.text = event.target.value; rows(); } });
  const body = make("tbody", { id: "tasks" }), found = make("p", { class: "quiet", id: "found" });
  function rows() {
    const wanted = chosen.text.toLowerCase();
    const shown = tasks.filter((task) => (!chosen.graph || task.graph === chosen.graph)
      && (!chosen.pattern || task.pattern === chosen.pattern)
      && (!chosen.category || verdict(task) === chosen.category)
      && (!wanted || `${task.question} ${task.gold} ${task.prediction} ${task.qid}`.toLowerCase().includes(wanted)));
    found.textContent = `${shown.length} of ${counted(tasks.length, "task")}` + (shown.length > 500 ? "; the first 500 are listed" : "");
    body.replaceChildren(...shown.slice(0, 500).map((task) => make("tr", { class: "task", "data-qid": task.qid,
      onclick: () => { location.hash = `task/${encodeURIComponent(task.qid)}`; } },
    make("td", { class: isLeftOut(task) ? "quiet" : isRight(task) ? "right" : "wrong" }, verdict(task)),
    make("td", {}, task.question), make("td", {}, task.graph), make("td", {}, task.pattern),
    make("td", { class: "number" }, task.psjs.toFixed(2)))));
  }
  main.append(make("section", {}, make("div", { class: "filters" }, search, select("graph", distinct(tasks.map((task) => task.graph)), "all graphs"),
    select("pattern", distinct(tasks.map((task) => task.pattern)), "all patterns"), select("category", ["right", ...categories, ...(tasks.some(isLeftOut) ? ["left out"] : [])], "right and wrong")),
  found, make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...["", "question", "graph", "pattern", "PSJS"].map(
    (name) => make("th", {}, name)))), body))));
  rows();
}

function answer(table) {
  if (!table) return make("p", { class: "quiet" }, "No answer.");
  const shown = make("table", {}, make("tr", {}, ...table.columns.map((name) => make("th", {}, name))));
  for (const row of table.rows) {
    shown.append(make("tr", {}, ...row.map((value) => make("td", {}, typeof value === "string" ? value : JSON.stringify(value)))));
  }
  const more = table.row_count > table.rows.length ? `, the first ${table.rows.length} shown` : "";
  return make("div", {}, make("p", { class: "quiet" }, `${table.row_count} row${table.row_count === 1 ? "" : "s"}${more}`),
    make("div", { class: "scroll" }, shown));
}

// The nodes start on a circle and are moved by springs in a fixed number of steps, so a graph always looks the same.
function subgraph(graph) {
  if (!graph || !graph.nodes.length) return make("p", { class: "quiet" }, "Nothing to draw.");
  const width = 520, height = 360, nodes = graph.nodes.map((node, place) => ({ ...node,
    x: width / 2 + 130 * Math.cos((2 * Math.PI * place) / graph.nodes.length),
    y: height / 2 + 110 * Math.sin((2 * Math.PI * place) / graph.nodes.length) }));
  const known = new Map(nodes.map((node) => [node.id, node]));
  for (let step = 0; step < 200; step += 1) {
    for (const node of nodes) {
      for (const other of nodes) {
        if (node === other) continue;
        const dx = node.x - other.x, dy = node.y - other.y, distance = Math.max(20, Math.hypot(dx, dy));
        node.x += (dx / distance) * (900 / distance) * 0.1;
        node.y += (dy / distance) * (900 / distance) * 0.1;
      }
    }
    for (const link of graph.links) {
      const start = known.get(link.start), end = known.get(link.end);
      const dx = end.x - start.x, dy = end.y - start.y, distance = Math.max(1, Math.hypot(dx, dy));
      const pull = (distance - 110) * 0.02;
      start.x += (dx / distance) * pull; start.y += (dy / distance) * pull;
      end.x -= (dx / distance) * pull; end.y -= (dy / distance) * pull;
    }
    for (const node of nodes) {
      node.x = Math.min(width - 70, Math.max(70, node.x));
      node.y = Math.min(height - 30, Math.max(24, node.y));
    }
  }
  const labels = [...new Set(nodes.map((node) => node.label))].sort();
  const colours = ["#2b5fa8", "#2f7d5b", "#b7791f", "#6b5ca5", "#b3402f", "#3a8f98", "#7a6a4f", "#a3487c"];
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "subgraph" });
  const marker = draw("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 15, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
  marker.append(draw("path", { d: "M0 0L8 4L0 8z", fill: "#8a95a5" }));
  const defs = draw("defs", {});
  defs.append(marker);
  svg.append(defs);
  for (const link of graph.links) {
    const start = known.get(link.start), end = known.get(link.end);
    svg.append(draw("line", { x1: start.x, y1: start.y, x2: end.x, y2: end.y, stroke: "#8a95a5", "marker-end": "url(#arrow)" }),
      draw("text", { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 - 3, "text-anchor": "middle", class: "quiet" }, link.type));
  }
  for (const node of nodes) {
    const circle = draw("circle", { cx: node.x, cy: node.y, r: 8, fill: colours[labels.indexOf(node.label) % colours.length] });
    circle.append(draw("title", {}, `${node.label}: ${node.name}`));
    const name = node.name.length > 22 ? `${node.name.slice(0, 21)}…` : node.name;
    svg.append(circle, draw("text", { x: node.x, y: node.y + 21, "text-anchor": "middle" }, name));
  }
  labels.forEach((label, place) => svg.append(
    draw("circle", { cx: 12, cy: 12 + place * 16, r: 5, fill: colours[place % colours.length] }),
    draw("text", { x: 22, y: 16 + place * 16, class: "quiet" }, label)));
  return svg;
}

function task(qid) {
  const chosenTask = byQid.get(qid);
  if (!chosenTask) { list(); return; }
  const diagnostics = make("ul", {}, ...chosenTask.diagnostics.map((found) => make("li", {},
    make("b", {}, `${found.severity}, ${found.code}: `), `line ${found.line}, column ${found.column}: ${found.message}`)));
  const calls = chosenTask.agent.trace.map((call) => `${call.tool} (${call.seconds} s)`).join(" → ");
  main.replaceChildren(
    make("div", {}, make("button", { class: "back", id: "back", onclick: () => { location.hash = "tasks"; } }, "All tasks")),
    make("section", {}, make("h2", { id: "question" }, chosenTask.question),
      make("p", {}, make("span", { class: `tag ${isRight(chosenTask) ? "right" : "wrong"}` }, verdict(chosenTask)),
        make("span", { class: "tag" }, `PSJS ${chosenTask.psjs.toFixed(2)}`), make("span", { class: "tag" }, chosenTask.graph),
        make("span", { class: "tag" }, chosenTask.pattern), make("span", { class: "tag" }, chosenTask.template),
        chosenTask.variant ? make("span", { class: "tag" }, chosenTask.variant) : null, make("span", { class: "quiet" }, chosenTask.qid)),
      chosenTask.text ? make("p", {}, chosenTask.text) : null,
      calls ? make("p", { class: "quiet" }, calls) : null),
    make("div", { class: "two" }, section("Gold query", make("pre", {}, chosenTask.gold)),
      section("Prediction", make("pre", { id: "prediction" }, chosenTask.prediction || "(none)"),
        chosenTask.message ? make("p", { class: "wrong" }, chosenTask.message) : null)),
    chosenTask.diagnostics.length ? section("Diagnostics", diagnostics) : "",
    make("div", { class: "two" }, section("Gold answer", chosenTask.gold_failure ? make("p", { class: "wrong" }, chosenTask.gold_failure) : answer(chosenTask.gold_answer)),
      section("Predicted answer", answer(chosenTask.predicted_answer))),
    make("div", { class: "two" }, section("Gold subgraph", subgraph(chosenTask.gold_subgraph)),
      section("Predicted subgraph", chosenTask.execution_accuracy === 1
        ? make("p", { class: "quiet" }, "The answer is right; see the gold subgraph.") : subgraph(chosenTask.predicted_subgraph))));
  window.scrollTo(0, 0);
}

function comparison() {
  const compared = summary.comparison;
  const rows = (qids) => make("table", {}, ...qids.slice(0, 300).map((qid) => make("tr", { class: "task", "data-qid": qid,
    onclick: () => { location.hash = `task/${encodeURIComponent(qid)}`; } },
  make("td", {}, byQid.get(qid)?.question ?? qid), make("td", {}, byQid.get(qid)?.pattern ?? ""))));
  const listed = (title, qids) => section(`${title} (${qids.length}${qids.length > 300 ? "; the first 300 are listed" : ""})`, rows(qids));
  main.replaceChildren(section(`Compared with ${compared.with}`, make("p", { id: "verdict" },
    `${counted(compared.tasks, "task")} in common: ${compared.won.length} won, ${compared.lost.length} lost, ${compared.both_right} right in both, `
    + `${compared.both_wrong} wrong in both. McNemar's test: p ${compared.p_value < 0.000001 ? "< 0.000001" : `= ${compared.p_value}`}. `
    + (compared.left_out ? `Left out, because their gold answers are empty or fail: ${compared.left_out}. ` : "")
    + (compared.p_value < 0.05 ? "A difference of this size is unlikely to be chance." : "The difference may be chance.")),
  make("p", { class: "quiet" }, `Execution accuracy ${mean(compared.first.execution_accuracy)} in the other run, `
    + `${mean(compared.second.execution_accuracy)} in this run.`)),
  make("div", { class: "two" }, listed("Won", compared.won), listed("Lost", compared.lost)));
}

const TABS = [["overview", "Overview", overview], ["tasks", "Tasks", list]];
if (summary.comparison) TABS.push(["comparison", "Comparison", comparison]);

function show() {
  const [place, ...rest] = location.hash.slice(1).split("/");
  document.getElementById("tabs").replaceChildren(...TABS.map(([name, title]) => make("button", { id: `tab-${name}`,
    "aria-current": String(name === (place || "overview") || (name === "tasks" && place === "task")),
    onclick: () => { location.hash = name; } }, title)));
  if (place === "task") task(decodeURIComponent(rest.join("/")));
  else (TABS.find(([name]) => name === place) ?? TABS[0])[2]();
}

document.getElementById("predictor").textContent = `${summary.predictor} · ${summary.scored} of ${counted(summary.tasks, "task")}`;
window.addEventListener("hashchange", show);
show();
