"""Populate: fills a crowd with members, and updates them when their count or arrangement changes."""
