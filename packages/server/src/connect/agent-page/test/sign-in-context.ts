import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestAppOptions } from '../../../../test/test-app.ts'
import { expectOk } from '../../../../test/test-context.ts'
import {
  type ProxyTestContext,
  startProxyTestContext,
} from '../../../accounts/proxy/test/proxy-test-context.ts'
import { consent, createPkce, type TestProduct } from './sign-in-client.ts'

export const SIGN_IN_URL = 'https://app.example.com/agents'
export const REDIRECT_URI = 'http://localhost:33418/callback'

/** A response of the token endpoint. */
export interface TokenResponse {
  readonly status: number
  readonly body: {
    readonly access_token: string
    readonly refresh_token: string
    readonly scope: string
    readonly error?: string
  }
}

/** What a client asks for. */
export interface AuthorizationOptions {
  readonly clientId: string
  readonly redirectUri?: string
  readonly scope?: string
  /** Null: none. */
  readonly resource?: string | null
  /** Replaces or adds parameters. */
  readonly params?: Readonly<Record<string, string>>
}

export interface SignInContext extends ProxyTestContext {
  readonly product: TestProduct
  readonly publicUrl: string
  readonly mcpUrl: string
  /** What hosts of the internet respond with, by URL. */
  readonly documents: Map<string, { readonly status?: number; readonly body: unknown }>
  /** The URLs that were requested of them. */
  readonly fetched: readonly string[]
  /** Registers a client. @returns its ID */
  register(metadata?: object): Promise<string>
  buildUrl(options: AuthorizationOptions): { readonly url: string; readonly verifier: string }
  /** A whole sign-in, up to the code. */
  obtainCode(
    options: AuthorizationOptions & Parameters<typeof consent>[2],
  ): Promise<{ readonly code: string; readonly verifier: string }>
  requestToken(fields: Readonly<Record<string, string>>, base?: string): Promise<TokenResponse>
  redeem(
    clientId: string,
    code: { readonly code: string; readonly verifier: string },
    fields?: Readonly<Record<string, string>>,
    base?: string,
  ): Promise<TokenResponse>
  /** A whole sign-in. */
  signIn(
    options: AuthorizationOptions & Parameters<typeof consent>[2],
  ): Promise<TokenResponse['body']>
  /** Calls a tool with a token. */
  callTool(
    token: string,
    name: string,
    input?: object,
    url?: string,
  ): Promise<{ readonly status: number; readonly body: unknown; readonly challenge: string | null }>
}

/** Starts a service in which Alice has an account, and people sign in. */
export async function startSignInContext(
  options: TestAppOptions = {},
  beforeSignIn: (t: ProxyTestContext) => Promise<void> = async () => {},
): Promise<SignInContext> {
  const documents: SignInContext['documents'] = new Map()
  const fetched: string[] = []
  const internet = createServer((request, response) => {
    const [, , host, ...path] = (request.url ?? '').split('/')
    const url = `https://${host}/${path.join('/')}`
    const found = documents.get(url)
    fetched.push(url)
    response.writeHead(found?.status ?? (found ? 200 : 404), { location: 'https://a.example/' })
    response.end(typeof found?.body === 'string' ? found.body : JSON.stringify(found?.body))
  }).listen(0, '127.0.0.1')
  await once(internet, 'listening')
  let publicUrl = 'http://localhost:3000'
  const t = await startProxyTestContext({
    baseUrl: () => publicUrl,
    canRegisterClients: true,
    emulator: new URL(`http://127.0.0.1:${(internet.address() as AddressInfo).port}`),
    ...options,
  })
  publicUrl = t.baseUrl
  t.setProviderHandler((request, response) => {
    response.setHeader('content-type', 'application/json')
    request.resume().on('end', () => response.end('{"name":"Ada"}'))
  })
  const account = expectOk(await t.call('GET', `/v1/integration_account/${t.accountId}`))
  await t.createAccount(account.integrationDefinitionId, {
    config: { api_key: 'key-of-alice' },
    accountIdentifier: 'alice',
    integrationAccountName: 'Alice at work',
  })
  await beforeSignIn(t)
  const body = { name: 'Acme', agents: { signInURL: SIGN_IN_URL, rules: [{ effect: 'allow' }] } }
  expectOk(await t.call('POST', `/v1/workspace/${t.workspaceId}`, { body }))
  const product = { publicUrl, call: t.call }
  const closeContext = t.close
  const close = async () => {
    internet.close()
    await closeContext()
  }
  return Object.assign(t, { product, publicUrl, documents, fetched, close }, createFlow(t, product))
}

function createFlow(t: ProxyTestContext, product: TestProduct) {
  const { publicUrl } = product
  const mcpUrl = `${publicUrl}/mcp/${t.workspaceId}`
  const register = async (metadata: object = {}) => {
    const response = await fetch(`${publicUrl}/mcp-auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'A client',
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code', 'refresh_token'],
        ...metadata,
      }),
    })
    const registered = (await response.json()) as { client_id: string }
    assert.equal(response.status, 201, JSON.stringify(registered))
    return registered.client_id
  }
  const buildUrl: SignInContext['buildUrl'] = ({
    clientId,
    redirectUri = REDIRECT_URI,
    scope = 'read',
    resource = mcpUrl,
    params = {},
  }) => {
    const { verifier, challenge } = createPkce()
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      state: 'a state',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...(resource !== null && { resource }),
      ...params,
    })
    return { url: `${publicUrl}/mcp-auth/authorize?${query}`, verifier }
  }
  const obtainCode: SignInContext['obtainCode'] = async (options) => {
    const { url, verifier } = buildUrl(options)
    const redirected = await consent(product, url, options)
    const code = redirected.searchParams.get('code')
    assert.ok(code, redirected.href)
    assert.equal(redirected.searchParams.get('iss'), publicUrl)
    return { code, verifier }
  }
  const requestToken: SignInContext['requestToken'] = async (fields, base = publicUrl) => {
    const response = await fetch(`${base}/mcp-auth/token`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    })
    return { status: response.status, body: (await response.json()) as TokenResponse['body'] }
  }
  const redeem: SignInContext['redeem'] = (clientId, { code, verifier }, fields = {}, base) =>
    requestToken(
      {
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        code_verifier: verifier,
        redirect_uri: REDIRECT_URI,
        ...fields,
      },
      base,
    )
  return {
    mcpUrl,
    register,
    buildUrl,
    obtainCode,
    requestToken,
    redeem,
    async signIn(options: Parameters<SignInContext['signIn']>[0]) {
      const { redirectUri = REDIRECT_URI } = options
      const code = await obtainCode(options)
      const { status, body } = await redeem(options.clientId, code, { redirect_uri: redirectUri })
      assert.equal(status, 200, JSON.stringify(body))
      return body
    },
    async callTool(token: string, name: string, input: object = {}, url = mcpUrl) {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({ ...message, params: { name, arguments: input } }),
      })
      const text = await response.text()
      const data = /^data: (.*)$/m.exec(text)?.[1] ?? text
      const challenge = response.headers.get('www-authenticate')
      return { status: response.status, body: JSON.parse(data), challenge }
    },
  }
}
