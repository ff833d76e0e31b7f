"""`python -m eigenbody`."""

import sys

from eigenbody.cli import main

sys.exit(main())
