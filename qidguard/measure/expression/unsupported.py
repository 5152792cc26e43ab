"""What the arrays cannot say; the database is asked then."""


class Unsupported(Exception):  # noqa: N818 - no failure: the statistic goes by SQL
    """Raised where a text is outside the language, or a number outside what arrays hold exactly."""
