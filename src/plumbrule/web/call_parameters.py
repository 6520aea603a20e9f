"""What calls of the JSON API take in their paths, with an example of each."""

from typing import Annotated

from fastapi import Path

SOME_TRACE = "96d0cc5f-d4c2-4c2e-bc26-847f0316909e"

RunName = Annotated[str, Path(description="The id of a run, the start of one, or last.", examples=["last"])]
CampaignName = Annotated[str, Path(description="The name of a campaign, or last.", examples=["last"])]
TraceId = Annotated[str, Path(description="The trace id of an interaction.", examples=[SOME_TRACE])]
JobId = Annotated[str, Path(description="The id of a run in the background.", examples=["job-id"])]
ConfigurationName = Annotated[str, Path(description="The name of a run configuration.", examples=["nightly.yaml"])]
AlertId = Annotated[str, Path(description="The id of an alert.", examples=["alert-id"])]
