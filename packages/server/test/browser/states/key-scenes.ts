import { type Go, opened, type Scene } from './scene.ts'

/** Forms of keys, and how they end. */
export const KEY_SCENES: readonly Scene[] = [
  opened('form', 'form', (t) => t.link({ integrationDefinitionId: t.github.id })),
  opened(
    'form-of-many',
    'form',
    (t) => t.link(),
    (t) => ({ integration: t.github.key }),
  ),
  opened('form-custom', 'form', (t) => t.link({ integrationDefinitionId: t.form.id })),
  opened(
    'form-password',
    'form',
    (t) => t.link({ integrationDefinitionId: t.ways.id }),
    () => ({ auth: 'Basic' }),
  ),
  {
    name: 'form-faults',
    state: 'failed',
    async reach(go) {
      await go.open(await go.t.link({ integrationDefinitionId: go.t.form.id }))
      // Past the script, which would say it before.
      await go.page.evaluate(`document.querySelector('form').submit()`)
      await go.state('failed')
      return undefined
    },
  },
  {
    name: 'failed-key',
    state: 'failed',
    reach: (go) =>
      refuse(go, {
        status: false,
        error: 'Bad credentials',
        code: 'invalid_credentials',
        field: 'api_key',
        hint: 'Keys start with ghp_; make a new one at github.com/settings/tokens.',
      }),
  },
  {
    name: 'failed-provider',
    state: 'failed',
    reach: (go) => refuse(go, { status: false, error: 'no', code: 'rate_limited' }),
  },
  {
    name: 'used-up',
    state: 'alreadyFinished',
    async reach(go) {
      const only = { integrationDefinitionId: go.t.github.id, maxAccounts: 1 }
      await go.open(await connect(go, {}, only))
      return undefined
    },
  },
  { name: 'connected', state: 'connected', reach: (go) => connect(go).then(() => undefined) },
  {
    name: 'connected-with-return',
    state: 'connected',
    reach: (go) => connect(go, { redirectURL: go.t.home }).then(() => undefined),
  },
  {
    name: 'picker-connected',
    state: 'picker',
    async reach(go) {
      const linkId = await connect(go, { redirectURL: go.t.home, integration: go.t.github.key }, {})
      await go.open(linkId, { redirectURL: go.t.home })
      return undefined
    },
  },
  {
    name: 'alreadyFinished',
    state: 'alreadyFinished',
    async reach(go) {
      await go.open(await go.t.link({ integrationDefinitionId: go.t.github.id }))
      await fill(go)
      await sendTwice(go)
      await go.page.evaluate(`document.querySelector('form').submit()`)
      await go.state('alreadyFinished')
      return undefined
    },
  },
  {
    name: 'stillRunning',
    state: 'stillRunning',
    async reach(go) {
      const held = go.t.hold()
      await go.open(await go.t.link({ integrationDefinitionId: go.t.github.id }))
      await fill(go)
      const sent = sendTwice(go).catch(() => undefined)
      await held.asked
      await go.page.evaluate(`document.querySelector('form').submit()`)
      await go.state('stillRunning')
      return async () => {
        held.release()
        await sent
      }
    },
  },
  {
    name: 'checking',
    state: 'form',
    async reach(go) {
      const held = go.t.hold()
      await go.open(await go.t.link({ integrationDefinitionId: go.t.github.id }))
      await fill(go)
      await go.send()
      await held.asked
      return held.release
    },
  },
  {
    name: 'slow',
    state: 'form',
    async reach(go) {
      const held = go.t.hold()
      await go.page.clock.install()
      await go.open(await go.t.link({ integrationDefinitionId: go.t.github.id }))
      await fill(go)
      await go.send()
      await held.asked
      await go.page.clock.runFor(8_100)
      await go.page.locator('[data-screen="slow"]').waitFor()
      return held.release
    },
  },
  {
    name: 'offline',
    state: 'form',
    async reach(go) {
      await go.open(await go.t.link({ integrationDefinitionId: go.t.github.id }))
      await fill(go)
      await go.context.setOffline(true)
      await go.send()
      await go.page.locator('[data-screen="offline"]').waitFor()
      return () => go.context.setOffline(false)
    },
  },
  {
    name: 'frame-form',
    state: 'form',
    async reach(go) {
      await go.openFrame(await go.t.link({ integrationDefinitionId: go.t.github.id }))
      return undefined
    },
  },
]

async function fill({ page }: Go): Promise<void> {
  await page.locator('#field-0').fill('ghp_canary_0123456789')
}

/** Sends the form beside the page, so that the page can send it again. */
function sendTwice({ page }: Go): Promise<unknown> {
  return page.evaluate(`(() => {
    const form = document.querySelector('form')
    return fetch(form.action, { method: 'POST', keepalive: true, body: new URLSearchParams(new FormData(form)) }).then((a) => a.status)
  })()`)
}

async function refuse(go: Go, verdict: unknown): Promise<undefined> {
  const { t } = go
  await go.open(await t.link({ integrationDefinitionId: t.github.id }))
  await fill(go)
  t.told.verdict = verdict
  await go.send()
  await go.state('failed')
  t.told.verdict = { status: true }
}

/** Connects with a key; answers the link. */
async function connect(
  go: Go,
  query: Record<string, string> = {},
  body: Record<string, unknown> = { integrationDefinitionId: go.t.github.id },
): Promise<string> {
  const linkId = await go.t.link(body)
  await go.open(linkId, query)
  await fill(go)
  await go.send()
  await go.state('connected')
  return linkId
}
