"""Quality of a clip by models trained on people's ratings; none of them knows any place or culture."""

from helpers.metrics import aigve, videoscore, videoscore2

METRICS = (*videoscore.METRICS, *videoscore2.METRICS, *aigve.METRICS)
