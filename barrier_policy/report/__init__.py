"""A decision as people and their tools read it: one page, SARIF, JUnit; and the rows of the tables on a terminal."""
