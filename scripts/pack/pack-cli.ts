/**
 * Builds the npm package of the command line: one file, which runs on Node 20 or later. Publish the tarball with `npm publish`.
 *
 * Usage: node scripts/pack/pack-cli.ts [folder for the tarball]
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buildSync } from 'esbuild'
import { packStaged, ROOT, writeJson } from './pack-package.ts'

const cli = path.join(ROOT, 'packages/cli')

/** Packs the package to a tarball in a folder. @returns the tarball; @throws Error with the output of esbuild or npm */
export function packCli(folder: string): string {
  return packStaged(stageCli, folder)
}

/** Writes what is published to a folder. @throws Error with the output of esbuild */
export function stageCli(stagingDir: string): void {
  buildSync({
    entryPoints: [path.join(cli, 'src/main.ts')],
    outfile: path.join(stagingDir, 'dist/linchpin.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js: '#!/usr/bin/env node' },
    logLevel: 'silent',
  })
  cpSync(path.join(ROOT, 'LICENSE'), path.join(stagingDir, 'LICENSE'))
  writeFileSync(path.join(stagingDir, 'README.md'), readme())
  writeJson(path.join(stagingDir, 'package.json'), manifest())
}

/** Without links to files of the clone. */
function readme(): string {
  const text = readFileSync(path.join(cli, 'README.md'), 'utf8')
  return text.replaceAll(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1')
}

function manifest(): object {
  const { name, version, description, license, type } = JSON.parse(
    readFileSync(path.join(cli, 'package.json'), 'utf8'),
  )
  return {
    ...{ name, version, description, license, type },
    engines: { node: '>=20.11' },
    files: ['dist'],
    bin: { linchpin: './dist/linchpin.mjs' },
  }
}

if (process.argv[1] === import.meta.filename)
  console.log(packCli(path.resolve(process.argv[2] ?? path.join(cli, 'dist'))))
