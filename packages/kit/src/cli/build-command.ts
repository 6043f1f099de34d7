import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { build, MAX_BUNDLE_BYTES } from '../build/build.ts'
import { loadIntegration } from '../build/load-integration.ts'
import type { CliCommand } from './cli-command.ts'
import { UsageError } from './usage-error.ts'

/** `build`: one CommonJS file, with its digest and size. */
export const buildCommand: CliCommand = {
  usage: 'build <file.ts> [--out <index.js>]',
  description: 'builds one file to serve, and prints its SHA-256 and size',
  flags: { out: 'output file; default: dist/index.js next to the integration' },
  async run(args, { print }) {
    const options = { out: { type: 'string' } } as const
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [file, ...extra] = positionals
    if (file === undefined || extra.length > 0)
      throw new UsageError('Pass the file of one integration.')
    const { code, sha256, size } = await build(file)
    loadIntegration(code)
    const path = values.out ?? join(dirname(file), 'dist', 'index.js')
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, code)
    print(path)
    print(`sha256 ${sha256}`)
    print(
      `${size} bytes${size > MAX_BUNDLE_BYTES ? ': more than the 16 kB that an integration without code needs' : ''}`,
    )
    return 0
  },
}
