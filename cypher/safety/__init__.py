"""Decides whether a text may be sent to a database: what it may do, what it may build, and what databases read in it.

`access.violations` lists the forbidden constructs of a query, `canonical.canonical` gives the text to send, and
`time_limit.bounded` limits the time of the check itself.
"""
