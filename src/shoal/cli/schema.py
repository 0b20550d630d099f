"""``shoal schema``."""

from shoal.cli.terminal.output import say_json
from shoal.policy.model.policy import Policy


def run_schema() -> None:
    """Print the JSON schema of a policy."""
    schema = Policy.model_json_schema()
    say_json({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
