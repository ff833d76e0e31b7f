"""One page of everything, with the mechanism moving."""

from eigenbody.analyses.report.build import View, figure, report, view
