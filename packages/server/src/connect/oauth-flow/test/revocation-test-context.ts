import type { ServerResponse } from 'node:http'
import type { TestContext } from '../../../../test/base-context.ts'
import {
  addStubProvider,
  type StubProviderContext,
  type StubProviderOptions,
} from './stub-provider-context.ts'

/** A stub provider context with a revocation endpoint. Access tokens have the form `<user>.<rest>`. */
export interface RevocationTestContext extends StubProviderContext {
  /** Tokens in revocation requests, in order. Reset it with `length = 0`. */
  readonly revoked: string[]
  /** Sets how the provider responds to revocation requests. */
  respondToRevocation: (response: ServerResponse) => unknown
}

/** Adds a stub provider with a revocation endpoint. */
export async function addRevocation(
  base: TestContext,
  options: StubProviderOptions,
): Promise<RevocationTestContext> {
  const revoked: string[] = []
  const t = await addStubProvider(base, { code: BUNDLE, ...options })
  const context: RevocationTestContext = Object.assign(t, {
    revoked,
    respondToRevocation: (response: ServerResponse) => response.writeHead(200).end(),
  })
  t.stubServer.serve('/away', (_request, response) => response.writeHead(503).end())
  t.stubServer.serve('/revoke', async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    revoked.push(new URLSearchParams(Buffer.concat(chunks).toString()).get('token') ?? '')
    await context.respondToRevocation(response)
  })
  return context
}

/**
 * CHECK rejects `….bad`; IDENTITY returns the user, also numeric IDs, none for `unknown`, and is unreachable for
 * `….away`.
 */
const BUNDLE = (url: string, auth: Record<string, unknown>) => {
  const spec = { ...auth, revocation_url: `${url}/revoke` }
  return `
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return { auth_specification: { OAuth2: ${JSON.stringify(spec)} } }
  const [user, rest] = config.access_token.split('.')
  if (command === 'CHECK') return { status: rest !== 'bad', error: 'no' }
  if (command === 'IDENTITY' && rest === 'away') {
    await fetch('${url}/away')
    throw new Error('away')
  }
  if (command === 'IDENTITY' && Number(user)) return { id: Number(user) }
  if (command === 'IDENTITY') return user === 'unknown' ? {} : { id: user, label: user }
  return {}
}
`
}
