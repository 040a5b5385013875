"""The error for an invalid setting."""


class SettingsError(ValueError):
    """A setting is invalid; the message names the setting and gives valid values."""
