import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const MODULE = fileURLToPath(new URL('load-catalogue.ts', import.meta.url))

it('loadCatalogue reads all icons and bundles concurrently within 40 file descriptors', async () => {
  const code = `
    import { loadCatalogue } from ${JSON.stringify(MODULE)}
    const catalogue = await loadCatalogue()
    const files = catalogue.entries.flatMap(({ key, versions }) => [
      catalogue.icon(key), ...versions.map(({ version }) => catalogue.bundle(key, version)),
    ])
    const read = await Promise.all(files)
    console.log(read.filter((bytes) => bytes !== undefined).length)`
  const shell = 'ulimit -n 40 && exec "$0" --input-type=module -e "$1"'
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', shell, process.execPath, code])
  assert.ok(Number(stdout) > 80, stdout)
})

it('loadCatalogue: an unknown integration has no icon and no bundle', async () => {
  const { loadCatalogue } = await import('./load-catalogue.ts')
  const catalogue = await loadCatalogue()
  assert.equal(await catalogue.icon('no-such-key'), undefined)
  assert.equal(await catalogue.bundle('no-such-key', '1.0.0'), undefined)
  assert.equal(await catalogue.bundle(catalogue.entries[0]?.key ?? '', '0.0.0-none'), undefined)
})
