# SPDX-License-Identifier: MIT
# Documentation: the first steps are installed, all of doc/ is in the tarball.
dist_doc_DATA = README.md CHANGELOG.md LICENSE
EXTRA_DIST += doc CONTRIBUTING.md
