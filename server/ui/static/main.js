/**
 * The frame around the views: navigation, the chosen graph, and messages about failures.
 *
 * An address is `#/VIEW/GRAPH?key=value`. A view is a module in `views/` with
 *
 *     export async function show(place, context) { …; return () => stopWhatRuns(); }
 *
 * and its context has
 *
 *     graph          the graph in the address, or null
 *     parameters     the part after the question mark, as URLSearchParams
 *     signal         aborted when the user leaves the view
 *     call, read     as in api.js, with that signal
 *     go(view, graph, parameters)    show another view
 *     remember(parameters)           put these into the address without reloading the view
 *     report(text)                   write to the status line, which screen readers read
 *     focus(element)                 focus an element, unless the user is choosing a graph
 *     clearAlarm()                   remove the error that is shown
 *     failed(error)                  show an error; errors thrown by `show` are shown without this call
 */

import * as api from "./api.js";
import { element, isolated } from "./dom.js";

const VIEWS = [
  { name: "graphs", title: "Graphs", needsGraph: false, load: () => import("./views/graphs.js") },
  { name: "schema", title: "Schema", needsGraph: true, load: () => import("./views/schema.js") },
  { name: "search", title: "Search", needsGraph: true, load: () => import("./views/search.js") },
  { name: "query", title: "Query", needsGraph: true, load: () => import("./views/query.js") },
  { name: "question", title: "Question", needsGraph: true, load: () => import("./views/question.js") },
  { name: "work", title: "Calls", needsGraph: false, load: () => import("./views/work.js") },
];
const AGAIN_MILLISECONDS = 1000;
const LOADING = "Loading…";
/** The failures whose `nearest` are names of graphs. */
const ABOUT_GRAPHS = ["graph_unavailable", "graph_required", "unknown_graph"];

const main = document.getElementById("main");
const alarm = document.getElementById("alarm");
const status = document.getElementById("status");
const chooser = document.getElementById("graph");
let leave = () => {};
let shownView = null;
let shownGraph = null;
let waiting = false;
let awaited = null;
/** The message that the database cannot be reached; it is cleared when the database answers again. */
let unavailable = null;

function place() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const [view, graph] = path.split("/", 2).map(decoded);
  return { view: view || "graphs", graph: graph || null, parameters: new URLSearchParams(query ?? "") };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a mistyped address
  }
}

function address(view, graph, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  return `#/${view}${graph ? `/${encodeURIComponent(graph)}` : ""}${query ? `?${query}` : ""}`;
}

function go(view, graph, parameters) {
  location.hash = address(view, graph, parameters);
}

function report(text) {
  status.replaceChildren(isolated(text));
}

/** Remove the error; if it has the focus, move the focus to the content. */
function clearAlarm() {
  const hadFocus = alarm.contains(document.activeElement);
  alarm.replaceChildren();
  if (hadFocus) main.focus({ preventScroll: true });
}

/** Focus an element, unless the user is choosing in the list of graphs. */
function focus(target) {
  if (document.activeElement !== chooser) target.focus({ preventScroll: true });
}

async function showView() {
  const hadFocus = document.activeElement !== document.body;
  leave();
  const { view: name, graph: requested, parameters } = place();
  const view = VIEWS.find((known) => known.name === name);
  const leaving = new AbortController();
  let stop = () => {};
  leave = () => {
    leaving.abort();
    stop();
  };
  clearAlarm();
  report(LOADING);
  const loading = view?.load(); // while the list of graphs is requested
  loading?.catch(() => {}); // reported where it is awaited
  try {
    const graphs = await loadGraphs(leaving.signal);
    const graph = requested ?? (graphs.length === 1 || view?.needsGraph ? (graphs[0]?.name ?? null) : null);
    shownGraph = graph;
    showFrame(name, graph, graphs);
    if (!view) throw new api.Failure({ message: `There is no view ${name}.`, next: "Choose a view above." });
    if (requested !== null && !graphs.some((known) => known.name === requested)) {
      main.replaceChildren();
      throw new api.Failure({
        error: "unknown_graph",
        message: `There is no graph “${requested}”.`,
        nearest: graphs.map((known) => known.name),
        next: "No graph is open. Load one with: graphground graphs load FILE",
      });
    }
    const module = await loading;
    if (leaving.signal.aborted) return;
    const content = element("div", { class: `view ${name}` });
    const context = {
      graph,
      graphs,
      parameters,
      signal: leaving.signal,
      call: (tool, args) => api.call(tool, args, leaving.signal),
      read: (path, args) => api.read(path, args, leaving.signal),
      go,
      address,
      remember: (more) => leaving.signal.aborted || history.replaceState(null, "", address(name, graph, more)),
      report,
      focus,
      clearAlarm,
      failed: (error) => failed(error, leaving.signal),
    };
    main.replaceChildren(content);
    document.title = `${view.title}${graph ? ` · ${graph}` : ""} · graphground`;
    if (shownView !== null && shownView !== name) focus(main);
    shownView = name;
    stop = (await module.show(content, context)) ?? (() => {});
    if (leaving.signal.aborted) stop();
    else content.dataset.ready = "true";
    performance.mark("ready");
    if (status.textContent === LOADING) report("");
  } catch (error) {
    failed(error, leaving.signal);
  }
  // The focused element may have been removed; the Tab key would then start again at the top.
  if (hadFocus && document.activeElement === document.body && !leaving.signal.aborted) focus(main);
}

async function loadGraphs(signal) {
  return (await api.call("list_graphs", {}, signal)).graphs;
}

function showFrame(name, graph, graphs) {
  document.getElementById("views").replaceChildren(
    ...VIEWS.map((view) =>
      element(
        "li",
        {},
        element(
          "a",
          { href: address(view.name, view.needsGraph ? graph : null), "aria-current": view.name === name ? "page" : null },
          view.title,
        ),
      ),
    ),
  );
  chooser.replaceChildren(
    ...(graph === null ? [element("option", { value: "" }, "choose…")] : []),
    ...graphs.map((known) => element("option", { value: known.name, selected: known.name === graph }, known.name)),
  );
  chooser.parentElement.hidden = graphs.length < 2;
}

/** Show the problem and the next step; an unreachable server is retried until it responds, then the view reloads. */
function failed(error, signal) {
  if (error.name === "AbortError" || signal.aborted) return;
  report("");
  if (error instanceof api.TokenNeeded) {
    askForToken();
  } else if (error instanceof api.Unreachable) {
    alarm.replaceChildren(element("p", {}, `${error.message} The page tries again every second.`));
    waitForServer();
  } else {
    alarm.replaceChildren(...sayFailure(error));
    if (error.error === "graph_unavailable") {
      alarm.append(element("button", { type: "button", onclick: showView }, "Try again"));
      unavailable = alarm.firstElementChild; // the latest of several requests that failed
      waitForDatabase(signal);
    }
  }
}

function sayFailure({ error, message, nearest = [], next = "" }) {
  const links = ABOUT_GRAPHS.includes(error) ? nearest : [];
  const step = links.length ? "Choose another graph:" : next;
  return [
    element("p", {}, message),
    ...(step
      ? [
          element(
            "p",
            {},
            `${step} `,
            links.map((name) => [element("a", { href: address(place().view, name) }, name), " "]),
          ),
        ]
      : []),
  ];
}

/** Retry until the server responds; a complete view stays as it is, with the text that the user has typed. */
async function waitForServer() {
  if (waiting) return;
  waiting = true;
  do {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MILLISECONDS));
  } while (!(await api.answers()));
  waiting = false;
  clearAlarm();
  report("The server answers again.");
  if (!main.querySelector(".view[data-ready]")) showView();
}

/**
 * Request the graph's health until its database can be reached again.
 *
 * A database that can be reached, but refuses the connection or the password, is not tried again: it might lock the account.
 */
async function waitForDatabase(signal) {
  if (awaited === signal) return;
  awaited = signal;
  const name = shownGraph;
  let away = false;
  try {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MILLISECONDS));
      if (signal.aborted) return;
      const state = (await api.read("health", undefined, signal)).find((known) => known.name === name);
      if (state === undefined || (!state.problem && !away)) return;
      if (!state.problem) break;
      away = true;
    }
  } catch (error) {
    return failed(error, signal);
  } finally {
    if (awaited === signal) awaited = null;
  }
  if (alarm.contains(unavailable)) clearAlarm();
  report("The database answers again.");
  if (!main.querySelector(".view[data-ready]")) showView();
}

function askForToken() {
  if (api.hasToken()) alarm.replaceChildren(element("p", {}, "The server refused this token."));
  const token = element("input", { type: "password", autocomplete: "off", required: true });
  const form = element(
    "form",
    { class: "token" },
    element("h1", {}, "Token"),
    element("p", {}, "This server requires a bearer token. The token is kept until you close the tab."),
    element("label", {}, "Token ", token),
    " ",
    element("button", { type: "submit" }, "Use token"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    api.useToken(token.value);
    showView();
  });
  main.replaceChildren(form);
  token.focus();
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
chooser.addEventListener("change", () => {
  const { view } = place();
  go(view === "graphs" ? "schema" : view, chooser.value);
});
window.addEventListener("hashchange", showView);
showView();
