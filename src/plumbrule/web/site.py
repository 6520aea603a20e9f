"""What one running web application is set up with."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from plumbrule.api.ledger_access import now
from plumbrule.web.access.accounts import Accounts
from plumbrule.web.access.openid_connect import OpenIdProvider
from plumbrule.web.jobs.run_jobs import Configurations
from plumbrule.web.kept_views import KeptViews
from plumbrule.web.open_ledgers import OpenLedgers
from plumbrule.web.traffic.proxy_headers import Network
from plumbrule.web.verdict_scorers import VerdictScorers
from plumbrule.web.web_store import Store

PATIENCE_S = 0.1  # leaves room to make the page itself within 300 ms
LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The ledger that is shown, who may see it, and the store for what is no part of the ledger."""

    ledger: str  # its address
    store: Store
    team: bool = False  # people sign in; else everything is done by the one local person
    local_person: str | None = None  # who that is; None: nobody can change anything
    hosts: tuple[str, ...] = LOCAL_HOSTS  # the names that a request may call this application by
    https: bool = False  # it is reached by HTTPS, so that cookies are for HTTPS only
    proxies: tuple[Network, ...] = ()  # whose word is taken for where a request comes from
    provider: OpenIdProvider | None = None  # where people may sign in besides
    configurations: Configurations = field(default_factory=Configurations)  # of runs that may be started
    demo: bool = False  # it shows the ledger of the demo
    patience_s: float | None = None  # how long a page waits for what takes long to work out; None: until it is there
    clock: Callable[[], datetime] = field(default=now)
    ledgers: OpenLedgers = field(default_factory=OpenLedgers, repr=False, compare=False)
    scorers: VerdictScorers = field(default_factory=VerdictScorers, repr=False, compare=False)
    views: KeptViews = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Make the views of the ledger, none of which is worked out yet."""
        object.__setattr__(self, "views", KeptViews(self.ledgers, self.ledger, self.store))

    @property
    def accounts(self) -> Accounts:
        """The accounts of those who may sign in."""
        return Accounts(self.store, self.ledger)

    def close(self) -> None:
        """Let go of the ledger and the store."""
        self.views.close()
        self.ledgers.close()
        self.store.close()
