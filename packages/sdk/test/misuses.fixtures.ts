// Each line below a directive is a misuse that the compiler must reject: `scripts/pack/pack-sdk.test.ts` compiles this file.
import { findLinchpinError, isLinchpinError, Linchpin } from '@linchpin/sdk'
import { verifyWebhook, webhookHandler } from '@linchpin/sdk/webhooks'

const linchpin = new Linchpin({ baseUrl: 'https://connect.example.com', token: 'lp_1' })
const account = {
  integrationDefinitionId: 'acme_desk',
  integrationAccountName: 'Support desk',
  authType: 'Api Key',
  config: {},
}
declare const error: unknown

// @ts-expect-error
linchpin.accounts.get()
// @ts-expect-error
linchpin.accounts.get(1)
// @ts-expect-error
linchpin.accounts.get('acc_1', { timeout: 1 })
// @ts-expect-error
linchpin.accounts.create()
// @ts-expect-error
linchpin.accounts.create({})
// @ts-expect-error
linchpin.accounts.create({ ...account, config: undefined })
// @ts-expect-error
linchpin.accounts.create({ ...account, config: 'key' })
// @ts-expect-error
linchpin.accounts.create({ ...account, tags: { plan: 1 } })
// @ts-expect-error
linchpin.accounts.create({ ...account, accountIdentifier: 41 })
// @ts-expect-error
linchpin.accounts.create({ ...account, name: 'b' })
// @ts-expect-error
linchpin.accounts.list({ status: 'needs_reath' })
// @ts-expect-error
linchpin.accounts.list({ statuss: 'active' })
// @ts-expect-error
linchpin.accounts.list({ order: 'created' })
// @ts-expect-error
linchpin.accounts.list({ limit: '10' })
// @ts-expect-error
linchpin.accounts.list({ tag: 'plan:pro' })
// @ts-expect-error
linchpin.accounts.list().then(() => {})
// @ts-expect-error
linchpin.accounts.list().length
// @ts-expect-error
linchpin.accounts.list().first()
// @ts-expect-error
linchpin.accounts.list().first('3')
// @ts-expect-error
linchpin.accounts.remove('acc_1')
// @ts-expect-error
linchpin.accounts.delete('acc_1', { revoke: true })
// @ts-expect-error
linchpin.accounts.update('acc_1', { name: 'b' })
// @ts-expect-error
linchpin.accounts.update({ integrationAccountName: 'b' })
// @ts-expect-error
linchpin.accounts.createThroughLink({ ...account })
// @ts-expect-error
linchpin.account()
// @ts-expect-error
linchpin.account(41)
// @ts-expect-error
linchpin.account('acc_1').fetch()
// @ts-expect-error
linchpin.account('acc_1').fetch('/a', { method: 1 })
// @ts-expect-error
linchpin.account('acc_1').proxyURL
// @ts-expect-error
linchpin.account('acc_1').tokenProvider().accessToken
// @ts-expect-error
linchpin.links.create({})
// @ts-expect-error
linchpin.links.create({ linkName: 'a', maxAccounts: '1' })
// @ts-expect-error
linchpin.links.create({ linkName: 'a', preferOauth: true })
// @ts-expect-error
linchpin.links.get({ linkId: 'lnk_1' })
// @ts-expect-error
linchpin.links.update('lnk_1', { category: [] })
// @ts-expect-error
linchpin.connectSessions.create({ accountIdentifier: 41 })
// @ts-expect-error
linchpin.connectSessions.create({ linkId: 'lnk_1', mode: 'view' })
// @ts-expect-error
linchpin.connectSessions.create({ linkId: 'lnk_1', expiresIn: '1h' })
// @ts-expect-error
linchpin.connectSessions.confirm('cns_1')
// @ts-expect-error
linchpin.oauth.confirm({ token: 'a' })
// @ts-expect-error
linchpin.oauthApps.create({ integrationDefinitionId: 'a' })
// @ts-expect-error
linchpin.oauthApps.update('oap_1', { scopes: 'read' })
// @ts-expect-error
linchpin.definitions.create({ name: 'a', sourceUrl: 'b' })
// @ts-expect-error
linchpin.definitions.setIcon('def_1', {})
// @ts-expect-error
linchpin.events.list({ after: '1' })
// @ts-expect-error
linchpin.events.tail({ wait: 5 })
// @ts-expect-error
linchpin.events.tail({ type: 'link.*' })
// @ts-expect-error
linchpin.webhookEndpoints.create({ types: [] })
// @ts-expect-error
linchpin.webhookEndpoints.create({ url: 'a', signature: 'v2' })
// @ts-expect-error
linchpin.webhookEndpoints.update('whe_1', { replay: 'all' })
// @ts-expect-error
linchpin.webhookEndpoints.test('whe_1', { type: 'account.create' })
// @ts-expect-error
linchpin.tokens.create({ name: 'a', scopes: ['reads'] })
// @ts-expect-error
linchpin.tokens.create({ name: 'a', seconds: '60' })
// @ts-expect-error
linchpin.tokens.create({ name: 'a', integrationAccountIds: 'acc_1' })
// @ts-expect-error
findLinchpinError(error).code
// @ts-expect-error
linchpin.users.create({ firstname: 'Ada' })
// @ts-expect-error
linchpin.workspaces.update('wsp_1', { theme: { colour: '#fff' } })
// @ts-expect-error
linchpin.customers.export()
// @ts-expect-error
linchpin.gadgets
// @ts-expect-error
new Linchpin({ baseUrl: 'https://a.example' })
// @ts-expect-error
new Linchpin({ baseURL: 'https://a.example', token: 'lp_1' })
// @ts-expect-error
isLinchpinError(error, 'needs_reuath')
// @ts-expect-error
webhookHandler({ keys: 'whsec_', on: { 'account.create': () => {} } })
// @ts-expect-error
webhookHandler({ on: {} })
// @ts-expect-error
webhookHandler({ keys: 'whsec_', on: { 'account.deleted': (event) => event.data.reason } })
// @ts-expect-error
verifyWebhook({ id: 'evt_1' }, new Headers(), 'whsec_')
// @ts-expect-error
verifyWebhook('', new Headers())
