"""Passwords are kept by argon2id, with as much work for a name that is not there."""

from argon2 import Type, extract_parameters

from plumbrule.web.access import passwords


def test_a_password_is_kept_by_argon2id() -> None:
    """With at least what RFC 9106 asks for where memory is scarce; and the same password is never kept the same."""
    kept = passwords.hash_password("correct horse battery")
    used = extract_parameters(kept)
    assert used.type is Type.ID
    assert (used.memory_cost, used.time_cost, used.parallelism) >= (65536, 3, 4)
    assert kept != passwords.hash_password("correct horse battery")
    assert passwords.is_password("correct horse battery", kept)
    assert not passwords.is_password("Correct horse battery", kept)


def test_nobody_costs_as_much_as_somebody() -> None:
    """A name that is not there is compared with a hash of the same parameters, and is never right."""
    passwords._nobody.cache_clear()  # another test may have hashed with less work
    assert extract_parameters(passwords._nobody()) == extract_parameters(passwords.hash_password("x" * 12))
    assert not passwords.is_password("anything", None)
    assert not passwords.is_password("anything", "no hash")


def test_a_password_that_is_made_is_accepted() -> None:
    """What an administrator hands over is random and good enough to be kept."""
    made = {passwords.make_password() for _ in range(100)}
    assert len(made) == 100
    for password in made:
        passwords.check_new_password(password, name="Ada Lovelace")
