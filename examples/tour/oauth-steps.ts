import { BOOKS_CLIENT } from '../provider/books.ts'
import type { CallApi, ResponseBody } from './api-caller.ts'
import { expectThat, UnexpectedResult } from './expect-that.ts'
import type { ReturnPage, ReturnVisit } from './return-page.ts'

/** The inputs of a sign-in. */
export interface OAuthInput {
  /** The base URL of the provider and its bundles. */
  readonly providerUrl: string
  readonly returnPage: ReturnPage
  /** Sends the person to the one-time page. May resolve at once, or after the person has seen the last page. */
  readonly send: (url: string) => Promise<void>
  readonly signal: AbortSignal
}

/** Registers the app, sends a person through sign-in, confirms, uses the account and deletes it. @throws UnexpectedResult */
export async function runOAuthSteps(call: CallApi, input: OAuthInput): Promise<void> {
  const definitionId = await registerSteps(call, input)
  const accountId = await signInSteps(call, input, definitionId)
  await runUsageSteps(call, accountId)
  await deleteSteps(call, accountId)
}

/** The one-time setup per provider and workspace; resolves to the id of the definition. */
async function registerSteps(
  call: CallApi,
  { providerUrl, returnPage }: OAuthInput,
): Promise<string> {
  const { integrationDefinitionId, workspaceId } = await call({
    title: 'Create the definition of Acme Books',
    method: 'POST',
    path: '/integration_definition',
    body: {
      name: 'Acme Books',
      sourceUrl: `${providerUrl}/bundles/acme-books/index.js`,
      integrationType: { key: 'ACCOUNTING' },
    },
    expect: 201,
    show: ['integrationDefinitionId', 'key', 'workspaceId'],
  })
  await call({
    title: 'Store the OAuth app that was registered at Acme Books: its secret is encrypted',
    method: 'POST',
    path: '/integration_oauth',
    body: {
      integrationDefinitionId,
      clientId: BOOKS_CLIENT.client_id,
      clientSecret: BOOKS_CLIENT.client_secret,
      // The host comes from the customer's config, so the app lists the hosts that may receive the secret.
      allowedHosts: ['127.0.0.1'],
    },
    expect: 201,
    show: ['integrationOAuthAppId', 'clientId', 'scopes', 'allowedHosts'],
  })
  await call({
    title: 'Name the workspace, and allow the page that people return to',
    method: 'POST',
    path: `/workspace/${workspaceId}`,
    body: { name: 'North', allowedRedirectURLs: [returnPage.url] },
    expect: 200,
    show: ['name', 'allowedRedirectURLs'],
  })
  return String(integrationDefinitionId)
}

/** Starts and completes a sign-in; resolves to the id of the active account. */
async function signInSteps(
  call: CallApi,
  input: OAuthInput,
  definitionId: string,
): Promise<string> {
  const started = await call({
    title: 'Start a connection: a one-time page, valid for 10 minutes',
    method: 'POST',
    path: '/oauth',
    body: {
      integrationDefinitionId: definitionId,
      integrationAccountName: 'Books of North',
      redirectURL: input.returnPage.url,
      config: { base_url: input.providerUrl, subdomain: 'north', region: 'eu' },
      accountIdentifier: 'customer-41',
    },
    expect: 200,
  })
  const returned = input.returnPage.waitForReturn(input.signal)
  const browserResult = input.send(String(started.redirectURL))
  // The simulated browser ends only after it has received a page; until then only its failure matters.
  const { values, show } = await Promise.race([returned, browserResult.then(() => returned)])
  const account = await confirmReturn(call, values, show)
  await browserResult
  return String(account.integrationAccountId)
}

/** Confirms the returned connection and shows the person the outcome. */
async function confirmReturn(
  call: CallApi,
  values: ReturnVisit['values'],
  show: ReturnVisit['show'],
) {
  if (values.success !== 'true') {
    show('Acme Books was not connected', 'You can close this page and go back to the terminal.')
    throw new UnexpectedResult(`The person returned without a connection: ${values.error}.`)
  }
  try {
    const account = await confirm(call, values)
    show('Acme Books is connected', 'You can close this page and go back to the terminal.')
    return account
  } catch (error) {
    show('Acme Books was not connected', 'The terminal shows why.')
    throw error
  }
}

async function confirm(call: CallApi, values: ReturnVisit['values']): Promise<ResponseBody> {
  const account = await call({
    title:
      'The person is back. Confirm the connection with the returned token: the account is active',
    method: 'POST',
    path: '/oauth/confirm',
    body: { confirmToken: values.confirmToken },
    expect: 200,
    show: ['integrationAccountId', 'status', 'authType', 'integrationConfiguration'],
  })
  expectThat(
    account.integrationAccountId === values.integrationAccountId && account.status === 'active',
    'The confirmed account should be the one that the person connected, and active.',
  )
  return account
}

async function runUsageSteps(call: CallApi, id: string): Promise<void> {
  const credentials = await call({
    title: 'Get its live credentials: headers that authenticate requests (these are fictitious)',
    method: 'GET',
    path: `/integration_account/${id}/credentials`,
    expect: 200,
    show: ['headers'],
  })
  const { Authorization: bearer = '' } = { ...(credentials.headers as Record<string, string>) }
  expectThat(/^Bearer access_\d+$/.test(bearer), `Unexpected Authorization header: ${bearer}.`)
  const books = await call({
    title:
      'Or let Linchpin send the request: the proxy appends the path to api_base_url of the spec',
    method: 'GET',
    path: `/integration_account/${id}/proxy/account`,
    expect: 200,
  })
  expectThat(books.id === 'org_north', 'Acme Books should return the account of north.')
}

async function deleteSteps(call: CallApi, id: string): Promise<void> {
  const deletion = await call({
    title: 'Delete it: revoked at Acme Books, erased in Linchpin',
    method: 'DELETE',
    path: `/integration_account/${id}`,
    expect: 200,
    show: ['integrationAccountId', 'integrationConfiguration', 'deleted', 'revocation'],
  })
  expectThat(
    deletion.revocation === 'revoked',
    `The revocation should be revoked, not ${deletion.revocation}.`,
  )
}
