// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs look like this
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { auditOf, fine, startWorld, type World } from '../../test/fixtures.ts'
import { describePostgres } from '../../test/postgres.ts'

describe('a 401 to credentials that nothing can renew', () => {
  promises(async () => undefined)
})

describePostgres('a 401 to credentials that nothing can renew, on PostgreSQL', (server) => {
  promises(() => server().createDatabase('proxy_doubts'))
})

function promises(url: () => Promise<string | undefined>): void {
  let t: World
  /** What the API says, and what it says to CHECK. */
  let says: number
  let judges: number
  let judged: number
  let integrationDefinitionId: string

  before(async () => {
    const postgres = await url()
    t = await startWorld(postgres === undefined ? {} : { url: postgres })
    t.origin.serve('/thing', (_request, response) => response.writeHead(says).end())
    t.origin.serve('/judge', (_request, response) => {
      judged += 1
      response.writeHead(judges).end()
    })
    const code = bundle(t.origin.url)
    integrationDefinitionId = String((await t.define({ code })).integrationDefinitionId)
  })
  after(() => t.close())
  beforeEach(() => {
    says = 200
    judges = 200
    judged = 0
  })

  const connect = async (config: object = {}) => {
    const given = { api_key: 'a-key-of-somebody', ...config }
    const made = await t.connect(integrationDefinitionId, { authType: 'Api Key', config: given })
    judged = 0
    return String(made.integrationAccountId)
  }
  const path = (id: string) => `/v1/integration_account/${id}`
  const ask = async (id: string) => {
    const answer = await t.app.inject({
      method: 'GET',
      url: `/api${path(id)}/proxy/thing`,
      headers: { authorization: `Bearer ${t.token}` },
    })
    return answer.statusCode
  }
  const statusOf = async (id: string) => {
    const { status, statusReason } = fine(await t.call('GET', path(id)))
    return [status, statusReason]
  }

  it('needs the person at once when CHECK refuses them too', async () => {
    const id = await connect()
    assert.equal(await ask(id), 200)
    says = 401
    judges = 401
    assert.equal(await ask(id), 424)
    assert.deepEqual(await statusOf(id), ['needs_reauth', 'credentials_rejected'])
    assert.equal(await ask(id), 424)
    assert.equal(judged, 1)
    assert.ok((await auditOf(t, id)).includes('account.needs_reauth'))
  })

  it('is passed on when CHECK accepts them, which is not asked each time', async () => {
    const id = await connect()
    says = 401
    for (let times = 0; times < 5; times += 1) assert.equal(await ask(id), 401)
    assert.deepEqual(await statusOf(id), ['active', null])
    assert.equal(judged, 1)
    says = 200
    assert.equal(await ask(id), 200)
  })

  for (const status of [429, 503])
    it(`is passed on when CHECK gets ${status}`, async () => {
      const id = await connect()
      says = 401
      judges = status
      assert.equal(await ask(id), 401)
      assert.deepEqual(await statusOf(id), ['active', null])
    })

  it('is passed on when the credentials are known and only lack a right', async () => {
    const id = await connect({ lacks: true })
    says = 401
    judges = 403
    assert.equal(await ask(id), 401)
    assert.deepEqual(await statusOf(id), ['active', null])
  })

  it('is told once by many callers', async () => {
    const id = await connect()
    says = 401
    judges = 401
    const told = await Promise.all(Array.from({ length: 20 }, () => ask(id)))
    assert.ok(told.every((status) => status === 401 || status === 424))
    assert.deepEqual(await statusOf(id), ['needs_reauth', 'credentials_rejected'])
    assert.equal(judged, 1)
  })
}

function bundle(url: string): string {
  const properties = { api_key: { type: 'string' }, lacks: { type: 'boolean' } }
  const spec = {
    api_base_url: url,
    auth_specification: {
      'Api Key': {
        input_specification: { type: 'object', required: ['api_key'], properties },
        headers: { Authorization: 'Bearer ${api_key}' },
      },
    },
  }
  return `
const spec = ${JSON.stringify(spec)}
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return spec
  if (command !== 'CHECK') throw new Error('Command not found')
  const { ok } = await fetch(${JSON.stringify(url)} + '/judge')
  return { status: ok, error: ok ? '' : 'Not accepted.', code: config.lacks ? 'insufficient_scope' : 'invalid_credentials' }
}
`
}
