import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { newFolder, runCli, startMain } from '../../test/main-process.ts'
import { newAccessToken } from '../caller/access-token.ts'
import { parseRegistryKeys } from '../catalogue/registry/parse-registry-keys.ts'
import { verifyRegistry } from '../catalogue/registry/verify-registry.ts'

it('a first start has the whole catalogue, with bundles and icons, and a second one changes nothing', async (t) => {
  const env = { LINCHPIN_DATA_DIR: await newFolder(), LINCHPIN_TOKEN: newAccessToken() }
  const list = async (url: string) => {
    const headers = { authorization: `Bearer ${env.LINCHPIN_TOKEN}` }
    const answer = await fetch(`${url}/api/v1/integration_definition`, { headers })
    return (await answer.json()) as Record<string, string>[]
  }
  const first = await startMain(t, env)
  const before = await list(first.url)
  assert.ok(before.length >= 60, `${before.length} integrations`)
  const github = before.find(({ key }) => key === 'github')
  for (const address of [github?.icon, github?.sourceUrl]) {
    const answer = await fetch(new URL(new URL(String(address)).pathname, first.url))
    assert.equal(answer.status, 200, address)
    await answer.arrayBuffer()
  }
  const jwks = await (await fetch(`${first.url}/catalogue/jwks.json`)).json()
  const [{ x }] = (jwks as { keys: [{ x: string }] }).keys
  const served = await (await fetch(`${first.url}/catalogue/registry.json`)).text()
  const key = (await runCli(['registry', 'key'], env)).stdout.trim()
  assert.equal(key, x, 'npm run linchpin -- registry key')
  const file = join(env.LINCHPIN_DATA_DIR, 'registry.json')
  writeFileSync(file, served)
  const signed = await runCli(['registry', 'sign', file, '--days', '3'], env)
  assert.equal(signed.code, 0, signed.stderr)
  for (const document of [served, signed.stdout])
    assert.ok(verifyRegistry(document, parseRegistryKeys(key)).expiresAt > Date.now())
  writeFileSync(file, '{}')
  assert.equal((await runCli(['registry', 'sign', file], env)).code, 65)
  assert.equal((await first.stop()).code, 0)
  const second = await startMain(t, env)
  const times = (all: Record<string, string>[]) =>
    all.map(({ integrationDefinitionId, version, updatedAt }) => [
      integrationDefinitionId,
      version,
      updatedAt,
    ])
  assert.deepEqual(times(await list(second.url)), times(before))
  const { code, stdout } = await second.stop()
  assert.equal(code, 0)
  assert.ok(!stdout.includes('other bytes'))
})
