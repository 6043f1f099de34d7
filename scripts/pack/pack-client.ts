/**
 * Makes the package that products install to open the connect page: JavaScript and types of `packages/client`, for
 * bundlers and compilers that take no sources of others. Once made, `npm publish` takes it.
 *
 * Usage: node scripts/pack/pack-client.ts [folder for the tarball]
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { compileInto, packFolder, ROOT, writeJson } from './pack-package.ts'

const client = path.join(ROOT, 'packages/client')

/**
 * Writes the package into a folder, which is emptied first, and packs it beside that. @returns the tarball
 *
 * @throws Error in the words of tsc or npm
 */
export function packClient(folder: string): string {
  const staged = path.join(folder, 'package')
  rmSync(staged, { recursive: true, force: true })
  compileInto(path.join(staged, 'dist'), {
    base: 'tsconfig.browser.json',
    rootDir: path.join(client, 'src'),
    entries: ['index.ts', 'react/use-link.ts'],
    options: { typeRoots: [path.join(ROOT, 'node_modules/@types')] },
  })
  cpSync(path.join(ROOT, 'LICENSE'), path.join(staged, 'LICENSE'))
  cpSync(path.join(ROOT, 'docs/connect-page.md'), path.join(staged, 'docs/connect-page.md'))
  writeFileSync(path.join(staged, 'README.md'), readme())
  writeJson(path.join(staged, 'package.json'), manifest())
  return packFolder(staged, folder)
}

/** Without what only a clone has. */
function readme(): string {
  const [text = ''] = readFileSync(path.join(client, 'README.md'), 'utf8').split('\n## In a clone')
  return text.replaceAll('../../docs/', './docs/')
}

function manifest(): object {
  const { exports: _sources, ...facts } = JSON.parse(
    readFileSync(path.join(client, 'package.json'), 'utf8'),
  )
  const door = (file: string) => ({ types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` })
  const exports = { '.': door('index'), './react': door('react/use-link') }
  return { ...facts, sideEffects: false, exports }
}

if (process.argv[1] === import.meta.filename)
  console.log(packClient(path.resolve(process.argv[2] ?? path.join(client, 'dist'))))
