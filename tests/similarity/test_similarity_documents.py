import pytest

from helpers.checking import DataError
from helpers.similarity.documents import read_documents, without_country_words


@pytest.fixture
def folder(tmp_path):
    """A folder of texts; `folder(**{"Brazil/family.txt": "text"})` adds files (text or bytes)."""

    def make(files):
        for name, content in files.items():
            path = tmp_path / "texts" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / "texts"

    return make


def test_reads_texts_by_country_and_category(folder):
    path = folder(
        {
            "South Africa/greetings.txt": "\ufeffTwo words\n",
            "iran/Dates of Significance.txt": "Nowruz is in spring.\r\n",
            "USA/family.txt": "Ein Ä",
            "README.md": "not read",
            ".git/config": "not read",
            "iran/.DS_Store": "not read",
        }
    )
    found = read_documents(path)
    assert found[["country", "category", "words"]].to_numpy().tolist() == [
        ["Iran", "dates-of-significance", 4],
        ["South Africa", "greetings", 2],
        ["United States", "family", 2],
    ]
    assert found["text"].tolist() == ["Nowruz is in spring.", "Two words", "Ein Ä"]
    assert found["url"].isna().all()


def test_reads_a_list_of_files_with_their_addresses(folder):
    path = folder(
        {
            "a.txt": "One.",
            "sources.csv": "country,category,file,url\nIndia,family,a.txt,https://example.org/a\n",
        }
    )
    found = read_documents(path / "sources.csv")
    assert found[["country", "category", "text", "url"]].to_numpy().tolist() == [
        ["India", "family", "One.", "https://example.org/a"]
    ]


def test_every_unusable_file_is_named_in_one_message(folder):
    path = folder(
        {
            "Brazl/family.txt": "x",
            "Brazil/familly.txt": "x",
            "Brazil/religion.txt": " \n",
            "Brazil/greetings.txt": b"caf\xe9",
            "Brazil/etiquette.html": "x",
            "Chile/family.txt": b"a\0b",
            "China/family.txt": "x",
            "CHN/family.txt": "x",
        }
    )
    with pytest.raises(DataError) as error:
        read_documents(path)
    message = str(error.value)
    for expected in (
        "texts: 7 unusable",
        "Brazl/family.txt: 'Brazl' is no known country; did you mean 'Brazil'?",
        "Brazil/familly.txt: found the category 'familly'",
        "did you mean 'family'?",
        "Brazil/religion.txt: found nothing, expected a text",
        "Brazil/greetings.txt: byte 3 is not UTF-8; expected UTF-8 text",
        "Brazil/etiquette.html: expected a text file, <category>.txt",
        "Chile/family.txt: found a NUL character",
        "China/family.txt: a second text on China, family; expected one",
    ):
        assert expected in message


@pytest.mark.parametrize(
    ("files", "path", "message"),
    [
        ({"README.md": "x"}, ".", "found no text, expected files such as"),
        ({"README.md": "x"}, "absent", "absent: no such folder or file"),
        (
            {"list.csv": "country,category,file,url\nIndia,family,b.txt,\n"},
            "list.csv",
            r"b\.txt: cannot be read \(No such file or directory\)",
        ),
        ({"list.csv": "country,category,url\nIndia,family,\n"}, "list.csv", "column 'file' is missing"),
        (
            {"list.csv": "country,category,file,url\nIndia,family,a.txt,\nIndia,family,b.txt,\n"},
            "list.csv",
            "row 3: the key .* is used by an earlier row",
        ),
    ],
)
def test_what_cannot_be_read_is_said(folder, files, path, message):
    with pytest.raises(DataError, match=message):
        read_documents(folder(files) / path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A Brazilian family in South Africa greets Brazilians.", "A family in greets ."),
        ("Polish the silver by the Indian Ocean.", "Polish the silver by the Indian Ocean."),
        ("Two Germans and a Germanic word.", "Two and a Germanic word."),
        ("", ""),
    ],
)
def test_country_words_are_taken_out(text, expected):
    assert without_country_words(text) == expected
