"""A campaign that looks for wrong answers: how to run it stands in docs/campaign.md."""
