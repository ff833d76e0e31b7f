"""The same linear equations by other formulations, compared."""

from eigenbody.analyses.verify.find import RouteModel, Verification, by_route, place_of, verify
from eigenbody.analyses.verify.many import Verifications, Verified, verify_many
