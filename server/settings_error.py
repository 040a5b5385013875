"""The error of every setting, wherever it is read."""


class SettingsError(ValueError):
    """An invalid setting; the message names it, and valid values."""
