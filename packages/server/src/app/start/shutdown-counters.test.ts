import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createDataFolder, startMain } from '../../../test/main-process.ts'
import { generateAccessToken } from '../../access/auth/access-token.ts'

interface LinkDetails {
  readonly linkId: string
  readonly counters: object
  readonly refusals: readonly object[]
  /** Of statistics. */
  readonly series: readonly { readonly key: string; readonly points: readonly object[] }[]
}

it('Shutdown: the service stores the link counters and the statistics before it exits', async (t) => {
  const env = { LINCHPIN_DATA_DIR: await createDataFolder(), LINCHPIN_TOKEN: generateAccessToken() }
  const call = async (url: string, method: string, path: string, body?: object) => {
    const headers = {
      authorization: `Bearer ${env.LINCHPIN_TOKEN}`,
      'content-type': 'application/json',
    }
    const bodyOption = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${url}/api${path}`, { method, headers, ...bodyOption })
    return (await response.json()) as LinkDetails
  }
  const first = await startMain(t, env)
  const { linkId } = await call(first.url, 'POST', '/v1/link', { linkName: 'a' })
  const body = {
    integrationDefinitionId: 'def_x',
    integrationAccountName: 'a',
    authType: 'Api Key',
    config: {},
  }
  await call(first.url, 'POST', `/v1/integration_account/link/${linkId}`, body)
  assert.equal((await first.stop()).code, 0)
  const second = await startMain(t, env)
  const { counters, refusals } = await call(second.url, 'GET', `/v1/link/${linkId}`)
  assert.deepEqual(counters, { opens: 0, attempts: 1, successes: 0 })
  assert.deepEqual(refusals, [{ code: 'unknown_reference', count: 1 }])
  const path = '/v1/statistics?metrics=connect_failures&by=code'
  const { series } = await call(second.url, 'GET', path)
  assert.deepEqual(
    series.map(({ key, points }) => [key, points.length]),
    [['unknown_reference', 1]],
  )
  assert.equal((await second.stop()).code, 0)
})
