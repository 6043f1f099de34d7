import { insertApproval } from '../../../src/accounts/agents/test/insert-approval.ts'
import { insertSignInRequest } from '../../../src/accounts/agents/test/insert-sign-in-request.ts'
import { expectOk } from '../../test-context.ts'
import type { Scene, SceneDriver } from './scene.ts'

const CUSTOMER = 'customer-of-an-agent'

/** The pages on which a customer decides what an agent may send. */
export const AGENT_SCENES: readonly Scene[] = [
  {
    name: 'agentStart',
    state: 'agentStart',
    async setUp(driver) {
      await openStart(driver)
      return undefined
    },
  },
  {
    name: 'agentReview',
    state: 'agentReview',
    async setUp(driver) {
      await signIn(driver, CUSTOMER)
      return undefined
    },
  },
  {
    name: 'agentAllowed',
    state: 'agentAllowed',
    async setUp(driver) {
      await signIn(driver, CUSTOMER)
      await driver.send()
      return undefined
    },
  },
  {
    name: 'agentWrongPerson',
    state: 'agentWrongPerson',
    async setUp(driver) {
      await signIn(driver, 'someone-else')
      return undefined
    },
  },
  {
    name: 'agentConsent',
    state: 'agentConsent',
    async setUp(driver) {
      await openConsent(driver)
      return undefined
    },
  },
  {
    name: 'signInInvalid',
    state: 'signInInvalid',
    async setUp({ t, page, lang }) {
      await page.goto(`${t.url}/mcp-auth/authorize?client_id=none&lang=${lang}`)
      return undefined
    },
  },
  {
    name: 'agentEnded',
    state: 'agentEnded',
    async setUp(driver) {
      const { t, page } = driver
      const id = await openStart(driver)
      expectOk(await t.call('POST', `/v1/sign_in_request/${id}/refuse`))
      await page.reload()
      return undefined
    },
  },
]

/** Signs in for a client that has registered itself. */
async function openConsent(driver: SceneDriver): Promise<void> {
  const { t, page, lang } = driver
  await openStart(driver)
  clientId ??= await register(t.url)
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: 'http://localhost:33418/callback',
    scope: 'read write',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
    resource: `${t.url}/mcp/${t.workspaceId}`,
  })
  await page.goto(`${t.url}/mcp-auth/authorize?${query}`)
  const url = page.url()
  const id = new URL(url).pathname.split('/').at(-1)
  await driver.send()
  await page.waitForURL((each) => each.searchParams.get('linchpin_request') === id)
  const path = `/v1/sign_in_request/${id}/confirm`
  const body = { accountIdentifier: CUSTOMER }
  const { returnURL } = expectOk(await t.call('POST', path, { body }))
  await page.goto(returnURL)
  await page.goto(`${url}?lang=${lang}`)
}

/** A network may register ten clients in an hour. */
let clientId: string | undefined

async function register(url: string): Promise<string> {
  const response = await fetch(`${url}/mcp-auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Visual Studio Code',
      redirect_uris: ['http://localhost/callback'],
    }),
  })
  return ((await response.json()) as { client_id: string }).client_id
}

/** Opens the page of a new question. Returns the ID of its sign-in request. */
async function openStart({ t, page, lang }: SceneDriver): Promise<string> {
  const { workspaceId } = t
  const signInURL = `${t.host.origin}/back`
  expectOk(
    await t.call('POST', `/v1/workspace/${workspaceId}`, { body: { agents: { signInURL } } }),
  )
  const account = await t.createAccount(t.github.id, {
    accountIdentifier: CUSTOMER,
    integrationAccountName: 'ada@example.com',
    config: { api_key: 'key-of-ada-0123456789' },
  })
  const subject = await insertApproval(t, { workspaceId, accountId: account.integrationAccountId })
  const id = await insertSignInRequest(t, {
    workspaceId,
    subject,
    status: 'created',
    expectedIdentifier: CUSTOMER,
  })
  await page.goto(`${t.url}/agent/${id}?lang=${lang}`)
  return id
}

async function signIn(driver: SceneDriver, accountIdentifier: string): Promise<void> {
  const { t, page, lang } = driver
  const id = await openStart(driver)
  await driver.send()
  await page.waitForURL((url) => url.searchParams.get('linchpin_request') === id)
  const path = `/v1/sign_in_request/${id}/confirm`
  const { returnURL } = expectOk(await t.call('POST', path, { body: { accountIdentifier } }))
  await page.goto(returnURL)
  if (accountIdentifier === CUSTOMER) await page.goto(`${t.url}/agent/${id}?lang=${lang}`)
}
