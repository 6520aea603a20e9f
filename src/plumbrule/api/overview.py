"""The overview for Python callers and the web application: what may be released, and which reviews are open."""

from dataclasses import dataclass
from datetime import datetime

from plumbrule.api.ledger_access import Ledgers, now, opened
from plumbrule.ledger import LedgerState, state_of_ledger
from plumbrule.outcomes import Outcome, worst
from plumbrule.reviews.campaigns import campaign_outcomes
from plumbrule.reviews.campaigns.campaign_agreement import CampaignAgreement
from plumbrule.reviews.campaigns.campaign_list import CampaignList, list_campaigns, outline_campaigns
from plumbrule.reviews.campaigns.campaign_outcomes import CampaignOutcome, latest_outcomes
from plumbrule.runs.release_states import ReleaseState, release_states

_MOST_OPEN = 20
KINDS = ("run", "decision", "label", "campaign", "claim", "record")  # of the entries that it is made from


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Where everything stands, in short; the monitored figures are those of ``view_monitoring``."""

    releases: tuple[ReleaseState, ...]  # of each assistant and model, by its runs, the latest first
    reviews: tuple[CampaignOutcome, ...]  # the latest closed campaign of each trigger
    campaigns: CampaignList  # those that are open, the newest first

    @property
    def assistants(self) -> dict[str, Outcome]:
        """The worst that runs and people's reviews say of each model; one without a name is ""."""
        outcomes: dict[str, list[Outcome]] = {}
        for release in self.releases:
            outcomes.setdefault(release.model or "", []).append(release.outcome)
        for review in self.reviews:
            for model in review.models or ("",):
                outcomes.setdefault(model, []).append(review.outcome)
        return {model: worst(found) for model, found in outcomes.items()}


def overview(ledger: Ledgers = None, *, at: datetime | None = None) -> Overview:
    """Return where everything stands; nothing is written."""
    moment = at or now()
    with opened(ledger) as store:
        outlines = outline_campaigns(store)
        return Overview(
            releases=release_states(store),
            reviews=latest_outcomes(store, outlines),
            campaigns=list_campaigns(store, state="open", most=_MOST_OPEN, at=moment, outlines=outlines),
        )


def ledger_state(ledger: Ledgers = None) -> LedgerState:
    """Return how long the chain of a ledger is, and how old the checkpoint is that it is held against."""
    with opened(ledger) as store:
        return state_of_ledger(store)


def recent_agreement(ledger: Ledgers = None, *, at: datetime | None = None) -> tuple[CampaignAgreement, ...]:
    """Return how far people agree in the latest closed campaigns in which several rated an item, the latest first."""
    with opened(ledger) as store:
        return campaign_outcomes.recent_agreement(store, at=at or now())
