"""The addresses of the OpenID Connect provider for tests, and the claims that it makes."""

from typing import Any

from django.contrib import admin
from django.urls import include, path
from oauth2_provider.oauth2_validators import OAuth2Validator

urlpatterns = [
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("admin/", admin.site.urls),
]


class Validator(OAuth2Validator):  # type: ignore[misc]  # it ships no types
    """Adds the name and the groups of a person to the ID token."""

    oidc_claim_scope = None

    def get_additional_claims(self, request: Any) -> dict[str, object]:
        """Return the claims."""
        groups = list(request.user.groups.order_by("name").values_list("name", flat=True))
        return {"name": request.user.get_full_name(), "groups": groups}
