"""Links in an input folder."""

from intact.run.files import find, left_out


def test_links_out_of_the_folder_are_not_followed(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("a")
    (tmp_path / "secret.txt").write_text("b")
    (folder / "b.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "c.txt").symlink_to(folder / "a.txt")
    out = tmp_path / "out"
    found = find(str(folder), None, None, out)
    assert [source.relative.as_posix() for source in found] == ["a.txt", "c.txt"]
    assert left_out(folder, None, found, out) == ["b.txt (a link out of the folder)"]
