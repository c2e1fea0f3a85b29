"""The papers' scores from a study's tables, each with n of N and a clustered interval."""
