"""The lessons: their checks, the students' notebooks, and the page that lists them."""
