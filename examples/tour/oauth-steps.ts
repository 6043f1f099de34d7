import { BOOKS_CLIENT } from '../provider/books.ts'
import type { CallApi, ResponseBody } from './api-caller.ts'
import { expectThat, UnexpectedResult } from './expect-that.ts'
import type { ReturnPage, ReturnVisit } from './return-page.ts'

/** What a sign-in takes. */
export interface OAuthInput {
  /** The provider and its bundles. */
  readonly providerUrl: string
  readonly returnPage: ReturnPage
  /** Brings the person to the one-time page. It may resolve at once, or after the person was shown the end. */
  readonly send: (url: string) => Promise<void>
  readonly signal: AbortSignal
}

/** Registers the app, sends a person through sign-in, confirms, uses the account and deletes it. @throws Surprise */
export async function oauthSteps(call: CallApi, input: OAuthInput): Promise<void> {
  const definitionId = await registerSteps(call, input)
  const accountId = await signInSteps(call, input, definitionId)
  await usageSteps(call, accountId)
  await deleteSteps(call, accountId)
}

/** What is done once per provider and workspace; resolves to the definition. */
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
    title: 'Keep the OAuth app that was registered at Acme Books: its secret is sealed',
    method: 'POST',
    path: '/integration_oauth',
    body: {
      integrationDefinitionId,
      clientId: BOOKS_CLIENT.client_id,
      clientSecret: BOOKS_CLIENT.client_secret,
      // The customer says where Acme Books is, so the app lists the hosts that may receive the secret.
      allowedHosts: ['127.0.0.1'],
    },
    expect: 201,
    show: ['integrationOAuthAppId', 'clientId', 'scopes', 'allowedHosts'],
  })
  await call({
    title: 'Name the workspace, and the page that people may be sent back to',
    method: 'POST',
    path: `/workspace/${workspaceId}`,
    body: { name: 'North', allowedRedirectURLs: [returnPage.url] },
    expect: 200,
    show: ['name', 'allowedRedirectURLs'],
  })
  return String(integrationDefinitionId)
}

/** From start to an active account; resolves to its id. */
async function signInSteps(
  call: CallApi,
  input: OAuthInput,
  definitionId: string,
): Promise<string> {
  const started = await call({
    title: 'Start a connection: a one-time page, good for 10 minutes',
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
  const sent = input.send(String(started.redirectURL))
  // A browser of ours ends only once it is shown something; until then only its failure counts.
  const { values, show } = await Promise.race([returned, sent.then(() => returned)])
  const account = await confirmReturn(call, values, show)
  await sent
  return String(account.integrationAccountId)
}

/** Confirms what the person brought, and shows the person how it ended. */
async function confirmReturn(
  call: CallApi,
  values: ReturnVisit['values'],
  show: ReturnVisit['show'],
) {
  if (values.success !== 'true') {
    show('Acme Books was not connected', 'You can close this page and go back to the terminal.')
    throw new UnexpectedResult(`The person came back without a connection: ${values.error}.`)
  }
  try {
    const account = await confirm(call, values)
    show('Acme Books is connected', 'You can close this page and go back to the terminal.')
    return account
  } catch (error) {
    show('Acme Books was not connected', 'The terminal says why.')
    throw error
  }
}

async function confirm(call: CallApi, values: ReturnVisit['values']): Promise<ResponseBody> {
  const account = await call({
    title: 'The person is back. Confirm it with the token that came along: the account is active',
    method: 'POST',
    path: '/oauth/confirm',
    body: { confirmToken: values.confirmToken },
    expect: 200,
    show: ['integrationAccountId', 'status', 'authType', 'integrationConfiguration'],
  })
  expectThat(
    account.integrationAccountId === values.integrationAccountId && account.status === 'active',
    'The confirmed account should be the one that the person brought back, and active.',
  )
  return account
}

async function usageSteps(call: CallApi, id: string): Promise<void> {
  const credentials = await call({
    title: 'Get its live credentials: headers ready to be sent (these are made up)',
    method: 'GET',
    path: `/integration_account/${id}/credentials`,
    expect: 200,
    show: ['headers'],
  })
  const { Authorization: bearer = '' } = { ...(credentials.headers as Record<string, string>) }
  expectThat(/^Bearer access_\d+$/.test(bearer), `Not the headers expected: ${bearer}.`)
  const books = await call({
    title: 'Or let Linchpin send the request: the proxy, below api_base_url of the spec',
    method: 'GET',
    path: `/integration_account/${id}/proxy/account`,
    expect: 200,
  })
  expectThat(books.id === 'org_north', 'Acme Books should answer the books of north.')
}

async function deleteSteps(call: CallApi, id: string): Promise<void> {
  const deletion = await call({
    title: 'Delete it: revoked at Acme Books, erased here',
    method: 'DELETE',
    path: `/integration_account/${id}`,
    expect: 200,
    show: ['integrationAccountId', 'integrationConfiguration', 'deleted', 'revocation'],
  })
  expectThat(
    deletion.revocation === 'revoked',
    `Revocation went otherwise: ${deletion.revocation}.`,
  )
}
