"""Runs the steps on the connection that the caller opened, inside the caller's transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
