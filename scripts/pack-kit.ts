/**
 * Makes the package of the kit as people install it: JavaScript and types instead of sources, since Node strips no
 * types below node_modules, and the jail inside, since it is no package of its own. Once made, `npm publish` takes it.
 *
 * Usage: node scripts/pack-kit.ts [folder for the tarball]
 */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const kit = path.join(root, 'packages/kit')

/**
 * Writes the package into a folder, which is emptied first, and packs it beside that. @returns the tarball
 *
 * @throws Error in the words of tsc or npm
 */
export function packKit(folder: string): string {
  const staged = path.join(folder, 'package')
  rmSync(staged, { recursive: true, force: true })
  compile(path.join(staged, 'dist'))
  for (const [from, to] of COPIES)
    cpSync(path.join(root, from), path.join(staged, to), { recursive: true, filter: isNoTest })
  write(staged, 'dist/runner/package.json', { type: 'module' })
  write(staged, 'package.json', manifest(linkJail(path.join(staged, 'dist'))))
  const bin = path.join(staged, 'bin/linchpin-kit.mjs')
  writeFileSync(bin, read(bin).replace('../src/cli/main.ts', '../dist/kit/src/cli/main.js'))
  const readme = path.join(staged, 'README.md')
  writeFileSync(readme, read(readme).replaceAll('../../docs/', './docs/'))
  const npm = ['pack', '--silent', '--pack-destination', folder, staged]
  return path.join(folder, run('npm', npm, folder).trim().split('\n').at(-1) ?? '')
}

const COPIES = [
  ['packages/kit/bin', 'bin'],
  // What bundles are made of.
  ['packages/kit/src', 'dist/kit/sources'],
  ['packages/kit/README.md', 'README.md'],
  ['LICENSE', 'LICENSE'],
  ['docs/bundles.md', 'docs/bundles.md'],
  ['packages/runner/generated/guest.js', 'dist/runner/generated/guest.js'],
] as const

const isNoTest = (file: string) => !file.endsWith('.test.ts')

/** Names of the jail, and where they lead. */
const JAIL = [
  ['@linchpin/runner', 'index'],
  ['@linchpin/runner/protocol', 'protocol'],
] as const

const ENTRIES = [
  'kit/src/index.ts',
  'kit/src/testing.ts',
  'kit/src/building.ts',
  'kit/src/cli/main.ts',
  // The jail's child is a program of its own.
  'runner/src/sandbox/main.ts',
  'runner/src/sandbox/webassembly.d.ts',
]

/** To JavaScript and declarations, one file each, in the folders that they lie in. */
function compile(out: string): void {
  const config = path.join(path.dirname(out), 'tsconfig.json')
  mkdirSync(out, { recursive: true })
  writeFileSync(
    config,
    JSON.stringify({
      extends: path.join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        rewriteRelativeImportExtensions: true,
        outDir: out,
        rootDir: path.join(root, 'packages'),
        // Found by its name it would count as somebody else's, and not be compiled.
        paths: Object.fromEntries(
          JAIL.map(([name, file]) => [
            name,
            [path.join(root, 'packages/runner/src', `${file}.ts`)],
          ]),
        ),
        typeRoots: [path.join(root, 'node_modules/@types')],
      },
      include: [],
      files: ENTRIES.map((entry) => path.join(root, 'packages', entry)),
    }),
  )
  run(path.join(root, 'node_modules/.bin/tsc'), ['-p', config], root)
  rmSync(config)
}

/** Leads to the jail by its place in the package. @returns the packages that are imported by name */
function linkJail(dist: string): string[] {
  const names = new Set<string>(ALSO)
  for (const file of globSync('**/*.{js,d.ts}', {
    cwd: dist,
    exclude: ['**/generated', '**/sources'],
  })) {
    const at = path.join(dist, file)
    const runner = path.relative(path.dirname(at), path.join(dist, 'runner/src'))
    const text = JAIL.reduce(
      (said, [name, door]) => said.replaceAll(`'${name}'`, `'${runner}/${door}.js'`),
      read(at),
    )
    // Declarations keep the names of sources, which compilers of people may refuse.
    const named = file.endsWith('.d.ts')
      ? text.replace(/(['"])(\.[^'"]*)\.ts\1/g, '$1$2.js$1')
      : text
    writeFileSync(at, named)
    for (const [, name = ''] of text.matchAll(
      /^(?:im|ex)port\b[^'"]*from '((?:@[\w-]+\/)?\w[\w.:-]*)/gm,
    ))
      names.add(name)
  }
  return [...names].filter((name) => !/^node:|^@linchpin\//.test(name))
}

// Found by name while it runs: the jail's child may read nothing that is not named to it.
const ALSO = ['@jitl/quickjs-ffi-types', '@jitl/quickjs-ng-wasmfile-release-sync']

/** What installs it: the versions that are locked here. */
function manifest(names: readonly string[]): object {
  const { name, version, description, license, type, sideEffects, bin } = JSON.parse(
    read(path.join(kit, 'package.json')),
  )
  const { packages } = JSON.parse(read(path.join(root, 'package-lock.json'))) as {
    packages: Readonly<Record<string, { version?: string } | undefined>>
  }
  const dependencies = names.toSorted().map((each) => {
    const locked = packages[`node_modules/${each}`]?.version
    if (locked === undefined) throw new Error(`${each} is not in package-lock.json.`)
    return [each, locked] as const
  })
  const door = (file: string) => ({
    types: `./dist/kit/src/${file}.d.ts`,
    default: `./dist/kit/src/${file}.js`,
  })
  const exports = { '.': door('index'), './build': door('building'), './testing': door('testing') }
  const facts = { name, version, description, license, type, sideEffects, bin }
  const engines = { node: '>=24.15' }
  return { ...facts, engines, exports, dependencies: Object.fromEntries(dependencies) }
}

function write(folder: string, file: string, value: object): void {
  writeFileSync(path.join(folder, file), `${JSON.stringify(value, null, 2)}\n`)
}

function read(file: string): string {
  return readFileSync(file, 'utf8')
}

function run(program: string, args: readonly string[], cwd: string): string {
  const done = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (done.status === 0) return done.stdout
  throw new Error(`${program} ${args[0]}: ${done.stdout}${done.stderr}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = path.resolve(process.argv[2] ?? path.join(kit, 'dist'))
  console.log(packKit(folder))
}
