import type { ReleaseTarget } from '../release-target.ts'

/** A Debian package of the image, in `debian-packages.json`. */
export interface DebianPackage {
  readonly name: string
  readonly version: string
  readonly url: string
  readonly sha256: string
}

/** The packages of each processor. */
export type DebianPackages = Readonly<
  Record<ReleaseTarget['architecture'], readonly DebianPackage[]>
>

/**
 * The packages that the image takes files from, and these files: what Node and bubblewrap are linked against, bubblewrap,
 * and the two programs that limit runner children where there is no shell. `*-linux-gnu` is the folder of the processor.
 */
export const DEBIAN_FILES: Readonly<Record<string, readonly string[]>> = {
  libc6: [
    ...['lib64/*', 'lib/ld-linux-*', 'lib/*-linux-gnu/ld-linux-*'],
    'lib/*-linux-gnu/lib{c,m,resolv}.so.6',
    'lib/*-linux-gnu/lib{dl,resolv,nss_dns,nss_files}.so.2',
    'lib/*-linux-gnu/libpthread.so.0',
    'lib/*-linux-gnu/librt.so.1',
  ],
  'libstdc++6': ['usr/lib/*-linux-gnu/libstdc++.so.6*'],
  'libgcc-s1': ['lib/*-linux-gnu/libgcc_s.so.1'],
  bubblewrap: ['usr/bin/bwrap'],
  libcap2: ['lib/*-linux-gnu/libcap.so.2*'],
  libselinux1: ['lib/*-linux-gnu/libselinux.so.1'],
  'libpcre2-8-0': ['usr/lib/*-linux-gnu/libpcre2-8.so.0*'],
  'util-linux': ['usr/bin/prlimit'],
  libsmartcols1: ['{usr/,}lib/*-linux-gnu/libsmartcols.so.1*'],
  coreutils: ['usr/bin/nice'],
}
