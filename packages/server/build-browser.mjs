import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWhenChanged, filesBelow, replaceFile } from '../../scripts/build-when-changed.mjs'

const own = fileURLToPath(import.meta.url)
const here = path.dirname(own)
const folders = [
  path.join(here, 'src/connect/connect-page/client'),
  // The server and the page parse numbers and search with the same code.
  path.join(here, 'src/connect/connect-page/form'),
  path.join(here, 'src/connect/connect-page/search'),
  path.join(here, 'src/app/observability/documentation/client'),
  path.join(here, 'src/console/browser'),
  path.join(here, '../client/src'),
]

/** The connect page's own scripts, one per mode of the page, that of the documentation, and the one that hosts put into theirs. */
const scripts = [
  ...['page', 'frame', 'closed'].map((mode) => ({
    from: `src/connect/connect-page/client/${mode}.ts`,
    to: `generated/link-${mode}.js`,
    format: 'esm',
  })),
  {
    from: 'src/connect/connect-page/client/embed-diagnostics.ts',
    to: 'generated/link-why.js',
    format: 'esm',
  },
  {
    from: 'src/app/observability/documentation/client/documentation.ts',
    to: 'generated/documentation.js',
    format: 'esm',
  },
  { from: 'src/console/browser/main.ts', to: 'generated/console.js', format: 'esm' },
  { from: '../client/src/link-script.ts', to: 'generated/link.js', format: 'iife' },
]

/**
 * Bundles what runs in browsers into `generated/`, when its inputs changed. Runs on Node 20 and later. Answers whether it
 * built.
 * @returns {Promise<boolean>}
 */
export async function buildBrowser() {
  const sources = await filesBelow(folders, (name) => /(?<!\.test)\.ts$/.test(name))
  return buildWhenChanged({
    root: here,
    inputs: [...sources, own],
    outputs: scripts.map(({ to }) => path.join(here, to)),
    stamp: path.join(here, 'generated/browser.hash'),
    build,
  })
}

async function build() {
  const esbuild = await import('esbuild')
  for (const { from, to, format } of scripts) {
    const result = await esbuild.build({
      entryPoints: [path.join(here, from)],
      bundle: true,
      write: false,
      format,
      platform: 'browser',
      target: ['chrome109', 'firefox115', 'safari16.4'],
      minify: true,
      legalComments: 'none',
      charset: 'utf8',
      logLevel: 'warning',
    })
    await replaceFile(path.join(here, to), result.outputFiles[0].contents)
  }
}

if (process.argv[1] && path.resolve(process.argv[1]) === own) await buildBrowser()
