import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import {
  Client,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { expectOk, type TestContext } from '../../../../test/test-context.ts'
import {
  createVisitor,
  type FetchedPage,
  type TestVisitor,
} from '../../connect-page/test/test-visitor.ts'

/** The product of a test: it signs people in, and confirms who they are. */
export interface TestProduct {
  readonly publicUrl: string
  readonly call: TestContext['call']
}

/** Opens the URL of an authorization request in a browser, up to the page with its first button. */
export async function openSignIn(browser: TestVisitor, url: string): Promise<FetchedPage> {
  const started = await browser.get(url)
  return started.status === 303 ? browser.get(started.location ?? '') : started
}

/** Signs in at the product, up to the question. */
export async function signInAt(
  { call }: TestProduct,
  browser: TestVisitor,
  start: FetchedPage,
  accountIdentifier: string,
): Promise<FetchedPage> {
  assert.equal(start.state, 'agentStart', start.text)
  const opened = await browser.submit(start)
  const id = new URL(opened.location ?? '').searchParams.get('linchpin_request')
  const path = `/v1/sign_in_request/${id}/confirm`
  const { returnURL } = expectOk(await call('POST', path, { body: { accountIdentifier } }))
  const returned = await browser.get(returnURL)
  return returned.status === 303 ? browser.get(returned.location ?? '') : returned
}

/** Answers the question. @returns where the browser is sent */
export async function answer(
  browser: TestVisitor,
  page: FetchedPage,
  decision: 'read' | 'write' | 'deny',
): Promise<URL> {
  assert.equal(page.state, 'agentConsent', page.text)
  const answered = await browser.submit(page, { decision })
  assert.equal(answered.status, 303, answered.text)
  const redirected = await browser.get(answered.location ?? '')
  assert.equal(redirected.status, 303, redirected.text)
  return new URL(redirected.location ?? '')
}

/** A whole sign-in of a customer. */
export async function consent(
  product: TestProduct,
  url: string,
  {
    accountIdentifier = 'alice',
    decision = 'read',
  }: { readonly accountIdentifier?: string; readonly decision?: 'read' | 'write' | 'deny' } = {},
): Promise<URL> {
  const browser = createVisitor(product.publicUrl, product.publicUrl)
  const page = await signInAt(product, browser, await openSignIn(browser, url), accountIdentifier)
  return answer(browser, page, decision)
}

/** What the official client stores of a sign-in. */
export function createClientProvider(
  clientMetadata: OAuthClientMetadata,
  clientMetadataUrl?: string,
) {
  let information: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>
  let tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>
  let verifier = ''
  let authorizationUrl: URL | undefined
  const provider: OAuthClientProvider = {
    redirectUrl: clientMetadata.redirect_uris[0] ?? '',
    clientMetadata,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    state: () => 'state-of-the-client',
    clientInformation: () => information,
    saveClientInformation: (saved) => {
      information = saved
    },
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved
    },
    redirectToAuthorization: (url) => {
      authorizationUrl = url
    },
    saveCodeVerifier: (saved) => {
      verifier = saved
    },
    codeVerifier: () => verifier,
  }
  return {
    provider,
    getTokens: () => tokens,
    getAuthorizationUrl: () => authorizationUrl,
  }
}

/** Connects the official client, which asks for a sign-in. */
export async function connectClient(
  product: TestProduct,
  mcpUrl: string,
  { provider, getAuthorizationUrl }: ReturnType<typeof createClientProvider>,
  answers: Parameters<typeof consent>[2] = {},
): Promise<Client> {
  const url = new URL(mcpUrl)
  const transport = new StreamableHTTPClientTransport(url, { authProvider: provider })
  const first = new Client({ name: 'test', version: '1' })
  await assert.rejects(first.connect(transport), UnauthorizedError)
  const redirected = await consent(product, getAuthorizationUrl()?.href ?? '', answers)
  assert.equal(redirected.searchParams.get('state'), 'state-of-the-client')
  assert.equal(redirected.searchParams.get('iss'), product.publicUrl)
  await transport.finishAuth(redirected.searchParams)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }))
  return client
}

/** A client that is no program: it registers, and sends each request by itself. */
export function createPkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: hash('sha256', verifier, 'base64url') }
}
