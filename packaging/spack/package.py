# SPDX-License-Identifier: MIT
# Builds the tree that it is in: see packaging/README.md.
from spack_repo.builtin.build_systems.autotools import AutotoolsPackage

from spack.package import *


class Libwsfj(AutotoolsPackage):
    """Work-stealing fork/join runtime for C."""

    license("MIT")

    version("0.1.0")

    variant("hwloc", default=True, description="Takes descriptions of other machines by hwloc")
    variant("view", default=True, description="Builds wsfj-view, which shows traces and profiles")
    variant("mpi", default=False, description="Builds libwsfj-mpi, for tasks that wait for MPI")
    variant("static", default=True, description="Installs libwsfj.a, too")

    depends_on("c", type="build")
    depends_on("autoconf@2.70:", type="build")
    depends_on("automake@1.16:", type="build")
    depends_on("libtool", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("check", type="build")
    depends_on("hwloc@2.1:", when="+hwloc")
    depends_on("jansson@2.7:", when="+view")
    depends_on("mpi@3:", when="+mpi")

    conflicts("platform=darwin", msg="libwsfj needs Linux")
    conflicts("platform=windows", msg="libwsfj needs Linux")

    def configure_args(self):
        spec = self.spec
        return [
            "--with-hwloc" if spec.satisfies("+hwloc") else "--without-hwloc",
            "--with-jansson" if spec.satisfies("+view") else "--without-jansson",
            f"--with-mpi={spec['mpi'].mpicc}" if spec.satisfies("+mpi") else "--with-mpi=no",
            "--enable-static" if spec.satisfies("+static") else "--disable-static",
        ]

    def check(self):
        make("check-quick")
