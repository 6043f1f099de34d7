import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWhenChanged, filesBelow, replaceFile } from '../../scripts/build-when-changed.mjs'

const own = fileURLToPath(import.meta.url)
const here = path.dirname(own)
const root = path.join(here, '../..')
const output = path.join(here, 'generated')
const programs = ['main', 'cli']
const folders = ['server/src', 'server/migrations', 'runner/src', 'catalogue/src', 'kit/src'].map(
  (folder) => path.join(here, '..', folder),
)

/**
 * Bundles the service and its command line with all packages into `generated/main.mjs` and `generated/cli.mjs`, if their
 * inputs have changed: loading one file takes half of the CPU time that a thousand take. Runs on Node 20 and later.
 * @returns {Promise<boolean>} whether it built
 */
export async function buildService() {
  const sources = await filesBelow(folders, (name) => /(?<!\.test)\.(?:ts|mjs)$/.test(name))
  return buildWhenChanged({
    root: here,
    inputs: [...sources, own, path.join(root, 'package-lock.json')],
    outputs: programs.map((name) => path.join(output, `${name}.mjs`)),
    stamp: path.join(output, 'service.hash'),
    build,
  })
}

async function build() {
  const esbuild = await import('esbuild')
  for (const name of programs) {
    const result = await esbuild.build({
      entryPoints: [path.join(here, `src/${name}.ts`)],
      bundle: true,
      write: false,
      platform: 'node',
      format: 'esm',
      target: 'node24',
      legalComments: 'none',
      charset: 'utf8',
      logLevel: 'warning',
      banner: { js: PRELUDE },
      plugins: [{ name: 'node', setup: useOriginalPaths }],
    })
    await replaceFile(path.join(output, `${name}.mjs`), result.outputFiles[0].contents)
  }
}

/** What CommonJS modules in the bundle expect, and the URL that the paths of modules are relative to. */
const PRELUDE = `import { createRequire as __createRequire } from 'node:module'
import { fileURLToPath as __toPath } from 'node:url'
const __bundleUrl = import.meta.url
const require = __createRequire(__bundleUrl)`

/** Modules find files beside them, and importing node:http does not load Node's copy of undici. */
function useOriginalPaths(build) {
  build.onLoad({ filter: /\.(?:ts|[cm]?js)$/ }, async ({ path: file }) => {
    const text = await readFile(file, 'utf8')
    const relative = path.relative(output, file).replaceAll('\\', '/')
    const url = `new URL(${JSON.stringify(relative)}, __bundleUrl).href`
    const isOwn = !file.includes(`${path.sep}node_modules${path.sep}`)
    const usesPaths = !isOwn && /\b__(?:dirname|filename)\b/.test(text)
    const paths = usesPaths
      ? `var __filename = __toPath(${url}), __dirname = __toPath(new URL('.', ${url}));`
      : ''
    return {
      contents: paths + (isOwn ? text.replaceAll('import.meta.url', `(${url})`) : text),
      loader: file.endsWith('.ts') ? 'ts' : 'js',
    }
  })
  // The namespace of an ES module reads every export of a builtin, and some of those load much on first use.
  build.onResolve({ filter: /^node:https?$/ }, ({ path: name, kind }) =>
    kind === 'import-statement' ? { path: name, namespace: 'builtin' } : undefined,
  )
  build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path: name }) => ({
    contents: `module.exports = process.getBuiltinModule(${JSON.stringify(name)})`,
  }))
}

if (process.argv[1] && path.resolve(process.argv[1]) === own) await buildService()
