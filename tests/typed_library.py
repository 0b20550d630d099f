"""Never run: mypy finds here that type checkers know what `import shoal` offers, and nothing else."""

import shoal


def use_the_library(policy: shoal.Policy, table: shoal.Table) -> None:
    release: shoal.Release = shoal.anonymize("people.csv", policy)
    again: shoal.Release = shoal.anonymize(shoal.ChosenTable("people.xlsx", sheet="2024"), policy)
    found: list[shoal.AttackResult] = shoal.attack("people.csv", release)
    rows: list[shoal.ComparisonResult] = shoal.compare("people.csv", {"ours": policy})
    chosen: list[shoal.Recommendation] = shoal.recommend(rows, {"ours": policy})
    diagnosis: shoal.Diagnosis = shoal.diagnose("people.csv", policy)
    report: shoal.Report = shoal.make_report(shoal.open_release("release"), against="people.csv")
    risk: shoal.Risk = shoal.risk_figures(shoal.PublishedTable(table), policy)
    useful: shoal.Utility = shoal.measure_utility(release.original, table, policy)
    decision: shoal.Decision = shoal.decide(shoal.evidence_of_run(release, release.verdicts))
    draft: str = shoal.draft_policy(shoal.profile(table), "people.csv")
    title: str = shoal.explanation("k-anonymity").title
    print(again, found, chosen, diagnosis, report, risk, useful, decision, draft, title, shoal.__version__)


def use_a_name_that_is_not_offered() -> None:
    shoal.there_is_no_such_name()  # type: ignore[attr-defined]
