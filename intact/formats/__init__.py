"""Reading and writing document formats, one file each."""
