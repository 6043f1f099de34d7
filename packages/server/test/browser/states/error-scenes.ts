import { FAILED_CHECK_BUDGETS } from '../../../src/connect/connect-page/failed-check-limiter.ts'
import { expectCreated, expectOk } from '../../test-context.ts'
import { openScene, type Scene, type SceneDriver } from './scene.ts'
import type { SceneContext } from './scene-context.ts'

/** Errors that prevent the page from being shown. */
export const ERROR_SCENES: readonly Scene[] = [
  openScene('expired', 'expired', async (t) => {
    const linkId = await t.link({ expiresIn: 60, canExpire: true })
    await t.updateLink(linkId, { expires_at: Date.UTC(2026, 10, 20, 12) })
    return linkId
  }),
  openScene('revoked', 'revoked', async (t) => {
    const linkId = await t.link()
    expectOk(await t.call('DELETE', `/v1/link/${linkId}`))
    return linkId
  }),
  openScene('full', 'full', (t) => createUsedLink(t, { maxAccounts: 1 })),
  openScene(
    'identifierFull',
    'identifierFull',
    (t) => createUsedLink(t, { maxAccountsPerIdentifier: 1 }),
    () => ({ accountIdentifier: 'customer-17' }),
  ),
  openScene('unknownLink', 'unknownLink', async () => 'lnk_nothing'),
  openScene(
    'redirectNotAllowed',
    'redirectNotAllowed',
    (t) => t.link(),
    () => ({ redirectURL: 'https://elsewhere.example/' }),
  ),
  {
    name: 'notHere',
    state: 'notHere',
    async setUp(driver) {
      await driver.openFrame(await createLink(driver.t, driver.t.unconfigured.token))
      return undefined
    },
  },
  {
    name: 'notOurs',
    state: 'notOurs',
    async setUp(driver) {
      await driver.open(await driver.t.link({ integrationDefinitionId: driver.t.github.id }))
      await submitWith(driver, 'visit', 'forged')
      await driver.state('notOurs')
      return undefined
    },
  },
  openScene(
    'wrongAddress',
    'wrongAddress',
    (t) => t.link(),
    () => ({ accountIdentifier: 'x'.repeat(300) }),
  ),
  {
    name: 'visitLost',
    state: 'failed',
    async setUp(driver) {
      await driver.open(await driver.t.link({ integrationDefinitionId: driver.t.form.id }))
      await driver.page.locator('[type=password]').first().fill('desk_canary_0123456789')
      await driver.context.clearCookies()
      await driver.page.evaluate(`document.querySelector('form').submit()`)
      await driver.state('failed')
      return undefined
    },
  },
  {
    name: 'wayChanged',
    state: 'wayChanged',
    async setUp(driver) {
      await driver.open(await driver.t.link({ integrationDefinitionId: driver.t.github.id }))
      await submitWith(driver, 'auth', 'Gone')
      await driver.state('wayChanged')
      return undefined
    },
  },
  {
    name: 'notOffered',
    state: 'notOffered',
    async setUp(driver) {
      await driver.open(await driver.t.link({ integrationDefinitionId: driver.t.github.id }))
      await submitWith(driver, 'integration', 'gone')
      await driver.state('notOffered')
      return undefined
    },
  },
  {
    name: 'rateLimited',
    state: 'rateLimited',
    async setUp(driver) {
      const linkId = await driver.t.link({ integrationDefinitionId: driver.t.github.id })
      await driver.open(linkId)
      const post = () => fetch(`${driver.t.url}/link/${linkId}/connect`, { method: 'POST' })
      await Promise.all(Array.from({ length: 30 }, post))
      await driver.page.evaluate(`document.querySelector('form').submit()`)
      await driver.state('rateLimited')
      return undefined
    },
  },
  {
    name: 'tooManyFailed',
    state: 'tooManyFailed',
    async setUp(driver) {
      await driver.open(await driver.t.link({ integrationDefinitionId: driver.t.github.id }))
      driver.t.checkStub.result = { status: false, code: 'invalid_credentials' }
      await submitInvalidKeys(driver, FAILED_CHECK_BUDGETS.visitor.capacity)
      driver.t.checkStub.result = { status: true }
      await driver.page.locator('#field-0').fill('ghp_canary_0123456789')
      await driver.send()
      await driver.state('tooManyFailed')
      return undefined
    },
  },
  {
    name: 'busy',
    state: 'busy',
    async setUp(driver) {
      const other = await driver.t.otherUser()
      const linkId = await createLink(driver.t, other.token)
      await driver.t.database.transaction(async (trx) => {
        await trx
          .updateTable('workspaces')
          .set({ settings: 'no JSON' })
          .where('workspace_id', '=', other.workspaceId)
          .execute()
      })
      await driver.open(linkId)
      return undefined
    },
  },
]

/** Submits a form that was rendered before a change. */
async function submitWith({ page }: SceneDriver, name: string, value: string): Promise<void> {
  await page.evaluate(`(() => {
    const form = document.querySelector('form')
    const url = new URL(form.action)
    url.searchParams.delete(${JSON.stringify(name)})
    form.action = url.href
    form.elements.namedItem(${JSON.stringify(name)}).value = ${JSON.stringify(value)}
    form.submit()
  })()`)
}

/** Submits forms with a wrong key outside the page. */
function submitInvalidKeys({ page }: SceneDriver, times: number): Promise<unknown> {
  return page.evaluate(`(async () => {
    for (let sent = 0; sent < ${times}; sent++) {
      const text = await (await fetch(location.href)).text()
      const form = new DOMParser().parseFromString(text, 'text/html').querySelector('form')
      form.querySelector('#field-0').value = 'ghp_wrong_0123456789'
      const body = new URLSearchParams(new FormData(form))
      await fetch(form.getAttribute('action'), { method: 'POST', body })
    }
  })()`)
}

async function createLink(t: SceneContext, token: string): Promise<string> {
  return expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'x' }, token })).linkId
}

/** A link to which another person has already added an account. */
async function createUsedLink(t: SceneContext, limits: Record<string, unknown>): Promise<string> {
  const linkId = await t.link(limits)
  const body = {
    integrationDefinitionId: t.github.id,
    integrationAccountName: 'GitHub',
    authType: 'Api Key',
    config: { api_key: 'ghp_canary_0123456789' },
    accountIdentifier: 'customer-17',
  }
  expectCreated(await t.call('POST', `/v1/integration_account/link/${linkId}`, { body }))
  return linkId
}
