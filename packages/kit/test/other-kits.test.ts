import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { exampleBundles } from '../../../examples/build.ts'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

it('tries a bundle that was written with another kit', async () => {
  const { desk } = await exampleBundles()
  const args = [path('../bin/linchpin-kit.mjs'), 'test', desk.path]
  const fixtures = ['--fixtures', path('other-kits.fixtures.ts')]
  const { stdout } = await promisify(execFile)(process.execPath, [...args, ...fixtures])
  assert.match(
    stdout,
    /✓ Api Key: accepts good credentials\n {2}✓ Api Key: refuses bad credentials/,
  )
  assert.match(stdout, /all well\n$/)
})
