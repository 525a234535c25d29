"""Minds: which of its crowd's states each vehicle is in, and what that changes (Reynolds 1999, action selection).

conditions -> calls -> choice -> what vehicles follow
"""
