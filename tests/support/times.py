"""Forms of dates and times, as canonical text, for tests of loading, importing and exporting."""

ZONED = (
    "2024-01-01T09:00:00+09:00", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.123456Z",
    "2024-01-01T00:00:00.123456789Z", "2024-01-01T00:00:00.5-03:30", "2023-12-31T23:59:59+14:00",
    "2023-12-31T23:59:59-11:00", "2024-07-01T09:00:00+02:00[Europe/Paris]", "2024-01-01T09:00:00+01:00[Europe/Paris]",
    "2024-10-27T02:30:00+02:00[Europe/Paris]", "2024-10-27T02:30:00+01:00[Europe/Paris]",
    "2024-03-31T03:00:00+02:00[Europe/Paris]", "2060-07-01T09:00:00+02:00[Europe/Paris]",
    "1900-01-01T09:00:00+00:09:21[Europe/Paris]", "2024-07-01T09:00:00.25+05:45[Asia/Kathmandu]",
    "1582-10-10T00:00:00Z", "1500-01-01T00:00:00.000000001Z", "0001-01-01T00:00:00Z", "0000-02-29T00:00:00Z",
    "-0044-03-15T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "+10000-01-01T00:00:00Z",
)  # fmt: skip
LOCAL = (
    "2024-01-01T09:00:00", "2024-01-01T09:00:00.123456", "2024-01-01T09:00:00.123456789", "2024-03-31T02:30:00",
    "1500-01-01T00:00:00.123456", "0000-01-01T00:00:00", "-0044-03-15T00:00:00.001", "+10000-01-01T00:00:00.123",
)  # fmt: skip
DAYS = ("2024-02-29", "1582-10-10", "0001-01-01", "0000-02-29", "-0044-03-15", "+10000-01-01")
ZONED_CLOCKS = ("09:00:00+09:00", "00:00:00Z", "23:59:59.999999999-11:00")
LOCAL_CLOCKS = ("00:00:00", "09:00:00.5", "23:59:59.999999999")
FORMS = {
    "Zoned": (ZONED, "datetime", "datetime"),
    "Local": (LOCAL, "datetime", "localdatetime"),
    "Day": (DAYS, "date", "date"),
    "ZonedClock": (ZONED_CLOCKS, "time", "time"),
    "LocalClock": (LOCAL_CLOCKS, "time", "localtime"),
}
"""For each label, its values, their property type, and the Cypher function that makes them."""
ALL = tuple((label, text) for label, (texts, _, _) in FORMS.items() for text in texts)
