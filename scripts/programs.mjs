import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'

/** What the tests use beside Node: how to recognise it and which Debian package brings it. */
const PROGRAMS = [
  {
    name: 'PostgreSQL',
    package: 'postgresql',
    present: hasPostgres,
    leftOut: 'its half of the storage tests',
  },
  {
    name: 'Chromium',
    package: 'chromium',
    present: () => existsSync('/usr/bin/chromium'),
    leftOut: 'the tests in a real browser',
  },
  {
    name: 'bubblewrap',
    package: 'bubblewrap',
    present: () => onPath('bwrap'),
    leftOut: 'the outer wall of the jail',
  },
]

/**
 * Installs missing programs from Debian's packages where that is allowed (root and apt-get), and says what is left
 * out where it is not. Under CI nothing may be left out: the run ends with an error.
 */
export function ensurePrograms() {
  const missing = PROGRAMS.filter((program) => !program.present())
  if (missing.length > 0 && process.getuid?.() === 0 && onPath('apt-get')) aptInstall(missing)
  const stillMissing = missing.filter((program) => !program.present())
  for (const { name, leftOut } of stillMissing)
    console.error(`${name} was not found and could not be installed here: ${leftOut} is left out.`)
  if (stillMissing.length > 0 && process.env.CI) {
    console.error('Under CI nothing may be left out.')
    process.exit(1)
  }
}

function aptInstall(programs) {
  const names = programs.map((program) => program.package)
  console.error(`Installing ${names.join(', ')} from Debian's packages for the tests …`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args) =>
    spawnSync('apt-get', ['-qq', ...args], { env, stdio: ['ignore', 'ignore', 2] })
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

function onPath(program) {
  return spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0
}
