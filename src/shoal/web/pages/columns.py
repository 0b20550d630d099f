"""Columns: the role of each, with the guesses marked."""

from fastapi import APIRouter

router = APIRouter()
