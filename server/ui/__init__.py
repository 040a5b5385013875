"""The page for people: views of graphs, schemas, names, queries and questions, served at /ui/ beside MCP over HTTP.

Only a server over HTTP with `--ui` loads this folder. The front end is a few ES modules in `static/`, without a build
step and without third-party scripts. The page makes the same tool calls as an MCP client, with the same checks and
limits.

To add a view, for example `work`:

1. `static/views/work.js` exports `show(place, context)`, which fills the element `place` and may return a clean-up
   function. `context` has, among others, `graph`, `parameters`, `signal`, `call`, `read`, `go` and `report`: see
   `static/main.js`.
2. One line in `VIEWS` in `static/main.js` puts it into the navigation.
3. For data that no tool returns, add a handler `async def work(request) -> Response` and its route to `routes.py`,
   where the checks of headers and tokens are applied.
"""
