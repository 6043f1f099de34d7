// Bundles of programs that run under Node. Plain JavaScript: it runs on Node 20 and later.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { replaceFile } from './build-when-changed.mjs'

/**
 * Bundles a program with all packages into one ES module. Modules in it find the files beside their sources.
 *
 * @param {string} entry
 * @param {string} output
 * @param {Record<string, string>} [parts] sources that are imported dynamically, and the bundle of each, relative to the output
 */
export async function bundleProgram(entry, output, parts = {}) {
  const esbuild = await import('esbuild')
  const result = await esbuild.build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'warning',
    banner: { js: PRELUDE },
    plugins: [
      { name: 'parts', setup: (build) => leaveOut(build, parts) },
      { name: 'node', setup: (build) => useOriginalPaths(build, path.dirname(output)) },
    ],
  })
  await replaceFile(output, toAscii(result.outputFiles[0].text))
}

/** The same program. With one other character, V8 keeps two bytes for each: 10 MB more for the service. */
function toAscii(source) {
  if (/\\[^\0-\x7f]/.test(source))
    throw new Error('A backslash is before a character that is not ASCII.')
  return source.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** What CommonJS modules in the bundle expect, and the URL that the paths of modules are relative to. */
const PRELUDE = `import { createRequire as __createRequire } from 'node:module'
import { fileURLToPath as __toPath } from 'node:url'
const __bundleUrl = import.meta.url
const require = __createRequire(__bundleUrl)`

/** Dynamic imports of parts load the bundle of the part. */
function leaveOut(build, parts) {
  build.onResolve({ filter: /^\.{1,2}\// }, ({ path: name, kind, resolveDir }) => {
    const part = kind === 'dynamic-import' ? parts[path.join(resolveDir, name)] : undefined
    return part === undefined ? undefined : { path: part, external: true }
  })
}

/** Modules find files beside them, and importing node:http does not load Node's copy of undici. */
function useOriginalPaths(build, outputFolder) {
  build.onLoad({ filter: /\.(?:ts|[cm]?js)$/ }, async ({ path: file }) => {
    const text = await readFile(file, 'utf8')
    const relative = path.relative(outputFolder, file).replaceAll('\\', '/')
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
