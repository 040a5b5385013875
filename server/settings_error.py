"""The error for an invalid setting."""


class SettingsError(ValueError):
    """An invalid setting; the message names the setting and gives valid values."""
