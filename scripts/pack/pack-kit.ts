/**
 * Builds the npm package of the kit: JavaScript and types instead of sources, because Node strips no types below
 * node_modules, and with the runner inside, because that is not published. Publish the tarball with `npm publish`.
 *
 * Usage: node scripts/pack/pack-kit.ts [folder for the tarball]
 */
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { compileInto, packStaged, ROOT, writeJson } from './pack-package.ts'

const kit = path.join(ROOT, 'packages/kit')

/** Packs the package to a tarball in a folder. @returns the tarball; @throws Error with the output of tsc or npm */
export function packKit(folder: string): string {
  return packStaged(stageKit, folder)
}

/** Writes what is published to a folder. @throws Error with the output of tsc */
export function stageKit(stagingDir: string): void {
  compileInto(path.join(stagingDir, 'dist'), SOURCES)
  for (const [from, to] of COPIES)
    cpSync(path.join(ROOT, from), path.join(stagingDir, to), { recursive: true, filter: isNotTest })
  writeJson(path.join(stagingDir, 'dist/runner/package.json'), { type: 'module' })
  writeJson(
    path.join(stagingDir, 'package.json'),
    manifest(linkRunner(path.join(stagingDir, 'dist'))),
  )
  const bin = path.join(stagingDir, 'bin/linchpin-kit.mjs')
  writeFileSync(bin, read(bin).replace('../src/cli/main.ts', '../dist/kit/src/cli/main.js'))
  const readme = path.join(stagingDir, 'README.md')
  writeFileSync(readme, read(readme).replaceAll('../../docs/', './docs/'))
}

const COPIES = [
  ['packages/kit/bin', 'bin'],
  // The sources of bundles.
  ['packages/kit/src', 'dist/kit/sources'],
  ['packages/kit/README.md', 'README.md'],
  ['LICENSE', 'LICENSE'],
  ['docs/bundles.md', 'docs/bundles.md'],
  ['packages/runner/generated/guest.js', 'dist/runner/generated/guest.js'],
  ['packages/runner/generated/quickjs.wasm', 'dist/runner/generated/quickjs.wasm'],
  ['packages/runner/generated/sandbox.mjs', 'dist/runner/generated/sandbox.mjs'],
] as const

const isNotTest = (file: string) => !file.endsWith('.test.ts')

/** Import names of the runner, and their files. */
const RUNNER_MODULES = [
  ['@linchpin/runner', 'index'],
  ['@linchpin/runner/protocol', 'protocol'],
] as const

const SOURCES = {
  base: 'tsconfig.json',
  rootDir: path.join(ROOT, 'packages'),
  entries: ['kit/src/index.ts', 'kit/src/testing.ts', 'kit/src/building.ts', 'kit/src/cli/main.ts'],
  options: {
    // Resolved by name, the runner would be an external package and not be compiled.
    paths: Object.fromEntries(
      RUNNER_MODULES.map(([name, file]) => [
        name,
        [path.join(ROOT, 'packages/runner/src', `${file}.ts`)],
      ]),
    ),
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
  },
}

/** Rewrites imports of the runner to its path in the package. @returns the packages that are imported by name */
function linkRunner(dist: string): string[] {
  const names = new Set<string>()
  for (const file of globSync('**/*.{js,d.ts}', {
    cwd: dist,
    exclude: ['**/generated', '**/sources'],
  })) {
    const outputFile = path.join(dist, file)
    const runner = path.relative(path.dirname(outputFile), path.join(dist, 'runner/src'))
    const text = RUNNER_MODULES.reduce(
      (source, [name, exportEntry]) =>
        source.replaceAll(`'${name}'`, `'${runner}/${exportEntry}.js'`),
      read(outputFile),
    )
    writeFileSync(outputFile, text)
    for (const [, name = ''] of text.matchAll(
      /^(?:im|ex)port\b[^'"]*from '((?:@[\w-]+\/)?\w[\w.:-]*)/gm,
    ))
      names.add(name)
  }
  return [...names].filter((name) => !/^node:|^@linchpin\//.test(name))
}

/** The dependencies, in the versions of the lockfile. */
function manifest(names: readonly string[]): object {
  const { name, version, description, license, type, sideEffects, bin } = JSON.parse(
    read(path.join(kit, 'package.json')),
  )
  const { packages } = JSON.parse(read(path.join(ROOT, 'package-lock.json'))) as {
    packages: Readonly<Record<string, { version?: string } | undefined>>
  }
  const dependencies = names.toSorted().map((each) => {
    const locked = packages[`node_modules/${each}`]?.version
    if (locked === undefined) throw new Error(`${each} is not in package-lock.json.`)
    return [each, locked] as const
  })
  const exportEntry = (file: string) => ({
    types: `./dist/kit/src/${file}.d.ts`,
    default: `./dist/kit/src/${file}.js`,
  })
  const exports = {
    '.': exportEntry('index'),
    './build': exportEntry('building'),
    './testing': exportEntry('testing'),
  }
  const manifestFields = { name, version, description, license, type, sideEffects, bin }
  const engines = { node: '>=24.15' }
  return {
    ...manifestFields,
    engines,
    files: ['bin', 'dist', 'docs'],
    exports,
    dependencies: Object.fromEntries(dependencies),
  }
}

function read(file: string): string {
  return readFileSync(file, 'utf8')
}

if (process.argv[1] === import.meta.filename) {
  const folder = path.resolve(process.argv[2] ?? path.join(kit, 'dist'))
  console.log(packKit(folder))
}
