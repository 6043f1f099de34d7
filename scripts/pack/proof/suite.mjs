/**
 * What the SDK promises in every runtime, against a real service. It uses only what these runtimes share.
 *
 * @returns the names of the checks. @throws Error with the name of the one that fails
 */
export async function runSuite(sdk, webhooks, setup) {
  const linchpin = new sdk.Linchpin({ baseUrl: setup.baseUrl, token: setup.token })
  const context = { sdk, webhooks, setup, linchpin, desk: linchpin.account(setup.accountId) }
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      await check(context)
    } catch (error) {
      throw new Error(`${name}: ${error.stack}`)
    }
  }
  return Object.keys(CHECKS)
}

const CHECKS = {
  async 'reads a list page by page'({ linchpin }) {
    const prefix = crypto.randomUUID()
    for (const number of [1, 2, 3]) await linchpin.links.create({ linkName: `${prefix} ${number}` })
    const names = []
    for await (const { linkName } of linchpin.links.list({ limit: 2 }))
      if (linkName.startsWith(prefix)) names.push(linkName.at(-1))
    equal(names, ['1', '2', '3'])
  },

  async 'throws typed errors'({ sdk, linchpin }) {
    const error = await catchError(linchpin.accounts.get('acc_0'))
    equal(sdk.isLinchpinError(error, 'integration_account_not_found'), true)
    equal([error.status, typeof error.requestId], [404, 'string'])
  },

  async 'creates exactly as many accounts as asked for, although responses are lost'({
    sdk,
    linchpin,
    setup,
  }) {
    const { lossyUrl: baseUrl, token, definitionId } = setup
    const lossy = new sdk.Linchpin({ baseUrl, token, maxRetries: 15 })
    const accountIdentifier = crypto.randomUUID()
    const create = () =>
      lossy.accounts.create({
        integrationDefinitionId: definitionId,
        integrationAccountName: 'An account',
        authType: 'Api Key',
        config: { api_key: 'key' },
        accountIdentifier,
      })
    await Promise.all(Array.from({ length: 15 }, create))
    equal((await linchpin.accounts.list({ accountIdentifier }).first(100)).length, 15)
  },

  async 'notices a service that does not respond, and one that is not there'({ sdk, setup }) {
    const options = { token: setup.token, maxRetries: 0, timeoutMs: 100 }
    const silent = new sdk.Linchpin({ ...options, baseUrl: setup.silentUrl })
    const timeout = await catchError(silent.users.getCurrent())
    equal(
      [timeout.name, timeout instanceof sdk.LinchpinConnectionError],
      ['LinchpinTimeoutError', true],
    )
    const absent = new sdk.Linchpin({ ...options, baseUrl: 'http://127.0.0.1:9', timeoutMs: 5_000 })
    equal((await catchError(absent.users.getCurrent())).name, 'LinchpinConnectionError')
    const reason = new Error('stopped')
    const signal = AbortSignal.abort(reason)
    equal((await catchError(silent.users.getCurrent({ signal }))) === reason, true)
  },

  async 'sends requests as the account'({ sdk, linchpin, desk, setup }) {
    equal(await (await desk.fetch('/echo?a=%2F')).json(), {
      method: 'GET',
      url: '/v2/echo?a=%2F',
      body: '',
    })
    const body = JSON.stringify({ text: 'Grüße' })
    const headers = { 'content-type': 'application/json' }
    const url = `${setup.providerUrl}/v2/echo`
    const posted = await desk.fetch(new Request(url, { method: 'POST', body, headers }))
    equal(await posted.json(), { method: 'POST', url: '/v2/echo', body })
    const form = new FormData()
    form.set('file', new Blob(['content of the file']), 'a.txt')
    const uploaded = await (await desk.fetch('/echo', { method: 'PUT', body: form })).json()
    equal(uploaded.body.includes('content of the file'), true)
    equal(await (await desk.fetch('/moved')).text(), 'moved here')
    equal((await desk.fetch('/missing')).status, 404)
    const error = await catchError(linchpin.account('acc_0').fetch('/echo'))
    equal(sdk.findLinchpinError(error)?.code, 'integration_account_not_found')
  },

  async 'follows events'({ linchpin }) {
    const prefix = crypto.randomUUID()
    const create = async () => {
      for (const number of [1, 2, 3])
        await linchpin.links.create({ linkName: `${prefix} ${number}` })
    }
    const creating = create()
    const names = []
    for await (const event of linchpin.events.tail({ types: 'link.created' })) {
      if (event.data.link.linkName.startsWith(prefix)) names.push(event.data.link.linkName.at(-1))
      if (names.length === 3) break
    }
    await creating
    equal(names, ['1', '2', '3'])
  },

  async 'streams an export'({ linchpin }) {
    const text = await (await linchpin.audit.export()).text()
    equal(text.trim().split('\n').length > 3, true)
  },

  async 'verifies webhooks with either kind of key'({ webhooks, setup }) {
    for (const { key, headers } of setup.deliveries) {
      const event = await webhooks.verifyWebhook(setup.body, headers, [key])
      equal(event.type, 'account.needs_reauth')
      const error = await catchError(webhooks.verifyWebhook(`${setup.body} `, headers, [key]))
      equal(error instanceof webhooks.WebhookVerificationError, true)
      const types = []
      const on = { '*': ({ type }) => types.push(type) }
      const handle = webhooks.webhookHandler({ keys: key, seen: new Set(), on })
      const send = (body) =>
        handle(new Request('https://a.example/', { method: 'POST', headers, body }))
      const responses = [await send(setup.body), await send(setup.body), await send('{}')]
      equal(
        responses.map(({ status }) => status),
        [204, 204, 401],
      )
      equal(types, ['account.needs_reauth'])
    }
  },
}

function equal(actual, expected) {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (found !== wanted) throw new Error(`${found} instead of ${wanted}`)
}

async function catchError(promise) {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('It did not throw.')
}
