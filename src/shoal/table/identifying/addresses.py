"""Addresses on the net, anywhere in a cell: e-mail, pages, machines."""

from shoal.table.identifying.detector import Detector, by_shape

EMAIL = r"[\pL\pN._%+-]+@[\pL\pN-]+(\.[\pL\pN-]+)*\.\pL{2,}"
BYTE = r"(25[0-5]|2[0-4]\d|1?\d?\d)"
IP = rf"(?i)^(({BYTE}\.){{3}}{BYTE}|([0-9a-f]{{1,4}}:){{7}}[0-9a-f]{{1,4}})(/\d{{1,3}}|:\d{{2,5}})?$"

ADDRESSES = (
    Detector("e-mail address", by_shape(EMAIL, having="@")),
    Detector("web address", by_shape(r"(?i)\b((https?|ftp)://\S{3}|www\.\S+\.\S)", having=".")),
    Detector("IP address", by_shape(IP), fewest=3),
)
