/**
 * Packs what a service offers for installation, `npm install http://localhost:3000/sdk.tgz`: the SDK, the client and the command
 * line, and with --kit the kit, whose compilation takes the development packages.
 *
 * Usage: node scripts/pack/pack-served.ts [--kit] FOLDER
 */
import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { packCli } from './pack-cli.ts'
import { packClient } from './pack-client.ts'
import { packKit } from './pack-kit.ts'
import { packSdk } from './pack-sdk.ts'

/** The service has each of them in memory. */
const MAX_BYTES = 2_000_000

const { values, positionals } = parseArgs({
  options: { kit: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const output = path.resolve(positionals[0] ?? '')
const packers = {
  sdk: packSdk,
  client: packClient,
  cli: packCli,
  ...(values.kit ? { kit: packKit } : {}),
}
for (const [name, pack] of Object.entries(packers)) {
  // Beside the target, so that it replaces it at once.
  const temporary = mkdtempSync(path.join(output, `.${name}-`))
  try {
    const tarball = pack(temporary)
    const { size } = statSync(tarball)
    if (size > MAX_BYTES) throw new Error(`${name}.tgz has ${size} bytes: more than ${MAX_BYTES}.`)
    renameSync(tarball, path.join(output, `${name}.tgz`))
  } finally {
    rmSync(temporary, { recursive: true })
  }
}
