/**
 * Builds the npm package that applications install to open the connect page: the JavaScript and types of
 * `packages/client`. Publish the tarball with `npm publish`.
 *
 * Usage: node scripts/pack/pack-client.ts [folder for the tarball]
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { LIBRARIES, writeLibrary } from './library.ts'
import { packStaged, ROOT, writeJson } from './pack-package.ts'

const client = path.join(ROOT, 'packages/client')

/** Packs the package to a tarball in a folder. @returns the tarball; @throws Error with the output of npm */
export function packClient(folder: string): string {
  return packStaged(stageClient, folder)
}

/** Writes what is published to a folder. */
export function stageClient(stagingDir: string): void {
  writeLibrary(LIBRARIES.client, path.join(stagingDir, 'dist'))
  cpSync(path.join(ROOT, 'LICENSE'), path.join(stagingDir, 'LICENSE'))
  cpSync(path.join(ROOT, 'docs/connect-page.md'), path.join(stagingDir, 'docs/connect-page.md'))
  writeFileSync(path.join(stagingDir, 'README.md'), readme())
  writeJson(path.join(stagingDir, 'package.json'), manifest())
}

/** Without the fields that only a clone needs. */
function readme(): string {
  const [text = ''] = readFileSync(path.join(client, 'README.md'), 'utf8').split('\n## In a clone')
  return text.replaceAll('../../docs/', './docs/')
}

function manifest(): object {
  const {
    exports: _sources,
    private: _private,
    ...manifestFields
  } = JSON.parse(readFileSync(path.join(client, 'package.json'), 'utf8'))
  const exportEntry = (file: string) => ({
    types: `./dist/${file}.d.ts`,
    default: `./dist/${file}.js`,
  })
  const exports = { '.': exportEntry('index'), './react': exportEntry('use-link') }
  return { ...manifestFields, sideEffects: false, files: ['dist', 'docs'], exports }
}

if (process.argv[1] === import.meta.filename)
  console.log(packClient(path.resolve(process.argv[2] ?? path.join(client, 'dist'))))
