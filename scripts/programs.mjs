import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'

/** Programs that the tests need besides Node: how to detect each, its Debian package, and alternatives. */
const PROGRAMS = [
  {
    name: 'PostgreSQL',
    package: 'postgresql',
    isInstalled: hasPostgres,
    skipped: 'the tests on PostgreSQL',
  },
  {
    name: 'pgbouncer',
    package: 'pgbouncer',
    isInstalled: () => existsSync('/usr/sbin/pgbouncer'),
    skipped: 'the tests behind a pooler',
  },
  {
    name: 'Chromium',
    // A page in the headless shell takes half of the CPU time of a page in the full browser.
    package: 'chromium-headless-shell',
    isInstalled: () => existsSync('/usr/bin/chromium-headless-shell'),
    hasSubstitute: () => existsSync('/usr/bin/chromium'),
    skipped: 'the tests in a real browser',
  },
  {
    name: 'Firefox ESR',
    package: 'firefox-esr',
    isInstalled: () => existsSync(process.env.LINCHPIN_FIREFOX ?? '/usr/bin/firefox-esr'),
    skipped: 'the life of a connection in Firefox',
  },
  {
    name: 'promtool',
    package: 'prometheus',
    isInstalled: () => isOnPath('promtool'),
    skipped: 'the tests of alerts',
  },
  {
    name: 'bubblewrap',
    package: 'bubblewrap',
    isInstalled: () => isOnPath('bwrap'),
    skipped: 'the tests of process isolation',
  },
]

/**
 * Installs missing programs from Debian packages if possible (root and apt-get), and reports the tests that are skipped
 * otherwise. With CI set, a missing program ends the run with an error.
 */
export function ensurePrograms() {
  const missing = PROGRAMS.filter((program) => !program.isInstalled())
  if (missing.length > 0 && process.getuid?.() === 0 && isOnPath('apt-get')) aptInstall(missing)
  const stillMissing = missing.filter(
    (program) => !program.isInstalled() && !program.hasSubstitute?.(),
  )
  for (const { name, skipped } of stillMissing)
    console.error(`${name} was not found and could not be installed here: skipping ${skipped}.`)
  if (stillMissing.length > 0 && process.env.CI) {
    console.error('With CI set, no tests may be skipped.')
    process.exit(1)
  }
}

const APT_OPTIONS = ['-qq', '-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=20']

function aptInstall(programs) {
  const names = programs.map((program) => program.package)
  console.error(`Installing ${names.join(', ')} from Debian's packages for the tests …`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args) =>
    spawnSync('apt-get', [...APT_OPTIONS, ...args], { env, stdio: ['ignore', 'ignore', 2] })
  apt('update')
  apt('install', '-y', '--no-install-recommends', ...names)
}

function hasPostgres() {
  const base = '/usr/lib/postgresql'
  return (
    existsSync(base) &&
    readdirSync(base).some((version) => existsSync(`${base}/${version}/bin/initdb`))
  )
}

function isOnPath(program) {
  return spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0
}
