import { createOidcBundle } from '../../../src/connect/oauth-flow/test/oauth-test-context.ts'
import { registerOAuthApp } from '../../register-oauth-app.ts'
import type { BrowserTestContext } from '../browser-test-context.ts'

/** A tool with sign-in whose provider can end a grant, as an administrator does. */
export interface ChatTool {
  readonly id: string
  readonly key: string
  /** Tokens in revocation requests. */
  readonly revoked: readonly string[]
  /** The tokens of the last sign-in. */
  tokens(): { readonly access: string; readonly refresh: string }
  /** Refuses all tokens that were issued so far. */
  endGrants(): void
}

/** Defines the tool. Its consent page is that of the context's provider. */
export async function defineChat(t: BrowserTestContext): Promise<ChatTool> {
  const revoked: string[] = []
  let issued = 0
  let firstValid = 1
  const tokensOf = (grant: number) => ({
    access: `chat-access-${grant}-canary`,
    refresh: `chat-refresh-${grant}-canary`,
  })
  const isValid = (token: string | undefined | null) =>
    Number(/^chat-\w+-(\d+)-canary$/.exec(token ?? '')?.[1]) >= firstValid
  const { stubServer, provider } = t
  const url = `${stubServer.url}/chat`
  stubServer.serve('/chat/token', async (request, response) => {
    const form = await readForm(request)
    const isRefresh = form.get('grant_type') === 'refresh_token'
    if (isRefresh && !isValid(form.get('refresh_token')))
      return response.writeHead(400, JSON_TYPE).end(JSON.stringify({ error: 'invalid_grant' }))
    issued += 1
    const { access, refresh } = tokensOf(issued)
    const tokens = { access_token: access, refresh_token: refresh, expires_in: 3_600 }
    response.writeHead(200, JSON_TYPE).end(JSON.stringify({ ...tokens, token_type: 'bearer' }))
  })
  stubServer.serve('/chat/me', ({ headers }, response) => {
    const [, token] = headers.authorization?.split(' ') ?? []
    response.writeHead(isValid(token) ? 200 : 401, JSON_TYPE).end(JSON.stringify({ sub: 'alice' }))
  })
  stubServer.serve('/chat/revoke', async (request, response) => {
    revoked.push((await readForm(request)).get('token') ?? '')
    response.end()
  })
  const code = createOidcBundle(url, {
    authorization_url: `${provider.origin}/authorize`,
    token_url: `${url}/token`,
    revocation_url: `${url}/revoke`,
  })
  const definition = await t.createDefinition({ name: 'Chat', code })
  const { integrationDefinitionId: id, key } = definition
  await registerOAuthApp(t, { integrationDefinitionId: id })
  return {
    id,
    key,
    revoked,
    tokens: () => tokensOf(issued),
    endGrants: () => {
      firstValid = issued + 1
    },
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

async function readForm(request: AsyncIterable<Uint8Array>): Promise<URLSearchParams> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
