import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { build, MAX_SIZE } from '../build/build.ts'
import { loadIntegration } from '../build/load-integration.ts'
import type { CliCommand } from './cli-command.ts'
import { Misuse } from './misuse.ts'

/** `build`: one CommonJS file, its digest and its size. */
export const buildCommand: CliCommand = {
  usage: 'build <file.ts> [--out <index.js>]',
  says: 'one file to serve, with its SHA-256 and size',
  flags: { out: 'the file to write; else dist/index.js beside the integration' },
  async run(args, { out }) {
    const options = { out: { type: 'string' } } as const
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [file, ...more] = positionals
    if (file === undefined || more.length > 0) throw new Misuse('Name the file of one integration.')
    const { code, sha256, size } = await build(file)
    loadIntegration(code)
    const path = values.out ?? join(dirname(file), 'dist', 'index.js')
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, code)
    out(path)
    out(`sha256 ${sha256}`)
    out(
      `${size} bytes${size > MAX_SIZE ? ': more than the 15 kB that an integration without code needs' : ''}`,
    )
    return 0
  },
}
