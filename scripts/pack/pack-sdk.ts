/**
 * Builds the npm package of the SDK: the JavaScript and types of `packages/sdk`. Publish the tarball with `npm publish`.
 *
 * Usage: node scripts/pack/pack-sdk.ts [folder for the tarball]
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { compileInto, packFolder, ROOT, writeJson } from './pack-package.ts'

const sdk = path.join(ROOT, 'packages/sdk')

/**
 * Writes the package to a folder, which is emptied first, and packs it next to the folder. @returns the tarball
 *
 * @throws Error with the output of tsc or npm
 */
export function packSdk(folder: string): string {
  const stagingDir = path.join(folder, 'package')
  rmSync(stagingDir, { recursive: true, force: true })
  compileInto(path.join(stagingDir, 'dist'), {
    base: 'tsconfig.browser.json',
    rootDir: path.join(sdk, 'src'),
    entries: ['index.ts', 'webhooks.ts'],
    options: { target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'] },
  })
  cpSync(path.join(ROOT, 'LICENSE'), path.join(stagingDir, 'LICENSE'))
  for (const name of ['connect-page', 'errors', 'interface', 'retries', 'webhooks'])
    cpSync(path.join(ROOT, `docs/${name}.md`), path.join(stagingDir, `docs/${name}.md`))
  writeFileSync(path.join(stagingDir, 'README.md'), readme())
  writeJson(path.join(stagingDir, 'package.json'), manifest())
  return packFolder(stagingDir, folder)
}

/** Without the part that only a clone needs. */
function readme(): string {
  const [text = ''] = readFileSync(path.join(sdk, 'README.md'), 'utf8').split('\n## In a clone')
  return text.replaceAll('../../docs/', './docs/')
}

function manifest(): object {
  const {
    exports: _sources,
    devDependencies: _tests,
    ...manifestFields
  } = JSON.parse(readFileSync(path.join(sdk, 'package.json'), 'utf8'))
  const exportEntry = (file: string) => ({
    types: `./dist/${file}.d.ts`,
    default: `./dist/${file}.js`,
  })
  const exports = { '.': exportEntry('index'), './webhooks': exportEntry('webhooks') }
  return { ...manifestFields, engines: { node: '>=20' }, exports }
}

if (process.argv[1] === import.meta.filename)
  console.log(packSdk(path.resolve(process.argv[2] ?? path.join(sdk, 'dist'))))
