/** The view of calls: every tool call of connected clients as it arrives; a saved trace can be opened beside them. */

import { follow, Refused, TokenNeeded, Unreachable } from "../api.js";
import { requestOf, eventOf, shownCall } from "../recorded.js";
import { counted, cut, element } from "../dom.js";
import { recordsIn } from "../saved.js";

const MOST_SHOWN = 500;
const ALL = "";

export async function show(place, context) {
  const { read, report, failed, signal } = context;
  let events = [];
  let running = [];
  let saved = null;
  const session = element("select", { onchange: showAll }, element("option", { value: ALL }, "all"));
  const filter = element("input", { type: "search", autocomplete: "off", maxlength: 200, oninput: showAll });
  const failures = element("input", { type: "checkbox", onchange: showAll });
  const file = element("input", { type: "file", class: "unseen", accept: ".jsonl,.json,.txt,.html", onchange: openFile });
  const live = element("button", { type: "button", hidden: true, onclick: showLive }, "Back to the live calls");
  const transcript = element("button", { type: "button", onclick: () => keep("markdown", "md") }, "Export transcript");
  const list = element("ol", { class: "calls", "aria-label": "Calls" });
  const totals = element("p", { class: "quiet totals" });
  const about = element("p", {});
  const busy = element("ol", { class: "calls running", "aria-label": "Running calls", hidden: true });
  const limitNote = element("p", { class: "quiet" });
  place.append(
    element("h1", {}, "Calls of connected clients"),
    element(
      "div",
      { class: "row controls" },
      element("label", {}, "Session ", session),
      element("label", {}, "Contains ", filter),
      element("label", {}, failures, " Failed only"),
      element("button", { type: "button", onclick: () => keep("jsonl", "jsonl") }, "Export JSON Lines"),
      transcript,
      element("label", { class: "button" }, "Open a trace or report", file),
      live,
    ),
    about,
    totals,
    limitNote,
    busy,
    list,
  );
  list.addEventListener("keydown", (event) => {
    const items = [...list.children];
    const at = items.indexOf(event.target.closest("summary")?.closest("li"));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (at < 0 || items[to] === undefined) return;
    event.preventDefault();
    items[to].querySelector("summary").focus();
  });
  const ticking = setInterval(showRunning, 1000);
  watch();
  showAll();

  /** Follow the calls until the user leaves the view; after an interruption, the missed calls are requested. */
  async function watch() {
    let after = 0;
    let of = "";
    while (!signal.aborted) {
      try {
        await follow(`work?after=${after}&of=${of}`, signal, ({ event, id, data }) => {
          if (event === "recorder") {
            if (of !== "" && data !== of) {
              events = []; // the server was restarted
              showAll();
            }
            of = data;
            return;
          }
          if (event === "running") {
            running = JSON.parse(data).map((record) => eventOf(JSON.stringify(record)));
            showRunning();
            return;
          }
          after = Number(id);
          const found = eventOf(data);
          events.push(found);
          if (events.length > 2 * MOST_SHOWN) events = events.slice(-MOST_SHOWN);
          if (saved === null) addLive(found);
        });
      } catch (error) {
        if (signal.aborted) return;
        if ([Refused, TokenNeeded, Unreachable].some((kind) => error instanceof kind)) return failed(error);
        report("The connection was lost; reconnecting.");
      }
      running = [];
      showRunning();
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  /** Show the running calls, with the seconds since each began. */
  function showRunning() {
    if (signal.aborted) return clearInterval(ticking);
    busy.hidden = saved !== null || !running.length;
    busy.replaceChildren(
      ...running.map((found) =>
        element(
          "li",
          {},
          element("strong", {}, cut(found.name, 60)),
          " ",
          element("span", { class: "tag" }, `running for ${Math.max(0, Math.round((Date.now() - Date.parse(found.time)) / 1000))} s`),
          " ",
          element("code", {}, cut(requestOf(found).replace(/\s+/g, " "), 120)),
        ),
      ),
    );
  }

  function addLive(found) {
    offerSession(found);
    if (!chosen(found)) return count();
    list.prepend(shownCall(found, context));
    while (list.children.length > MOST_SHOWN) list.lastElementChild.remove();
    count();
  }

  function showAll() {
    const all = saved ?? events;
    for (const found of all) offerSession(found);
    const matching = all.filter(chosen);
    list.replaceChildren(...matching.slice(-MOST_SHOWN).reverse().map((found) => shownCall(found, context)));
    limitNote.replaceChildren(
      ...(matching.length > MOST_SHOWN ? [`The last ${MOST_SHOWN} of ${matching.length} are shown.`] : []),
    );
    count();
  }

  /** Show the number of calls and clients, the duration of the calls and their tokens. */
  function count() {
    const all = saved ?? events;
    const matching = all.filter(chosen);
    const sum = (name) => matching.reduce((total, found) => total + (found[name] ?? 0), 0);
    const sessions = new Set(matching.map((found) => found.session)).size;
    const failed = matching.filter((found) => found.failed).length;
    const facts = [
      `${counted(matching.length, "call")} in ${counted(sessions, "session")}`,
      failed ? `${counted(failed, "failure")}` : "none failed",
      `${sum("seconds").toFixed(1)} s`,
      counted(sum("tokens"), "token"),
    ];
    totals.textContent = matching.length ? `${facts.join(", ")}.` : all.length ? "No call matches." : "";
    report(all.length === 0 ? "No calls yet. Calls of this server's MCP clients appear here as they arrive." : counted(matching.length, "call"));
  }

  function chosen(found) {
    if (session.value !== ALL && found.session !== session.value) return false;
    if (failures.checked && !found.failed) return false;
    return filter.value === "" || found.line.toLowerCase().includes(filter.value.toLowerCase());
  }

  function offerSession(found) {
    if (found.session === "" || [...session.options].some((option) => option.value === found.session)) return;
    const name = found.client ? `${found.session} (${cut(found.client, 40)})` : found.session;
    session.append(element("option", { value: found.session }, name));
  }

  async function keep(form, ending) {
    try {
      const text = saved === null ? (await read("export", { form, session: session.value === ALL ? null : session.value })).text : linesOf(saved);
      const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      const link = element("a", { href: address, download: `calls${session.value ? `-${session.value}` : ""}.${ending}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      report(`Exported ${text.length.toLocaleString("en")} characters.`);
    } catch (error) {
      failed(error);
    }
  }

  /** Return the lines of a saved file for the chosen session, unchanged; no part of the file is sent to the server. */
  function linesOf(calls) {
    return calls.filter((found) => session.value === ALL || found.session === session.value).map(({ line }) => `${line}\n`).join("");
  }

  async function openFile() {
    const [opened] = file.files;
    if (opened === undefined) return;
    let found;
    try {
      found = recordsIn(await opened.text());
    } catch {
      return report(`${opened.name} is neither a trace nor a report.`);
    }
    saved = found.lines.map(eventOf);
    about.replaceChildren(found.about);
    live.hidden = false;
    transcript.hidden = true; // the server writes transcripts, and this file is not sent to it
    session.replaceChildren(element("option", { value: ALL }, "all"));
    showAll();
  }

  function showLive() {
    saved = null;
    about.replaceChildren();
    live.hidden = true;
    transcript.hidden = false;
    file.value = "";
    file.focus();
    session.replaceChildren(element("option", { value: ALL }, "all"));
    showAll();
  }
}
