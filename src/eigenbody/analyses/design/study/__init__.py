"""Many designs of one model: sampled, computed, kept, and what explains their scatter."""

from eigenbody.analyses.design.study.find import study
from eigenbody.analyses.design.study.result import Study
