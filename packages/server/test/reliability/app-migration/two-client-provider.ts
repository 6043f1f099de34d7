import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { StubServer } from '../../stub-server.ts'

/** A grant of a user to a client. */
interface Grant {
  readonly clientId: string
  readonly user: string
  /** The refresh tokens that work: the last, and the one before it, whose reply may have been lost. */
  refreshTokens: string[]
  accessToken: string
  isRevoked: boolean
}

/** A provider with several clients that ends a grant when another client presents one of its tokens. */
export interface TwoClientProvider {
  /** Requests in which a client presented a token of another. */
  readonly crossings: string[]
  /** Refreshes so far. */
  readonly refreshes: () => number
  /** A new grant, as a sign-in issues it. */
  issue(
    clientId: string,
    user: string,
  ): { readonly accessToken: string; readonly refreshToken: string }
  /** How many grants of a client are not revoked. */
  countLive(clientId: string): number
  /** The client whose live grant has this access token. */
  findClient(accessToken: string): string | undefined
}

/** Serves `/token`, `/revoke` and `/me`. An authorization code is the name of the user who has consented. */
export function serveTwoClientProvider(
  stubServer: StubServer,
  expiresIn: number,
): TwoClientProvider {
  const grants = new Map<string, Grant>()
  const crossings: string[] = []
  let refreshes = 0

  const renew = (grant: Grant) => {
    const [accessToken, refreshToken] = ['at', 'rt'].map(
      (kind) => `${kind}.${grant.clientId}.${grant.user}.${randomBytes(9).toString('base64url')}`,
    ) as [string, string]
    grant.accessToken = accessToken
    grant.refreshTokens = [refreshToken, ...grant.refreshTokens].slice(0, 2)
    for (const token of [accessToken, refreshToken]) grants.set(token, grant)
    return { accessToken, refreshToken }
  }
  const issue = (clientId: string, user: string) =>
    renew({ clientId, user, refreshTokens: [], accessToken: '', isRevoked: false })
  /** The grant of a token, if its own client presents it. */
  const present = (token: string, clientId: string, what: string): Grant | undefined => {
    const grant = grants.get(token)
    if (grant === undefined || grant.clientId === clientId) return grant
    crossings.push(`${what}: a token of ${grant.clientId} at the client ${clientId}`)
    grant.isRevoked = true
    return undefined
  }

  stubServer.serve('/token', async (request, response) => {
    const form = await readForm(request)
    const clientId = form.get('client_id') ?? ''
    const reply = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const toBody = ({ accessToken, refreshToken }: ReturnType<typeof renew>) => ({
      access_token: accessToken,
      refresh_token: refreshToken,
      token_type: 'bearer',
      expires_in: expiresIn,
    })
    if (form.get('grant_type') === 'authorization_code')
      return reply(200, toBody(issue(clientId, form.get('code') ?? '')))
    const token = form.get('refresh_token') ?? ''
    const grant = present(token, clientId, 'refresh')
    if (grant === undefined || grant.isRevoked || !grant.refreshTokens.includes(token))
      return reply(400, { error: 'invalid_grant' })
    refreshes += 1
    return reply(200, toBody(renew(grant)))
  })
  stubServer.serve('/revoke', async (request, response) => {
    const form = await readForm(request)
    const grant = present(form.get('token') ?? '', form.get('client_id') ?? '', 'revocation')
    if (grant !== undefined) grant.isRevoked = true
    response.writeHead(200).end()
  })
  stubServer.serve('/me', (request, response) => {
    const grant = grants.get((request.headers.authorization ?? '').slice('Bearer '.length))
    if (grant === undefined || grant.isRevoked) return response.writeHead(401).end()
    return response.end(JSON.stringify({ sub: grant.user }))
  })
  return {
    crossings,
    refreshes: () => refreshes,
    issue,
    countLive: (clientId) =>
      new Set(
        [...grants.values()].filter((grant) => grant.clientId === clientId && !grant.isRevoked),
      ).size,
    findClient: (accessToken) => {
      const grant = grants.get(accessToken)
      return grant?.isRevoked === false ? grant.clientId : undefined
    },
  }
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
