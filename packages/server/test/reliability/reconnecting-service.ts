import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { DESK_SPEC } from '../../src/connect/connect-page/test/desk.ts'
import {
  createVisitor,
  type FetchedPage,
  pressStart,
} from '../../src/connect/connect-page/test/test-visitor.ts'
import { createOidcBundle } from '../../src/connect/oauth-flow/test/oauth-test-context.ts'
import type { AnyBody } from '../any-body.ts'
import { createMiniBundle } from '../mini-bundle.ts'
import { type StubServer, startStubServer } from '../stub-server.ts'
import { createServiceSetup, type ServiceProcess, startService } from './service-process.ts'

/** What a request of a visitor came to: a page, or nothing because the service died. */
export type Sent = FetchedPage | undefined

/** A visitor in a session that reconnects an account. */
export interface Reconnect {
  readonly connectSessionId: string
  /** The last request of a reconnect: the form with the new key, or the callback of the provider. */
  send(headers?: Record<string, string>): Promise<Sent>
  /** Opens the session in the same browser again, and reconnects with another form. */
  retry(): Promise<FetchedPage>
}

/** What is stored of an account. */
export interface StoredAccount {
  readonly secret: string
  readonly version: number
  readonly reconnects: number
  readonly attempts: number
  readonly accounts: number
}

/** A service with an account of each kind, that can be killed at a write and started again. */
export interface ReconnectingService {
  /** Starts a reconnect with new credentials, up to its last request. */
  begin(kind: 'form' | 'sign-in', secret: string): Promise<Reconnect>
  read(kind: 'form' | 'sign-in'): Promise<StoredAccount>
  getSessionStatus(connectSessionId: string): Promise<string>
  restart(): Promise<void>
}

export async function startReconnectingService(t: TestContext): Promise<ReconnectingService> {
  const stubServer = await startStubServer()
  t.after(() => stubServer.close())
  const first = await createServiceSetup()
  t.after(() => first.remove())
  const url = `http://127.0.0.1:${first.port}`
  const setup = {
    ...first,
    nodeArgs: ['--import', join(import.meta.dirname, 'crash-points/kill-before-write.ts')],
    settings: { LINCHPIN_PUBLIC_URL: url },
  }
  let service: ServiceProcess = await startService(setup)
  t.after(() => service.kill())
  const call = async (method: string, path: string, body?: unknown): Promise<AnyBody> => {
    const response = await service.call(method, path, body)
    assert.ok(response.status < 300, JSON.stringify(response.body))
    return response.body
  }
  let token = 'token_of_the_first'
  serveProvider(stubServer, () => token)
  const ids = {
    form: await defineDesk(call, stubServer),
    'sign-in': await defineBooks(call, stubServer),
  }
  const { linkId } = await call('POST', '/v1/link', { linkName: 'a' })
  const accounts = { form: '', 'sign-in': '' }

  const open = async (session: AnyBody, secret: string) => {
    const visitor = createVisitor(url, url)
    const pressed = await pressStart(visitor, session.url)
    const address = pressed.location ?? assert.fail(pressed.text)
    const prepare = async (kind: 'form' | 'sign-in', value: string) => {
      const form = await visitor.get(address)
      if (kind === 'form')
        return (headers = {}) =>
          visitor.submit(
            form,
            { 'field.api_key': value, 'field.base_url': stubServer.url },
            headers,
          )
      const started = await visitor.submit(form)
      const state = new URL(started.location ?? assert.fail(started.text)).searchParams.get('state')
      const query = new URLSearchParams({ state: state ?? '', code: 'a-code' })
      return (headers = {}) => {
        token = value
        return visitor.get(`${url}/api/v1/oauth/callback?${query}`, headers)
      }
    }
    return { visitor, address, prepare, secret }
  }
  const count = (sql: string): number => {
    const database = new DatabaseSync(join(setup.dataDir, 'linchpin.db'), { readOnly: true })
    try {
      return Number(database.prepare(sql).get()?.n)
    } finally {
      database.close()
    }
  }
  const createSession = (body: AnyBody) => call('POST', '/v1/connect_session', { linkId, ...body })
  const connect = async (kind: 'form' | 'sign-in') => {
    const session = await createSession({
      accountIdentifier: 'customer-1',
      integrationDefinitionIds: [ids[kind]],
    })
    const { visitor, prepare } = await open(session, '')
    const sent = await (await prepare(kind, 'secret_of_the_first'))()
    const done = await visitor.get(sent.location ?? assert.fail(sent.text))
    assert.equal(done.state, 'connected', done.text)
    return JSON.parse(done.getData('data-account') ?? '').integrationAccountId
  }
  accounts.form = await connect('form')
  accounts['sign-in'] = await connect('sign-in')

  return {
    async begin(kind, secret) {
      const session = await createSession({ integrationAccountId: accounts[kind] })
      const { visitor, prepare } = await open(session, secret)
      const send = await prepare(kind, secret)
      return {
        connectSessionId: session.connectSessionId,
        send: (headers) => send(headers).catch(() => undefined),
        async retry() {
          const again = await prepare(kind, `${secret}_again`)
          const sent = await again()
          return visitor.get(sent.location ?? assert.fail(sent.text))
        },
      }
    },
    async read(kind) {
      const id = accounts[kind]
      const { config } = await call('GET', `/v1/integration_account/${id}/credentials`)
      const of = `where account_id = '${id}'`
      const reconnected = `where type = 'account.reconnected' and subject = '${id}'`
      return {
        secret: config.api_key ?? config.access_token,
        version: count(`select credential_version n from accounts ${of}`),
        reconnects: count(`select count(*) n from events ${reconnected}`),
        attempts: count(`select count(*) n from connect_attempts ${of} and outcome = 'connected'`),
        accounts: count('select count(*) n from accounts'),
      }
    },
    getSessionStatus: async (id) => (await call('GET', `/v1/connect_session/${id}`)).status,
    async restart() {
      await service.kill()
      service = await startService(setup)
    },
  }
}

type Call = (method: string, path: string, body?: unknown) => Promise<AnyBody>

/** Accepts every key; each sign-in returns the token that the test has set. */
function serveProvider(stubServer: StubServer, getToken: () => string): void {
  const send = (path: string, body: () => object) =>
    stubServer.serve(path, (_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body()))
    })
  send('/told', () => ({ status: true }))
  send('/me', () => ({ sub: 'alice' }))
  send('/token', () => ({ access_token: getToken(), token_type: 'bearer', expires_in: 3_600 }))
}

async function defineDesk(call: Call, stubServer: StubServer): Promise<string> {
  return define(call, 'Desk', stubServer.bundle(createMiniBundle(DESK_SPEC)))
}

async function defineBooks(call: Call, stubServer: StubServer): Promise<string> {
  const { url } = stubServer
  const auth = { authorization_url: `${url}/authorize`, token_url: `${url}/token` }
  const id = await define(call, 'Books', stubServer.bundle(createOidcBundle(url, auth)))
  const clientSecret = 'canary-client-secret-0123456789'
  await call('POST', '/v1/integration_oauth', {
    integrationDefinitionId: id,
    clientId: 'linchpin',
    clientSecret,
  })
  return id
}

async function define(call: Call, name: string, sourceUrl: string): Promise<string> {
  const body = { name, sourceUrl, integrationType: 'TICKETING' }
  return (await call('POST', '/v1/integration_definition', body)).integrationDefinitionId
}
