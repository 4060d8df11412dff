# SPDX-License-Identifier: MIT
# cmake/Dependencies.cmake - what the library links, found through pkg-config
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# The same list goes into libbtrfsdio.pc, for those who link statically.
set(BDIO_REQUIRES liburing libisal libxxhash libgcrypt libzstd libdeflate zlib blkid uuid)
pkg_check_modules(BDIO_DEPS REQUIRED IMPORTED_TARGET ${BDIO_REQUIRES})

# <bsd/sys/tree.h> is a header alone: nothing of libbsd is linked.
find_path(BDIO_LIBBSD_INCLUDE bsd/sys/tree.h REQUIRED)
mark_as_advanced(BDIO_LIBBSD_INCLUDE)
