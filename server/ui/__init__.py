"""The page for people: graphs, schema, search, query and question, served at /ui/ beside MCP over HTTP.

Nothing here is loaded by a stdio server, nor over HTTP without `--ui`. The front end is a few ES modules of our own in
`static/`, without a build step and without third-party scripts. Every question goes through the same tool calls as an
MCP client's: same checks, same limits.

To add a view, say `work`:

1. `static/views/work.js` exports `show(place, context)`, which fills the element `place` and may return a function that
   stops what it started. `context` has `graph`, `parameters`, `signal`, `call`, `read`, `go` and `report`: see
   `static/main.js`.
2. One line in `VIEWS` in `static/main.js` puts it into the navigation.
3. Data that no tool gives: a module beside this one with `async def work(request) -> Response`, and one line in
   `routes.py`, which puts it behind the checks of headers and tokens.
"""
