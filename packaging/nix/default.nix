# SPDX-License-Identifier: MIT
# nix-build packaging/nix: builds the tree that this file is in, a clone or an unpacked tarball.
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "libwsfj";
  version = "0.1.0";
  src = pkgs.lib.cleanSource ../..;

  nativeBuildInputs = [ pkgs.autoreconfHook pkgs.pkg-config ];
  buildInputs = [ pkgs.jansson ];
  propagatedBuildInputs = [ pkgs.hwloc ]; # libwsfj.pc names it, for the archive
  nativeCheckInputs = [ pkgs.check ];
  enableParallelBuilding = true;
  doCheck = true;
  checkTarget = "check-quick";

  meta = {
    description = "Work-stealing fork/join runtime for C";
    license = pkgs.lib.licenses.mit;
    platforms = [ "x86_64-linux" "aarch64-linux" "riscv64-linux" "powerpc64le-linux" ];
    mainProgram = "wsfj-info";
  };
}
