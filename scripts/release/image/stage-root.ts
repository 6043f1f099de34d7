import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { run } from '../run.ts'
import { DEBIAN_FILES, type DebianPackage } from './debian-package.ts'

/** What the root file system of the image is made from. */
export interface RootInput {
  /** The folder of the release. */
  readonly release: string
  readonly packages: readonly DebianPackage[]
  /** Debian packages are downloaded to this folder, once. */
  readonly cacheFolder: string
}

/** The user of the service in the image. */
export const IMAGE_USER = 65_532

/** Writes the root file system of the image into an empty folder: no shell, no package manager, nothing that is writable. */
export function stageRoot(root: string, { release, packages, cacheFolder }: RootInput): void {
  for (const each of packages) copyDebianFiles(root, each, cacheFolder)
  const home = path.join(root, 'opt/linchpin')
  cpSync(release, home, { recursive: true })
  // They need a shell.
  for (const name of ['linchpin', 'linchpin-server']) rmSync(path.join(home, 'bin', name))
  for (const name of ['proc', 'sys', 'dev', 'run']) mkdirSync(path.join(root, name))
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
  }
  chmodSync(path.join(root, LINCHPIN), 0o755)
}

const LINCHPIN = 'usr/bin/linchpin'

const FILES = {
  [LINCHPIN]: `#!/opt/linchpin/bin/node\nimport('/opt/linchpin/packages/cli/bin/linchpin.mjs')\n`,
  'etc/passwd': `root:x:0:0::/:/nonexistent\nlinchpin:x:${IMAGE_USER}:${IMAGE_USER}::/data:/nonexistent\n`,
  'etc/group': `root:x:0:\nlinchpin:x:${IMAGE_USER}:\n`,
  'etc/nsswitch.conf': 'hosts: files dns\n',
  // Scanners of vulnerabilities look here, and in var/lib/dpkg/status.d.
  'etc/os-release':
    'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Linchpin, with libraries of Debian 12"\n',
}

function copyDebianFiles(
  root: string,
  { name, url, sha256 }: DebianPackage,
  cacheFolder: string,
): void {
  mkdirSync(cacheFolder, { recursive: true })
  const file = path.join(cacheFolder, path.basename(new URL(url).pathname))
  // It downloads nothing if the file exists with this checksum, and fails for any other.
  run('/usr/lib/apt/apt-helper', ['download-file', url, file, `SHA256:${sha256}`], { cwd: root })
  const unpacked = mkdtempSync(path.join(tmpdir(), 'linchpin-deb-'))
  try {
    run('dpkg-deb', ['-x', file, unpacked], { cwd: root })
    for (const pattern of [...(DEBIAN_FILES[name] ?? []), 'usr/share/doc/*/copyright'])
      for (const each of globSync(pattern, { cwd: unpacked }))
        cpSync(path.join(unpacked, each), path.join(root, each), { verbatimSymlinks: true })
  } finally {
    rmSync(unpacked, { recursive: true })
  }
  const status = path.join(root, 'var/lib/dpkg/status.d')
  mkdirSync(status, { recursive: true })
  writeFileSync(path.join(status, name), run('dpkg-deb', ['-f', file], { cwd: root }))
}
