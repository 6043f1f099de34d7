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
