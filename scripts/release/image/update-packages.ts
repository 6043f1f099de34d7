/**
 * Pins the current versions of the image's Debian packages in `debian-packages.json`. Run it for Debian's security updates, on a
 * Debian with apt: `node scripts/release/image/update-packages.ts`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { RELEASE_TARGETS } from '../release-target.ts'
import { run } from '../run.ts'
import { DEBIAN_FILES, type DebianPackage } from './debian-package.ts'

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
const SOURCES = [
  `deb [signed-by=${KEYRING}] http://deb.debian.org/debian bookworm main`,
  `deb [signed-by=${KEYRING}] http://deb.debian.org/debian-security bookworm-security main`,
]

/** The newest version of each package for a processor, from an apt of its own, which does not touch that of the machine. */
function findPackages(folder: string, architecture: string): readonly DebianPackage[] {
  for (const name of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(path.join(folder, name), { recursive: true })
  writeFileSync(path.join(folder, 'state/status'), '')
  writeFileSync(path.join(folder, 'sources.list'), `${SOURCES.join('\n')}\n`)
  const config = path.join(folder, 'apt.conf')
  const settings = {
    'Dir::State': `${folder}/state`,
    'Dir::State::status': `${folder}/state/status`,
    'Dir::Cache': `${folder}/cache`,
    'Dir::Etc::sourcelist': `${folder}/sources.list`,
    'Dir::Etc::sourceparts': '-',
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`)
  writeFileSync(config, lines.join(''))
  const options = { cwd: folder, env: { APT_CONFIG: config } }
  run('apt-get', ['-qq', 'update'], options)
  const names = Object.keys(DEBIAN_FILES)
  const listed = run('apt-get', ['download', '--print-uris', ...names], options)
  return names.map((name) => findPackage(name, listed))
}

/** A line is: 'URL' name_version_architecture.deb size SHA256:…; the version is percent-encoded. */
function findPackage(name: string, listed: string): DebianPackage {
  const lines = listed
    .split('\n')
    .map((line) => /^'(.+)' (.+?)_(.+)_\w+\.deb \d+ SHA256:(\w+)$/.exec(line))
  const [, url = '', , version = '', sha256 = ''] = lines.find((match) => match?.[2] === name) ?? []
  if (url === '') throw new Error(`Debian has no package ${name}`)
  return { name, version: decodeURIComponent(version), url, sha256 }
}

const folder = mkdtempSync(path.join(tmpdir(), 'linchpin-apt-'))
try {
  const entries = RELEASE_TARGETS.map(({ architecture }) => [
    architecture,
    findPackages(path.join(folder, architecture), architecture),
  ])
  const file = path.join(import.meta.dirname, 'debian-packages.json')
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`)
} finally {
  rmSync(folder, { recursive: true })
}
