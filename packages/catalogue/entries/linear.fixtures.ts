import { defineFixtures, reply } from '@linchpin/kit/testing'

const refused = (type: string, code: string) => ({ errors: [{ extensions: { type, code } }] })

export default defineFixtures({
  endpoint: 'POST https://api.linear.app/graphql',
  sends: 'Authorization: ${secret}',
  good: {
    data: { viewer: { id: '9cfb482a', name: 'Ann', email: 'ann@acme.test', avatarUrl: null } },
  },
  bad: reply(401, refused('authentication error', 'AUTHENTICATION_ERROR')),
  insufficient: reply(200, refused('forbidden', 'FORBIDDEN')),
  limited: reply(400, refused('ratelimited', 'RATELIMITED')),
  signIn: {
    authorize: 'https://linear.app/oauth/authorize?response_type=code&scope=read',
    token: 'https://api.linear.app/oauth/token',
    revocation: 'https://api.linear.app/oauth/revoke',
    bodyFormat: 'form',
  },
  identity: { id: '9cfb482a', label: 'ann@acme.test' },
  types: { OAuth2: { sends: 'Authorization: Bearer ${secret}' } },
})
