"""The error for an invalid setting."""


class SettingsError(ValueError):
    """An invalid setting or settings file; the message says what is wrong."""
