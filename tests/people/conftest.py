"""A small study and survey files of the shape that Qualtrics and Prolific export.

Header names and rows, ImportId JSON, Status and Finished values follow Qualtrics' support page "Understanding
Your Dataset" and the header of public exports; Prolific's columns and statuses follow its demographic export.
"""

import csv
import json

import pandas as pd
import pytest

from helpers.published import ASPECTS, DIMENSIONS, MODELS

QUALTRICS_COLUMNS = {
    "StartDate": ("Start Date", {"ImportId": "startDate", "timeZone": "America/Denver"}),
    "EndDate": ("End Date", {"ImportId": "endDate", "timeZone": "America/Denver"}),
    "Status": ("Response Type", {"ImportId": "status"}),
    "IPAddress": ("IP Address", {"ImportId": "ipAddress"}),
    "Progress": ("Progress", {"ImportId": "progress"}),
    "Duration (in seconds)": ("Duration (in seconds)", {"ImportId": "duration"}),
    "Finished": ("Finished", {"ImportId": "finished"}),
    "RecordedDate": ("Recorded Date", {"ImportId": "recordedDate", "timeZone": "America/Denver"}),
    "ResponseId": ("Response ID", {"ImportId": "_recordId"}),
    "RecipientLastName": ("Recipient Last Name", {"ImportId": "recipientLastName"}),
    "RecipientFirstName": ("Recipient First Name", {"ImportId": "recipientFirstName"}),
    "RecipientEmail": ("Recipient Email", {"ImportId": "recipientEmail"}),
    "ExternalReference": ("External Data Reference", {"ImportId": "externalDataReference"}),
    "LocationLatitude": ("Location Latitude", {"ImportId": "locationLatitude"}),
    "LocationLongitude": ("Location Longitude", {"ImportId": "locationLongitude"}),
    "DistributionChannel": ("Distribution Channel", {"ImportId": "distributionChannel"}),
    "UserLanguage": ("User Language", {"ImportId": "userLanguage"}),
}
PERSON = {
    "StartDate": "2026-05-04 10:12:01",
    "EndDate": "2026-05-04 10:40:55",
    "Status": "IP Address",
    "IPAddress": "203.0.113.7",
    "Progress": "100",
    "Duration (in seconds)": "1734",
    "Finished": "True",
    "RecordedDate": "2026-05-04 10:40:56",
    "RecipientLastName": "Doe",
    "RecipientFirstName": "Jane",
    "RecipientEmail": "jane.doe@example.org",
    "LocationLatitude": "35.6895",
    "LocationLongitude": "139.6917",
    "DistributionChannel": "anonymous",
    "UserLanguage": "JA",
}
PROLIFIC_COLUMNS = [
    "Submission id",
    "Participant id",
    "Status",
    "Custom study tncs accepted at",
    "Started at",
    "Completed at",
    "Reviewed at",
    "Archived at",
    "Time taken",
    "Completion code",
    "Total approvals",
    "Fluent languages",
    "Age",
    "Sex",
    "Ethnicity simplified",
    "Country of birth",
    "Country of residence",
    "Nationality",
    "Language",
    "Student status",
    "Employment status",
]


@pytest.fixture
def write_qualtrics(tmp_path):
    """Write responses (dictionaries by column) as a Qualtrics export with three header rows."""

    def write(responses, name="export.csv"):
        columns = list(dict.fromkeys([*QUALTRICS_COLUMNS, *(key for row in responses for key in row)]))
        path = tmp_path / name
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerow(
                QUALTRICS_COLUMNS[column][0]
                if column in QUALTRICS_COLUMNS
                else f'Which clips show it, "as at home"?\nTick all, or none. - {column}'
                for column in columns
            )
            writer.writerow(
                json.dumps(QUALTRICS_COLUMNS.get(column, (None, {"ImportId": f"QID{number}"}))[1])
                for number, column in enumerate(columns)
            )
            for number, response in enumerate(responses):
                cells = PERSON | {"ResponseId": f"R_{number:015d}"} | response
                writer.writerow(cells.get(column, "") for column in columns)
        return path

    return write


@pytest.fixture
def write_prolific(tmp_path):
    """Write submissions (dictionaries by column) as Prolific's demographic export."""

    def write(submissions):
        path = tmp_path / "prolific_export_6630.csv"
        rows = [[row.get(column, "") for column in PROLIFIC_COLUMNS] for row in submissions]
        pd.DataFrame(rows, columns=PROLIFIC_COLUMNS).to_csv(path, index=False)
        return path

    return write


@pytest.fixture(scope="session")
def culturescore_study():
    """Prompts, questions and clips of two countries with ten scenarios each."""
    prompts, questions, videos = [], [], []
    for country in ("Japan", "South Africa"):
        for number in range(10):
            scenario = f"{country}-{number}"
            prompts.append(
                (f"{scenario}-extended", "culturescore", country, "extended", "A scene.", scenario)
            )
            questions += [
                (f"{scenario}-{dimension}", scenario, dimension, "Is it so?") for dimension in DIMENSIONS
            ]
            videos += [
                (f"{scenario}-{model}", f"{scenario}-extended", model, "ok")
                for model in MODELS["culturescore"]
            ]
    return (
        pd.DataFrame(
            prompts, columns=["prompt_id", "benchmark", "country", "variant", "text", "scenario_id"]
        ),
        pd.DataFrame(questions, columns=["question_id", "scenario_id", "dimension", "text"]),
        pd.DataFrame(videos, columns=["video_id", "prompt_id", "model", "status"]),
    )


@pytest.fixture(scope="session")
def culturevidbench_study():
    """Prompts and clips of one country: two prompts for each of the 14 aspects, seven models."""
    prompts = [
        (f"{aspect}-{number}", "culturevidbench", "Ethiopia", aspect, "plain", "A scene.")
        for aspect in ASPECTS
        for number in range(2)
    ]
    videos = [
        (f"{prompt[0]}-{model}", prompt[0], model, "ok")
        for prompt in prompts
        for model in MODELS["culturevidbench"]
    ]
    return (
        pd.DataFrame(prompts, columns=["prompt_id", "benchmark", "country", "aspect", "variant", "text"]),
        pd.DataFrame(videos, columns=["video_id", "prompt_id", "model", "status"]),
    )
