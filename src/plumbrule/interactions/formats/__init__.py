"""The forms in which interactions are recorded: the response contract, OpenTelemetry, OpenInference, Langfuse."""
