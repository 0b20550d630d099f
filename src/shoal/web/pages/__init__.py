"""One file per page; each a router with the page, its JSON and what can be done there."""

from shoal.web.pages.ask import router as ask
from shoal.web.pages.columns import router as columns
from shoal.web.pages.compare import router as compare
from shoal.web.pages.data import router as data
from shoal.web.pages.explain import router as explain
from shoal.web.pages.files import router as files
from shoal.web.pages.guarantee import router as guarantee
from shoal.web.pages.guarantee_changes import router as guarantee_changes
from shoal.web.pages.hierarchy import router as hierarchy
from shoal.web.pages.jobs import router as jobs
from shoal.web.pages.publish import router as publish
from shoal.web.pages.result import router as result
from shoal.web.pages.run import router as run
from shoal.web.pages.start import router as start
from shoal.web.pages.uploads import router as uploads

PAGES = (
    start,
    files,
    uploads,
    data,
    columns,
    hierarchy,
    guarantee,
    guarantee_changes,
    run,
    result,
    compare,
    ask,
    publish,
    jobs,
    explain,
)
