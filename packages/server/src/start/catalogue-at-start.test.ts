import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newFolder, startMain } from '../../test/main-process.ts'
import { newAccessToken } from '../caller/access-token.ts'

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
