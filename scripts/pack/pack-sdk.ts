/**
 * Builds the npm package of the SDK: the JavaScript and types of `packages/sdk`. Publish the tarball with `npm publish`.
 *
 * Usage: node scripts/pack/pack-sdk.ts [folder for the tarball]
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { LIBRARIES, writeLibrary } from './library.ts'
import { packStaged, ROOT, writeJson } from './pack-package.ts'

const sdk = path.join(ROOT, 'packages/sdk')

/** Packs the package to a tarball in a folder. @returns the tarball; @throws Error with the output of npm */
export function packSdk(folder: string): string {
  return packStaged(stageSdk, folder)
}

/** Writes what is published to a folder. */
export function stageSdk(stagingDir: string): void {
  writeLibrary(LIBRARIES.sdk, path.join(stagingDir, 'dist'))
  cpSync(path.join(ROOT, 'LICENSE'), path.join(stagingDir, 'LICENSE'))
  for (const name of ['connect-page', 'errors', 'interface', 'webhooks'])
    cpSync(path.join(ROOT, `docs/${name}.md`), path.join(stagingDir, `docs/${name}.md`))
  writeFileSync(path.join(stagingDir, 'README.md'), readme())
  writeJson(path.join(stagingDir, 'package.json'), manifest())
}

/** Without the part that only a clone needs. */
function readme(): string {
  const [text = ''] = readFileSync(path.join(sdk, 'README.md'), 'utf8').split('\n## In a clone')
  return text.replaceAll('../../docs/', './docs/')
}

function manifest(): object {
  const { name, version, description, license, type, sideEffects } = JSON.parse(
    readFileSync(path.join(sdk, 'package.json'), 'utf8'),
  )
  const exportEntry = (file: string) => ({
    types: `./dist/${file}.d.ts`,
    default: `./dist/${file}.js`,
  })
  return {
    name,
    version,
    description,
    license,
    type,
    sideEffects,
    engines: { node: '>=20' },
    files: ['dist', 'docs'],
    exports: { '.': exportEntry('index'), './webhooks': exportEntry('webhooks') },
  }
}

if (process.argv[1] === import.meta.filename)
  console.log(packSdk(path.resolve(process.argv[2] ?? path.join(sdk, 'dist'))))
