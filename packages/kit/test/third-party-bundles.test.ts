import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildExampleBundles } from '../../../examples/build.ts'

const resolvePath = (name: string) => fileURLToPath(new URL(name, import.meta.url))

async function runKitTest(bundle: string, fixtures: string): Promise<string> {
  const args = [resolvePath('../bin/linchpin-kit.mjs'), 'test', bundle, '--fixtures', fixtures]
  const result = await promisify(execFile)(process.execPath, args).catch((error) => error)
  return result.stdout
}

it('runIntegrationTest: tests a bundle of another kit', async () => {
  const { desk } = await buildExampleBundles()
  const output = await runKitTest(desk.path, resolvePath('third-party-bundles.fixtures.ts'))
  assert.match(
    output,
    /✓ Api Key: accepts good credentials\n {2}✓ Api Key: rejects bad credentials/,
  )
  assert.match(output, /all tests passed\n$/)
})

it('runIntegrationTest: tests a bundle that refreshes its tokens itself, as those of another kit do', async () => {
  const { books } = await buildExampleBundles()
  const output = await runKitTest(
    books.path,
    resolvePath('third-party-bundles-with-sign-in.fixtures.ts'),
  )
  for (const title of ['accepts good credentials', 'signs in', 'refreshes expired tokens'])
    assert.match(output, new RegExp(`✓ OAuth2: ${title}`), output)
  assert.match(output, /✓ OAuth2: revokes the tokens of a deleted account/)
  assert.match(output, /all tests passed\n$/, output)
})

it('runIntegrationTest: detects whether such a bundle returns its rotated refresh tokens', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kit-rotating-'))
  t.after(() => rm(folder, { recursive: true }))
  const fixtures = join(folder, 'rotating.fixtures.ts')
  const fixtureSource = await readFile(
    resolvePath('third-party-bundles-with-sign-in.fixtures.ts'),
    'utf8',
  )
  const good = `good: { access_token: '\${access_token}', refresh_token: '\${refresh_token}' },`
  await writeFile(fixtures, fixtureSource.replace('signIn: {', `signIn: { ${good}`))
  const { books } = await buildExampleBundles()
  assert.match(await runKitTest(books.path, fixtures), /all tests passed\n$/)
  const silent = join(folder, 'index.js')
  await writeFile(silent, books.code.replaceAll('"refresh-token"', '"x-lost"'))
  const output = await runKitTest(silent, fixtures)
  assert.match(
    output,
    /✗ OAuth2: refreshes expired tokens\n[^✓✗]*HEADERS does not return its refresh-token/,
  )
})
