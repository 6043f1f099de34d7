import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectCreated, expectError, expectOk } from '../../../test/test-context.ts'
import {
  type ProxyTestContext,
  startProxyTestContext,
} from '../../accounts/proxy/test/proxy-test-context.ts'
import {
  createVisitor,
  extractForm,
  type FetchedPage,
  getVisibleText,
  pressStart,
  type TestVisitor,
} from '../connect-page/test/test-visitor.ts'

const SIGN_IN_URL = 'https://app.example.com/agents?tab=1'
const SECRET_TEXT = 'Pay 5,000 to Mallory'

describeOnBothDatabases('The page on which a customer decides what an agent may send', (newUrl) => {
  let t: ProxyTestContext
  let accountId: string
  let publicUrl = 'http://localhost:3000'
  let sent = 0
  let isPostgres = false
  before(async () => {
    const url = await newUrl()
    isPostgres = url !== undefined
    t = await startProxyTestContext({ url, baseUrl: () => publicUrl })
    publicUrl = t.baseUrl
    t.setProviderHandler((request, response) => {
      sent += 1
      request.resume().on('end', () => response.end('done'))
    })
    const { integrationDefinitionId } = expectOk(
      await t.call('GET', `/v1/integration_account/${t.accountId}`),
    )
    const account = await t.createAccount(integrationDefinitionId, {
      config: { api_key: 'key-of-alice' },
      accountIdentifier: 'alice',
      integrationAccountName: 'Alice at work',
    })
    accountId = account.integrationAccountId
    const workspace = `/v1/workspace/${t.workspaceId}`
    const createBody = { accountIdentifier: 'alice', approver: 'person' }
    expectError(
      await t.call('POST', '/v1/agent_session', { body: createBody }),
      'sign_in_not_configured',
    )
    for (const signInURL of [
      'http://app.example.com',
      'app',
      'https://u:p@a.example',
      'https://a.example/#x',
    ])
      expectError(
        await t.call('POST', workspace, { body: { agents: { signInURL } } }),
        'validation_failed',
      )
    const body = { name: 'Acme', agents: { signInURL: SIGN_IN_URL } }
    const settings = expectOk(await t.call('POST', workspace, { body }))
    assert.deepEqual(settings.agents, { signInURL: SIGN_IN_URL, rules: [] })
  })
  after(() => t.close())

  const newBrowser = () => createVisitor(t.baseUrl, t.baseUrl)

  interface Asked {
    readonly url: string
    readonly approvalId: string
    readonly send: (approval?: string) => Promise<number>
  }

  /** An agent of Alice asks to pay, and gets a URL for her. */
  async function ask(approver = 'person'): Promise<Asked> {
    const { token } = expectCreated(
      await t.call('POST', '/v1/agent_session', {
        body: { accountIdentifier: 'alice', approver, rules: [{ effect: 'approve' }] },
      }),
    )
    const options = (approval?: string) => ({
      token,
      accountId,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(approval && { 'linchpin-approval': approval }),
      },
      body: Buffer.from(JSON.stringify({ text: SECRET_TEXT })),
    })
    const response = await t.send('payments', options())
    const { errors } = JSON.parse(response.body.toString())
    return {
      url: errors.url[0].value,
      approvalId: errors.approvalId[0].value,
      send: async (approval) => (await t.send('payments', options(approval))).status,
    }
  }

  const getId = (url: string) => new URL(url).pathname.split('/')[2] ?? ''
  const open = async (visitor: TestVisitor, url: string) => visitor.submit(await visitor.get(url))
  const confirm = (url: string, accountIdentifier: string) =>
    t.call('POST', `/v1/sign_in_request/${getId(url)}/confirm`, { body: { accountIdentifier } })
  const confirmed = async (url: string, accountIdentifier: string): Promise<string> =>
    expectOk(await confirm(url, accountIdentifier)).returnURL
  const getStatus = async (approvalId: string) =>
    expectOk(await t.call('GET', `/v1/agent_approval/${approvalId}`)).status
  const answer = (visitor: TestVisitor, page: FetchedPage, decision: string) =>
    visitor.submit(page, { decision })

  /** Opens the page and signs in, to where the question is shown. */
  async function signIn(visitor: TestVisitor, url: string): Promise<FetchedPage> {
    await open(visitor, url)
    const returned = await visitor.get(await confirmed(url, 'alice'))
    assert.equal(returned.status, 303)
    return visitor.get(returned.location ?? '')
  }

  it('lets the customer see and approve what the agent sends, after a sign-in at the product', async () => {
    const { url, approvalId, send } = await ask()
    assert.match(url, new RegExp(`^${publicUrl}/agent/sir_[0-9a-z]{26}$`))
    const alice = newBrowser()
    const start = await alice.get(url)
    assert.deepEqual([start.status, start.state], [200, 'agentStart'])
    assert.match(getVisibleText(start), /An assistant.*Continue to Acme/)
    const opened = await alice.submit(start)
    assert.equal(opened.location, `${SIGN_IN_URL}&linchpin_request=${getId(url)}`)
    const request = expectOk(await t.call('GET', `/v1/sign_in_request/${getId(url)}`))
    assert.deepEqual([request.status, request.purpose], ['opened', 'approval'])
    const returned = await alice.get(await confirmed(url, 'alice'))
    assert.equal(returned.location, url, 'the code does not stay in the address')
    const review = await alice.get(url)
    assert.equal(review.state, 'agentReview')
    const text = getVisibleText(review)
    for (const expected of [SECRET_TEXT, `POST ${t.providerUrl}/v2/payments`, 'Alice at work'])
      assert.ok(text.includes(expected), `${expected}: ${text}`)
    const answered = await answer(alice, review, 'approve')
    assert.equal(answered.location, url)
    assert.equal((await alice.get(url)).state, 'agentAllowed')
    const { decidedBy, status } = expectOk(await t.call('GET', `/v1/agent_approval/${approvalId}`))
    assert.deepEqual([decidedBy, status], ['customer', 'approved'])
    assert.deepEqual([await send(approvalId), await send(approvalId)], [200, 409])
  })

  it('lets the customer refuse', async () => {
    const { url, approvalId, send } = await ask('either')
    const alice = newBrowser()
    await answer(alice, await signIn(alice, url), 'deny')
    assert.equal((await alice.get(url)).state, 'agentDenied')
    assert.equal(await getStatus(approvalId), 'denied')
    assert.equal(await send(approvalId), 403)
  })

  it('is the only one who decides, unless the product may, too', async () => {
    const person = await ask('person')
    const decide = (id: string) =>
      t.call('POST', `/v1/agent_approval/${id}`, { body: { decision: 'approve' } })
    expectError(await decide(person.approvalId), 'approver_not_allowed')
    const either = await ask('either')
    const alice = newBrowser()
    const review = await signIn(alice, either.url)
    expectOk(await decide(either.approvalId))
    assert.equal((await answer(alice, review, 'deny')).state, 'agentEnded')
    assert.equal(await getStatus(either.approvalId), 'approved')
  })

  describe('connect_account', () => {
    const API_KEY = 'key-of-alice-0123'

    /** Calls the tool with the official client. */
    async function callTool(token: string, name: string, input: Record<string, unknown>) {
      const client = new Client({ name: 'test', version: '1' })
      const requestInit = { headers: { authorization: `Bearer ${token}` } }
      const url = new URL(`${publicUrl}/mcp/${t.workspaceId}`)
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
      const { structuredContent } = await client.callTool({ name, arguments: input })
      await client.close()
      return structuredContent as AnyBody
    }
    const createSession = async (body: object) =>
      expectCreated(await t.call('POST', '/v1/agent_session', { body }))
    const getKey = async () => {
      const account = expectOk(await t.call('GET', `/v1/integration_account/${accountId}`))
      const path = `/v1/integration_definition/${account.integrationDefinitionId}`
      return expectOk(await t.call('GET', path)).key as string
    }
    /** Alice signs in at the product and fills in the form of the connect session. */
    async function connect(url: string): Promise<void> {
      const alice = newBrowser()
      await open(alice, url)
      const returned = await alice.get(await confirmed(url, 'alice'))
      assert.match(returned.location ?? '', /\/connect\/cnt_/)
      const form = await pressStart(alice, returned.location ?? '')
      const page = form.status === 303 ? await alice.get(form.location ?? '') : form
      const submitted = await alice.submit(page, { 'field.api_key': API_KEY })
      assert.equal(submitted.status, 303, getVisibleText(submitted))
    }

    it('gives the agent what the customer connects, who alone can open the page', async () => {
      const integration = await getKey()
      const session = await createSession({ accountIdentifier: 'alice', mayConnect: true })
      const { token } = session
      const asked = await callTool(token, 'connect_account', { integration })
      assert.equal(asked.status, 'waiting')
      const again = await callTool(token, 'connect_account', { integration })
      assert.equal(again.url, asked.url)
      const bob = newBrowser()
      await open(bob, asked.url)
      assert.equal((await bob.get(await confirmed(asked.url, 'bob'))).state, 'agentWrongPerson')
      const { url } = await callTool(token, 'connect_account', { integration })
      assert.notEqual(url, asked.url, 'the first one is spent')
      await connect(url)
      const connected = await callTool(token, 'connect_account', { integration })
      assert.equal(connected.status, 'connected')
      const [added] = connected.accounts
      assert.ok(!session.integrationAccountIds.includes(added))
      const input = { account: added, path: '/people' }
      assert.equal((await callTool(token, 'read_api', input)).status, 200)
      const { accountIdentifier } = expectOk(
        await t.call('GET', `/v1/integration_account/${added}`),
      )
      assert.equal(accountIdentifier, 'alice')
    })

    it('leaves no connect session to a request that the product refuses meanwhile', async () => {
      const integration = await getKey()
      /** Ends the request between its verification and its connect session, if it comes in time. */
      const refuse = async (signInRequestId: string): Promise<boolean> => {
        const rows = t.database.read.selectFrom('sign_in_requests').select('status')
        const row = rows.where('sign_in_request_id', '=', signInRequestId as `sir_${string}`)
        while ((await row.executeTakeFirstOrThrow()).status === 'opened') await nextTurn()
        const { numUpdatedRows } = await t.database.transaction((trx) =>
          trx
            .updateTable('sign_in_requests')
            .set({ status: 'refused' })
            .where('sign_in_request_id', '=', signInRequestId as `sir_${string}`)
            .where('status', '=', 'verified')
            .executeTakeFirst(),
        )
        return numUpdatedRows > 0n
      }
      let refusedCount = 0
      for (let round = 0; round < 20 && refusedCount < 3; round += 1) {
        const { token } = await createSession({ accountIdentifier: 'alice', mayConnect: true })
        const { url } = await callTool(token, 'connect_account', { integration })
        const alice = newBrowser()
        await open(alice, url)
        const returnUrl = await confirmed(url, 'alice')
        const [page, isRefused] = await Promise.all([alice.get(returnUrl), refuse(getId(url))])
        if (isRefused) refusedCount += 1
        assert.equal(page.location?.includes('/connect/cnt_') ?? false, !isRefused)
      }
      // With SQLite nothing comes between the two transactions.
      if (isPostgres) assert.ok(refusedCount > 0, 'No round came in time.')
    })

    it('is refused without mayConnect, for what is not there, and for accounts of others', async () => {
      const integration = await getKey()
      const { token } = await createSession({ accountIdentifier: 'alice' })
      const refused = await callTool(token, 'connect_account', { integration })
      assert.equal(refused.code, 'agent_rule_denied')
      expectError(
        await t.call('POST', '/v1/agent_session', {
          body: { integrationAccountIds: [accountId], mayConnect: true },
        }),
        'validation_failed',
      )
      const session = await createSession({ accountIdentifier: 'alice', mayConnect: true })
      for (const [input, code] of [
        [{ integration: 'none' }, 'unknown_reference'],
        [{ account: t.accountId }, 'unknown_reference'],
        [{ account: 'nonsense' }, 'unknown_reference'],
        [{}, 'validation_failed'],
        [{ integration, account: accountId }, 'validation_failed'],
      ] as const)
        assert.equal((await callTool(session.token, 'connect_account', input)).code, code)
    })
  })

  /** Each hands Alice's URL, or a part of the way, to Bob, or back; returns the pages that were shown. */
  const VARIANTS: Readonly<Record<string, (asked: Asked) => Promise<readonly FetchedPage[]>>> = {
    'Bob opens it and signs in as himself': async ({ url }) => {
      const bob = newBrowser()
      await open(bob, url)
      return [await bob.get(await confirmed(url, 'bob')), await bob.get(url)]
    },
    'Bob signs in as himself, then the product names Alice': async ({ url }) => {
      const bob = newBrowser()
      await open(bob, url)
      const refused = await bob.get(await confirmed(url, 'bob'))
      expectError(await confirm(url, 'alice'), 'sign_in_request_ended')
      return [refused, await bob.get(url)]
    },
    'Alice opens it, Bob follows the address of the product': async ({ url }) => {
      const [alice, bob] = [newBrowser(), newBrowser()]
      await open(alice, url)
      return [await bob.get(await confirmed(url, 'bob')), await bob.get(url), await alice.get(url)]
    },
    'Bob opens it, Alice is lured to the address of the product (login CSRF)': async ({ url }) => {
      const [alice, bob] = [newBrowser(), newBrowser()]
      await open(bob, url)
      const returned = await alice.get(await confirmed(url, 'alice'))
      return [returned, await alice.get(url), await bob.get(url)]
    },
    'Bob takes the return URL of Alice before she follows it': async ({ url }) => {
      const [alice, bob] = [newBrowser(), newBrowser()]
      await open(alice, url)
      const returnUrl = await confirmed(url, 'alice')
      return [await bob.get(returnUrl), await alice.get(returnUrl), await alice.get(url)]
    },
    'Bob opens it after Alice': async ({ url }) => {
      const [alice, bob] = [newBrowser(), newBrowser()]
      const start = await bob.get(url)
      await open(alice, url)
      return [await bob.submit(start), await bob.get(url)]
    },
    'Bob looks at it while Alice is at the question': async ({ url }) => {
      const [alice, bob] = [newBrowser(), newBrowser()]
      await signIn(alice, url)
      return [await bob.get(url), await bob.get(`${url}/return?code=x`)]
    },
    'Bob answers with the form of Alice': async ({ url }) => {
      const [alice, bob] = [newBrowser(), newBrowser()]
      const review = await signIn(alice, url)
      return [await bob.submit(review, { decision: 'approve' })]
    },
    'Bob answers with his own form field': async ({ url }) => {
      const [alice, bob] = [newBrowser(), newBrowser()]
      const { fields } = extractForm(await bob.get(url))
      await signIn(alice, url)
      return [await bob.post(`${new URL(url).pathname}/answer`, { ...fields, decision: 'approve' })]
    },
    'Bob answers before anyone is identified': async ({ url }) => {
      const bob = newBrowser()
      const start = await bob.get(url)
      await bob.submit(start)
      const path = `${new URL(url).pathname}/answer`
      return [await bob.post(path, { ...extractForm(start).fields, decision: 'approve' })]
    },
    'another site posts the answer from the browser of Alice': async ({ url }) => {
      const alice = newBrowser()
      const review = await signIn(alice, url)
      const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
      return [await alice.submit(review, { decision: 'approve' }, headers)]
    },
    'another site opens it from the browser of Alice': async ({ url }) => {
      const alice = newBrowser()
      const start = await alice.get(url)
      const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
      return [await alice.submit(start, {}, headers)]
    },
    'the code is guessed, empty, repeated and of another request': async ({ url }) => {
      const alice = newBrowser()
      await open(alice, url)
      const other = await ask()
      await open(alice, other.url)
      const code = new URL(await confirmed(other.url, 'alice')).searchParams.get('code') ?? ''
      const pages = []
      for (const query of ['', '?code=', '?code=x', `?code=${code}`, `?code=${code}&code=${code}`])
        pages.push(await alice.get(`${url}/return${query}`))
      return pages
    },
    'the code is used twice, the second time without the cookie': async ({ url }) => {
      const [alice, bob] = [newBrowser(), newBrowser()]
      await open(alice, url)
      const returnUrl = await confirmed(url, 'alice')
      await alice.get(returnUrl)
      return [await bob.get(returnUrl)]
    },
    'the cookie of one request is used for another': async ({ url }) => {
      const alice = newBrowser()
      await signIn(alice, url)
      const other = await ask()
      const [[, secret] = ['', '']] = [...alice.jar]
      const bob = newBrowser()
      bob.jar.set(`linchpin-agent-${getId(other.url).slice(4)}`, secret)
      return [await bob.get(await openAndReturn(alice, other.url, 'bob'))]
    },
    'identifiers that are similar': async ({ url }) => {
      const bob = newBrowser()
      await open(bob, url)
      const pages = []
      for (const identifier of ['Alice', 'alice ', ' alice', 'al\u0131ce', 'alic\u0435'])
        if ((await confirm(url, identifier)).status === 200)
          pages.push(await bob.get(await confirmed(url, identifier).catch(() => url)))
      return pages
    },
    'a token without the scope names Alice': async ({ url }) => {
      const bob = newBrowser()
      await open(bob, url)
      const { token } = expectCreated(
        await t.call('POST', '/v1/user/token', {
          body: { name: 'runtime', scopes: ['read', 'write', 'agents', 'proxy'] },
        }),
      )
      const path = `/v1/sign_in_request/${getId(url)}/confirm`
      const body = { accountIdentifier: 'alice' }
      expectError(await t.call('POST', path, { token, body }), 'insufficient_scope')
      return [await bob.get(url)]
    },
    'the product confirms before a browser has opened it': async ({ url }) => {
      expectError(await confirm(url, 'alice'), 'sign_in_request_ended')
      return [await newBrowser().get(url)]
    },
    'the product refuses': async ({ url }) => {
      const alice = newBrowser()
      await open(alice, url)
      expectOk(await t.call('POST', `/v1/sign_in_request/${getId(url)}/refuse`))
      expectError(await confirm(url, 'alice'), 'sign_in_request_ended')
      return [await alice.get(url)]
    },
    'the page is requested in other ways': async ({ url }) => {
      const bob = newBrowser()
      const pages = [await bob.get(`${url}?lang=de&theme=dark`), await bob.get(`${url}/answer`)]
      for (const id of ['sir_', 'aap_01kahn2s6kf5arr5d1x6z5cq3b', '..%2f', '%00', 'x'.repeat(60)])
        pages.push(await bob.get(`${publicUrl}/agent/${id}`))
      return pages
    },
  }

  async function openAndReturn(visitor: TestVisitor, url: string, as: string): Promise<string> {
    await open(visitor, url)
    return confirmed(url, as)
  }

  for (const [name, run] of Object.entries(VARIANTS))
    it(`shows and accepts nothing: ${name}`, async () => {
      const asked = await ask()
      const sentBefore = sent
      const pages = await run(asked)
      assert.ok(pages.length > 0)
      for (const { text, state, status, url } of pages) {
        assert.ok(!text.includes(SECRET_TEXT), `${url}: ${state}`)
        assert.ok(status < 500, `${url}: ${status}`)
        assert.ok(!['agentReview', 'agentAllowed'].includes(state ?? ''), `${url}: ${state}`)
      }
      assert.equal(await getStatus(asked.approvalId), 'pending')
      assert.equal(await asked.send(asked.approvalId), 409)
      assert.equal(sent, sentBefore)
    })
})
