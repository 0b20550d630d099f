"""What to look at before a release goes out: what no program can decide for its owner."""

from shoal.release.integrity.manifest import Manifest


def publication_checklist(manifest: Manifest) -> list[str]:
    """One sentence or two for each thing to do, in plain words; the gravest first."""
    policy = manifest.policy
    things = []
    if manifest.seeded:
        things.append("Do not publish this one: its random choices came from a seed and can be repeated.")
    if undecided := [one.kind for one in manifest.verdicts if one.mark == "open"]:
        things.append(
            f"Whether {', '.join(undecided)} holds was too costly to decide. Have it decided, or do without."
        )
    things.append("Read what this release does not protect against. Is any of it a danger to these people?")
    shown = policy.having("quasi" if policy.permutes else "sensitive")
    if as_they_are := [*shown, *policy.having("other")]:
        things.append(
            f"These columns are published as they are: {', '.join(as_they_are)}. Could somebody know "
            "their values of a person, and find the person by them?"
        )
    things.append("Read the report. Whatever it calls exposed, somebody has to answer for.")
    if manifest.suppressed:
        things.append(
            f"{manifest.suppressed:,} records were left out. Tell the people who will use the table."
        )
    return [
        *things,
        "Look for other releases about the same people, by you or by others. Together they can tell more "
        "than each of them alone.",
        "Keep the owner's link to yourself: whoever has it knows whose record is whose.",
        "Write down who has decided to publish, when, and why. Keep the policy and the report with it.",
    ]
