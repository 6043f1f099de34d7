import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rollup } from 'rollup'
import { createRollupPlugins } from './rollup-plugins.ts'

/** One compiled integration. */
export interface ExampleBundle {
  /** Absolute path of the one CommonJS file. */
  readonly path: string
  readonly code: string
}

/** The compiled example integrations. */
export interface ExampleBundles {
  readonly desk: ExampleBundle
  readonly books: ExampleBundle
}

const EXAMPLES_DIR = dirname(fileURLToPath(import.meta.url))

/** The example integrations as bundles, rebuilt when their inputs have changed. */
export async function buildExampleBundles(): Promise<ExampleBundles> {
  // The two common export shapes of bundles: `exports.default = main` and `module.exports = main`.
  const [desk, books] = await Promise.all([
    buildIfChanged('acme-desk', 'named'),
    buildIfChanged('acme-books', 'default'),
  ])
  return { desk, books }
}

/** Builds the bundles whose inputs have changed and resolves to their paths. */
export async function buildExamples(): Promise<string[]> {
  const { desk, books } = await buildExampleBundles()
  return [desk.path, books.path]
}

/** Compiles one integration as authors do: into one file with all dependencies except Node's built-in modules. */
export async function compileExample(name: string, exports: 'named' | 'default'): Promise<string> {
  const bundle = await rollup({
    input: join(EXAMPLES_DIR, name, 'index.ts'),
    plugins: createRollupPlugins(),
    onwarn: (warning) => {
      // Dependencies cause these two warnings; they are harmless.
      if (warning.code !== 'CIRCULAR_DEPENDENCY' && warning.code !== 'THIS_IS_UNDEFINED') {
        throw new Error(`Building ${name}: ${warning.message}`)
      }
    },
  })
  const { output } = await bundle.generate({ format: 'cjs', exports, inlineDynamicImports: true })
  await bundle.close()
  return output[0].code
}

async function buildIfChanged(name: string, exports: 'named' | 'default'): Promise<ExampleBundle> {
  const folder = join(EXAMPLES_DIR, 'dist', name)
  const path = join(folder, 'index.js')
  const inputs = await hashInputs(name)
  const built = await readIfExists(path)
  const builtFrom = await readIfExists(join(folder, 'inputs.sha256'))
  if (built && builtFrom === inputs) return { path, code: built }
  const code = await compileExample(name, exports)
  await mkdir(folder, { recursive: true })
  await replaceFile(path, code)
  await replaceFile(join(folder, 'package.json'), '{ "type": "commonjs" }\n')
  await replaceFile(join(folder, 'inputs.sha256'), inputs)
  return { path, code }
}

/** Hashes the sources, the build scripts and, through the lockfile, every dependency. */
async function hashInputs(name: string): Promise<string> {
  const sources = (await readdir(join(EXAMPLES_DIR, name)))
    .filter((file) => file.endsWith('.ts'))
    .sort()
  const builder = ['build.ts', 'rollup-plugins.ts'].map((file) => join(EXAMPLES_DIR, file))
  const files = [...sources.map((file) => join(EXAMPLES_DIR, name, file)), ...builder]
  const hash = createHash('sha256')
  for (const file of [...files, join(EXAMPLES_DIR, '..', 'package-lock.json')]) {
    hash.update(`${file.slice(EXAMPLES_DIR.length)}\0`).update(await readFile(file))
  }
  return hash.digest('hex')
}

async function readIfExists(path: string): Promise<string | undefined> {
  return existsSync(path) ? readFile(path, 'utf8') : undefined
}

/** Replaces a file atomically, because tests in other processes read it. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporaryFile = `${path}.${process.pid}`
  await writeFile(temporaryFile, text)
  await rename(temporaryFile, path)
}
