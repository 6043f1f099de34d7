import type { Page } from 'playwright-core'
import { type Go, opened, type Scene } from './scene.ts'

/** Signing in, and how it ends. */
export const SIGN_IN_SCENES: readonly Scene[] = [
  opened(
    'signIn',
    'signIn',
    (t) => t.link({ integrationDefinitionId: t.ways.id }),
    () => ({ auth: 'OAuth2' }),
  ),
  opened('signIn-only', 'signIn', (t) => t.link({ integrationDefinitionId: t.books.id })),
  {
    name: 'waitingSignIn',
    state: 'signIn',
    async reach(go) {
      const window = await begin(go)
      await screenOf(go, 'waitingSignIn')
      return () => window.close()
    },
  },
  {
    name: 'waitingSignIn-reloaded',
    state: 'waitingSignIn',
    async reach(go) {
      const window = await begin(go)
      await screenOf(go, 'waitingSignIn')
      await go.page.reload()
      await go.state('waitingSignIn')
      return () => window.close()
    },
  },
  {
    name: 'windowClosed',
    state: 'signIn',
    async reach(go) {
      const window = await begin(go)
      await screenOf(go, 'waitingSignIn')
      await window.close()
      await screenOf(go, 'windowClosed')
      return undefined
    },
  },
  {
    name: 'popupBlocked',
    state: 'signIn',
    async reach(go) {
      await go.page.addInitScript('window.open = () => null')
      await go.open(await go.t.link({ integrationDefinitionId: go.t.books.id }))
      await go.send()
      await screenOf(go, 'popupBlocked')
      return undefined
    },
  },
  {
    name: 'connected-by-sign-in',
    state: 'connected',
    reach: (go) => finish(go, 'allow', 'connected'),
  },
  { name: 'failed-denied', state: 'failed', reach: (go) => finish(go, 'deny', 'failed') },
  {
    name: 'closed',
    state: 'closed',
    async reach(go) {
      await go.page.goto(`${go.t.url}/link/${await go.t.link()}/closed?lang=${await langOf(go)}`)
      return undefined
    },
  },
  { name: 'closed-good', state: 'closed', reach: (go) => closedAfter(go, 'allow', 'connected') },
  { name: 'closed-bad', state: 'closed', reach: (go) => closedAfter(go, 'deny', 'failed') },
]

/** Opens the window of a sign-in. */
async function begin(go: Go): Promise<Page> {
  await go.open(await go.t.link({ integrationDefinitionId: go.t.books.id }))
  const opens = go.context.waitForEvent('page')
  await go.send()
  const window = await opens
  await window.locator('#allow').waitFor()
  return window
}

async function finish(go: Go, press: 'allow' | 'deny', state: string): Promise<undefined> {
  const window = await begin(go)
  await window.locator(`#${press}`).click()
  await go.state(state)
}

async function closedAfter(go: Go, press: 'allow' | 'deny', state: string): Promise<undefined> {
  await finish(go, press, state)
  const url = new URL(go.page.url())
  url.pathname += '/closed'
  await go.page.goto(url.href)
}

async function screenOf({ page }: Go, name: string): Promise<void> {
  await page.locator(`[data-screen="${name}"]`).waitFor()
}

/** The language of the visit, from the first page that it opens. */
async function langOf(go: Go): Promise<string> {
  await go.open(await go.t.link())
  return (await go.page.locator('html').getAttribute('lang')) ?? 'en'
}
