import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { measureCpuTimeGrowth } from '../../../runner/test/cpu-time-growth.ts'
import type { Entry } from './entry.ts'
import { interpretEntry } from './interpret-entry.ts'

const ENTRY: Entry = {
  runtime: 1,
  key: 'acme',
  name: 'Acme',
  category: 'CRM',
  version: '1.0.0',
  docs: 'https://acme.example/docs',
  hosts: 'any',
  base: '${base_url}/v1',
  fields: { base_url: { title: 'Address', type: 'url' } },
  auth: {
    Login: {
      login: { post: '${base_url}/login', json: { key: '${key}', again: ['${key}', '${key}'] } },
      headers: { Authorization: 'Bearer ${token}' },
      fields: { key: { title: 'Key', secret: true } },
    },
  },
  check: { get: '/me/${key}', query: { key: '${key}' } },
  identity: { id: '${team.id}/${id}', label: 'name' },
}

const CONFIG = { authType: 'Login', base_url: 'https://acme.test', key: 'k' }

/** Runs a command with one response for the login, and one for the others. */
function run(command: 'CHECK' | 'HEADERS' | 'IDENTITY', config: object, body: object, login = {}) {
  const sent: string[] = []
  const fetch = async (input: unknown) => {
    sent.push(String(input))
    return Response.json(String(input).endsWith('/login') ? { access_token: 't', ...login } : body)
  }
  const deps = { fetch: fetch as typeof globalThis.fetch, now: () => 0, wait: async () => {} }
  const value = interpretEntry(ENTRY)?.run(command, { config: { ...CONFIG, ...config } }, deps)
  return { value, sent }
}

describe('interpretEntry', () => {
  it('runs the commands of an entry with the dependencies of each call', async () => {
    const check = run('CHECK', {}, {})
    assert.deepEqual(await check.value, { status: true, error: '' })
    assert.deepEqual(check.sent, ['https://acme.test/login', 'https://acme.test/v1/me/k?key=k'])
    assert.deepEqual(await run('HEADERS', {}, {}).value, { Authorization: 'Bearer t' })
    const identity = run('IDENTITY', {}, { id: 7, name: 'Ada', team: { id: 't' } })
    assert.deepEqual(await identity.value, { id: 't/7', label: 'Ada' })
  })

  it('leaves an entry with another release of the runtime, or with many templates, to the sandbox', () => {
    assert.ok(interpretEntry(ENTRY))
    assert.equal(interpretEntry({ ...ENTRY, runtime: 999 }), undefined)
    const headers = { 'X-Long': '${key}'.repeat(100) }
    assert.equal(interpretEntry({ ...ENTRY, headers }), undefined)
  })

  it('leaves a key in the query to the sandbox if the release of the runtime has no query in SPEC', () => {
    const auth: Entry['auth'] = {
      Key: { query: { key: '${key}' }, fields: { key: { title: 'Key', secret: true } } },
    }
    assert.equal(interpretEntry({ ...ENTRY, auth }), undefined)
    assert.ok(interpretEntry({ ...ENTRY, auth, runtime: 3 }))
  })

  it('leaves what a release of the runtime ignores to the sandbox', () => {
    const oauth2 = { authorize: 'https://acme.test/authorize', token: 'https://acme.test/token' }
    const withOAuth2 = (more: object) => ({ ...ENTRY, auth: { OAuth2: { ...oauth2, ...more } } })
    for (const [entry, first] of [
      [withOAuth2({ requiredScopes: ['me'] }), 4],
      [{ ...ENTRY, identity: { id: 'id', label: 'name', scopes: 'scopes' } }, 4],
      [withOAuth2({ appSetup: ['Open your settings.'] }), 5],
      [{ ...ENTRY, checkInterval: 0 }, 5],
      [{ ...ENTRY, getMayWrite: true }, 7],
    ] as const) {
      assert.equal(interpretEntry({ ...entry, runtime: first - 1 }), undefined)
      assert.ok(interpretEntry({ ...entry, runtime: first }))
    }
  })

  it('does not repeat a token or a part of an identity that is too long for any request', async () => {
    const rejected = await run('CHECK', {}, {}, { access_token: 'x'.repeat(32_769) }).value
    assert.equal((rejected as { code: string }).code, 'invalid_credentials')
    const long = { id: 'x'.repeat(10_001), name: 'Ada', team: { id: 't' } }
    await assert.rejects(async () => run('IDENTITY', {}, long).value, /no identity/)
  })

  for (const text of ['/', '.', '${', '${a', '\\', ' ', '%', '@', '[', 'é'])
    it(`takes linear time for values of ${JSON.stringify(text)}`, () => {
      const { ratio, largestMs } = measureCpuTimeGrowth([16_000, 32_000, 64_000], (size) => {
        const value = text.repeat(size / text.length)
        return () => {
          for (const config of [{ key: value }, { base_url: `https://a.test/${value}x` }])
            run('CHECK', config, {}).value?.catch(() => {})
        }
      })
      assert.ok(ratio < 8, `four times the input took ${ratio} times as long`)
      assert.ok(largestMs < 200, `${largestMs} ms`)
    })
})
