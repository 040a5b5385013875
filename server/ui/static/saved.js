/** Reads saved files as events for the view of calls: traces in JSON Lines, and reports of evaluations. */

import { counted } from "./dom.js";

const DATA = '<script type="application/json" id="data">';

/**
 * Return the records in a file's text, one for each call or task, and a sentence about all records. The records are the
 * lines of a trace, or the tasks in the data of a report (an HTML page). No part of the file is run or parsed as markup.
 */
export function recordsIn(text) {
  const begin = text.indexOf(DATA);
  if (begin < 0) return { lines: text.split("\n").filter((line) => line.trim() !== ""), about: "" };
  const end = text.indexOf("</script>", begin);
  const { summary = {}, tasks = [] } = JSON.parse(text.slice(begin + DATA.length, end < 0 ? undefined : end));
  return { lines: tasks.map((task) => JSON.stringify(recordOf(task))), about: sentence(summary, tasks.length) };
}

/** Return a task of a report as an event: its prediction is the query, and a wrong prediction counts as failed. */
function recordOf({ qid, graph, question, prediction, predicted_answer: answer, execution_accuracy: right, category, ...more }) {
  return {
    kind: "task",
    session: String(graph ?? ""),
    name: right === 1 ? "right" : `wrong: ${category || "a different answer"}`,
    arguments: { question, query: prediction ?? "", graph },
    answer: answer ?? null,
    failed: right !== 1,
    qid,
    ...more,
  };
}

function sentence({ predictor, overall = {} }, count) {
  const figures = [
    ["execution accuracy", overall.execution_accuracy],
    ["PSJS", overall.psjs],
    ["executable", overall.executable],
  ].flatMap(([name, score]) => (typeof score?.mean === "number" ? [`${name} ${(100 * score.mean).toFixed(1)} %`] : []));
  return [`Report of ${predictor || "an evaluation"}, ${counted(count, "task")}`, ...figures].join("; ") + ".";
}
