"""Mutation testing for scripts/mutate: which mutants exist, which tests run them, and what the tests say."""
