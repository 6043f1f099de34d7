import { FAILED_CHECK_BUDGETS } from '../../../src/link-page/send/failed-checks.ts'
import { created, fine } from '../../fixtures.ts'
import { type Go, opened, type Scene } from './scene.ts'
import type { Stage } from './stage.ts'

/** What ends a visit before it begins. */
export const STOP_SCENES: readonly Scene[] = [
  opened('expired', 'expired', async (t) => {
    const linkId = await t.link({ expiresIn: 60, canExpire: true })
    await t.closeLink(linkId, { expires_at: Date.UTC(2026, 10, 20, 12) })
    return linkId
  }),
  opened('revoked', 'revoked', async (t) => {
    const linkId = await t.link()
    fine(await t.call('DELETE', `/v1/link/${linkId}`))
    return linkId
  }),
  opened('full', 'full', (t) => taken(t, { maxAccounts: 1 })),
  opened(
    'identifierFull',
    'identifierFull',
    (t) => taken(t, { maxAccountsPerIdentifier: 1 }),
    () => ({ accountIdentifier: 'customer-17' }),
  ),
  opened('unknownLink', 'unknownLink', async () => 'lnk_nothing'),
  opened(
    'redirectNotAllowed',
    'redirectNotAllowed',
    (t) => t.link(),
    () => ({ redirectURL: 'https://elsewhere.example/' }),
  ),
  {
    name: 'notHere',
    state: 'notHere',
    async reach(go) {
      await go.openFrame(await linkOf(go.t, go.t.bare.token))
      return undefined
    },
  },
  {
    name: 'notOurs',
    state: 'notOurs',
    async reach(go) {
      await go.open(await go.t.link({ integrationDefinitionId: go.t.github.id }))
      await sendWith(go, 'visit', 'nobody')
      await go.state('notOurs')
      return undefined
    },
  },
  opened(
    'wrongAddress',
    'wrongAddress',
    (t) => t.link(),
    () => ({ accountIdentifier: 'x'.repeat(300) }),
  ),
  {
    name: 'visitLost',
    state: 'failed',
    async reach(go) {
      await go.open(await go.t.link({ integrationDefinitionId: go.t.form.id }))
      await go.page.locator('[type=password]').first().fill('desk_canary_0123456789')
      await go.context.clearCookies()
      await go.page.evaluate(`document.querySelector('form').submit()`)
      await go.state('failed')
      return undefined
    },
  },
  {
    name: 'wayChanged',
    state: 'wayChanged',
    async reach(go) {
      await go.open(await go.t.link({ integrationDefinitionId: go.t.github.id }))
      await sendWith(go, 'auth', 'Gone')
      await go.state('wayChanged')
      return undefined
    },
  },
  {
    name: 'notOffered',
    state: 'notOffered',
    async reach(go) {
      await go.open(await go.t.link({ integrationDefinitionId: go.t.github.id }))
      await sendWith(go, 'integration', 'gone')
      await go.state('notOffered')
      return undefined
    },
  },
  {
    name: 'rateLimited',
    state: 'rateLimited',
    async reach(go) {
      const linkId = await go.t.link({ integrationDefinitionId: go.t.github.id })
      await go.open(linkId)
      const post = () => fetch(`${go.t.url}/link/${linkId}/connect`, { method: 'POST' })
      await Promise.all(Array.from({ length: 30 }, post))
      await go.page.evaluate(`document.querySelector('form').submit()`)
      await go.state('rateLimited')
      return undefined
    },
  },
  {
    name: 'tooManyFailed',
    state: 'tooManyFailed',
    async reach(go) {
      await go.open(await go.t.link({ integrationDefinitionId: go.t.github.id }))
      go.t.told.verdict = { status: false, code: 'invalid_credentials' }
      await failChecks(go, FAILED_CHECK_BUDGETS.visitor.capacity)
      go.t.told.verdict = { status: true }
      await go.page.locator('#field-0').fill('ghp_canary_0123456789')
      await go.send()
      await go.state('tooManyFailed')
      return undefined
    },
  },
  {
    name: 'busy',
    state: 'busy',
    async reach(go) {
      const other = await go.t.stranger()
      const linkId = await linkOf(go.t, other.token)
      await go.t.database.transaction(async (trx) => {
        await trx
          .updateTable('workspaces')
          .set({ settings: 'no JSON' })
          .where('workspace_id', '=', other.workspaceId)
          .execute()
      })
      await go.open(linkId)
      return undefined
    },
  },
]

/** Sends the form as one that was drawn before something changed. */
async function sendWith({ page }: Go, name: string, value: string): Promise<void> {
  await page.evaluate(`(() => {
    const form = document.querySelector('form')
    const url = new URL(form.action)
    url.searchParams.delete(${JSON.stringify(name)})
    form.action = url.href
    form.elements.namedItem(${JSON.stringify(name)}).value = ${JSON.stringify(value)}
    form.submit()
  })()`)
}

/** Sends the form with a wrong key beside the page, each time anew. */
function failChecks({ page }: Go, times: number): Promise<unknown> {
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

async function linkOf(t: Stage, token: string): Promise<string> {
  return created(await t.call('POST', '/v1/link', { body: { linkName: 'x' }, token })).linkId
}

/** A link through which one account was added already, by somebody else. */
async function taken(t: Stage, bounds: Record<string, unknown>): Promise<string> {
  const linkId = await t.link(bounds)
  const body = {
    integrationDefinitionId: t.github.id,
    integrationAccountName: 'GitHub',
    authType: 'Api Key',
    config: { api_key: 'ghp_canary_0123456789' },
    accountIdentifier: 'customer-17',
  }
  created(await t.call('POST', `/v1/integration_account/link/${linkId}`, { body }))
  return linkId
}
