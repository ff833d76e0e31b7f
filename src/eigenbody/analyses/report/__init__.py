"""One page of everything, with the mechanism moving."""

from eigenbody.analyses.report.build import View, figure, report, view
from eigenbody.analyses.report.charts import frf_charts, response_charts, simulation_charts
from eigenbody.analyses.report.libraries import asset, library_script
from eigenbody.analyses.report.motions import mode_documents, motion_document, packed
from eigenbody.analyses.report.results import step_time
from eigenbody.analyses.report.sections import summary
