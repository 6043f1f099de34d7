/**
 * Builds the npm package of the command line: one file with the SDK inside. Publish the tarball with `npm publish`.
 *
 * Usage: node scripts/pack/pack-cli.ts [folder for the tarball]
 */
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
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
  const program = path.join(stagingDir, 'bin/linchpin.mjs')
  buildSync({
    entryPoints: [path.join(cli, 'src/main.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    charset: 'utf8',
    legalComments: 'none',
    banner: { js: '#!/usr/bin/env node' },
    logLevel: 'error',
  })
  chmodSync(program, 0o755)
  // The program finds it there by its own path, as its source does.
  cpSync(
    path.join(ROOT, 'packages/emulator/generated/providers.json'),
    path.join(stagingDir, 'generated/providers.json'),
  )
  cpSync(path.join(ROOT, 'LICENSE'), path.join(stagingDir, 'LICENSE'))
  const readme = readFileSync(path.join(cli, 'README.md'), 'utf8')
  writeFileSync(
    path.join(stagingDir, 'README.md'),
    readme.replace(/\[([^\]]*)\]\(\.\.[^)]*\)/g, '$1'),
  )
  const { name, version, description, license, type, bin } = JSON.parse(
    readFileSync(path.join(cli, 'package.json'), 'utf8'),
  )
  writeJson(path.join(stagingDir, 'package.json'), {
    name,
    version,
    description,
    license,
    type,
    bin,
    engines: { node: '>=20' },
    files: ['bin', 'generated'],
  })
}

if (process.argv[1] === import.meta.filename)
  console.log(packCli(path.resolve(process.argv[2] ?? path.join(cli, 'dist'))))
