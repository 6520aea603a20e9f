"""What a visitor sees where something fails."""

from fastapi.testclient import TestClient


def test_a_value_that_cannot_be_read_is_named_in_plain_words(client: TestClient) -> None:
    """The page says which value is wrong and what is needed, not what a parser says of it."""
    response = client.get("/compare", params={"against": "x", "page": "y", "runs": ["a", "b"]})
    assert response.status_code == 422
    assert "Against: a whole number is needed; page: a whole number is needed." in response.text
