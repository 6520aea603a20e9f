"""A real OpenID Connect provider for tests: Django OAuth Toolkit on a free port, with people who have passwords there.

``python -m tests.servers.openid_provider FOLDER CALLBACK`` prints its port, and serves until its standard input ends.
"""

import sys
import threading
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

CLIENT_ID, CLIENT_SECRET = "plumbrule", "a secret of forty characters, or nearly so"
PASSWORD = "at the provider"  # noqa: S105 - of people whom only tests know
PEOPLE = {  # user name: the claims name and groups
    "ada": ("Ada Lovelace", ["compliance-leads", "everyone"]),
    "ben": ("Ben Reyes", ["everyone"]),
    "eve": ("Eve Outsider", []),
}


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    def log_message(self, *_arguments: Any) -> None:
        """Say nothing."""


def _configure(folder: Path) -> None:
    import django  # noqa: PLC0415 - only this process needs it
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - the same
    from cryptography.hazmat.primitives.asymmetric import rsa  # noqa: PLC0415 - the same
    from django.conf import settings  # noqa: PLC0415 - the same

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    settings.configure(
        SECRET_KEY="of the tests",  # noqa: S106 - the same
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="tests.servers.openid_urls",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(folder / "provider.db")}},
        INSTALLED_APPS=[
            "django.contrib.admin",
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.messages",
            "django.contrib.sessions",
            "oauth2_provider",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {
                    "context_processors": [
                        "django.template.context_processors.request",
                        "django.contrib.auth.context_processors.auth",
                        "django.contrib.messages.context_processors.messages",
                    ]
                },
            }
        ],
        LOGIN_URL="/admin/login/",
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],  # quick: nothing here is worth guarding
        STATIC_URL="/static/",
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True,
            "OIDC_RSA_PRIVATE_KEY": key.decode(),
            "PKCE_REQUIRED": True,
            "SCOPES": {"openid": "who you are", "profile": "your name", "email": "your address"},
            "OAUTH2_VALIDATOR_CLASS": "tests.servers.openid_urls.Validator",
        },
    )
    django.setup()


def _fill(callback: str) -> None:
    from django.contrib.auth.models import Group, User  # noqa: PLC0415 - after it is configured
    from django.core.management import call_command  # noqa: PLC0415 - the same
    from oauth2_provider.models import Application  # noqa: PLC0415 - the same

    call_command("migrate", verbosity=0)
    for user_name, (name, groups) in PEOPLE.items():
        user = User.objects.create_user(user_name, password=PASSWORD, is_staff=True)
        user.first_name, _, user.last_name = name.partition(" ")
        user.save()
        user.groups.set([Group.objects.get_or_create(name=group)[0] for group in groups])
    Application.objects.create(
        client_id=CLIENT_ID,
        client_secret=CLIENT_SECRET,
        client_type="confidential",
        authorization_grant_type="authorization-code",
        algorithm="RS256",
        redirect_uris=callback,
        skip_authorization=True,
    )


def main() -> None:
    """Serve until nobody listens any more."""
    folder, callback = Path(sys.argv[1]), sys.argv[2]
    _configure(folder)
    _fill(callback)
    from django.core.wsgi import get_wsgi_application  # noqa: PLC0415 - after it is configured

    server = make_server("127.0.0.1", 0, get_wsgi_application(), _Server, _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)  # noqa: T201 - for whoever started it
    sys.stdin.read()


if __name__ == "__main__":
    main()
