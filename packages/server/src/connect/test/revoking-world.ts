import type { ServerResponse } from 'node:http'
import { type StubOptions, type StubWorld, startStubWorld } from './stub-world.ts'

/** A stub world whose provider revokes tokens. Access tokens are `<person>.<rest>`. */
export interface RevokingWorld extends StubWorld {
  /** Tokens that the provider was asked to revoke, in order. Empty it with `length = 0`. */
  readonly revoked: string[]
  /** How the provider answers that from now on. */
  revocation: (response: ServerResponse) => unknown
}

export async function startRevokingWorld(options: StubOptions = {}): Promise<RevokingWorld> {
  const revoked: string[] = []
  const t = await startStubWorld({ code: BUNDLE, ...options })
  const world: RevokingWorld = Object.assign(t, {
    revoked,
    revocation: (response: ServerResponse) => response.writeHead(200).end(),
  })
  t.origin.serve('/away', (_request, response) => response.writeHead(503).end())
  t.origin.serve('/revoke', async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    revoked.push(new URLSearchParams(Buffer.concat(chunks).toString()).get('token') ?? '')
    await world.revocation(response)
  })
  return world
}

/** CHECK refuses `….bad`; IDENTITY knows everybody but `nobody`, by numbers too, and asks in vain for `….away`. */
const BUNDLE = (url: string, auth: Record<string, unknown>) => {
  const spec = { ...auth, revocation_url: `${url}/revoke` }
  return `
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return { auth_specification: { OAuth2: ${JSON.stringify(spec)} } }
  const [person, rest] = config.access_token.split('.')
  if (command === 'CHECK') return { status: rest !== 'bad', error: 'no' }
  if (command === 'IDENTITY' && rest === 'away') {
    await fetch('${url}/away')
    throw new Error('away')
  }
  if (command === 'IDENTITY' && Number(person)) return { id: Number(person) }
  if (command === 'IDENTITY') return person === 'nobody' ? {} : { id: person, label: person }
  return {}
}
`
}
