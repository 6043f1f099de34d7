import { defineFixtures, reply } from '@linchpin/kit/testing'

const endpoint = 'GET https://api.figma.com/v1/me'

export default defineFixtures({
  endpoint,
  sends: 'Authorization: Bearer ${secret}',
  good: { id: '7', email: 'ann@acme.test', handle: 'Ann', img_url: 'https://avatars.test/7' },
  bad: reply(403, { status: 403, err: 'Invalid token' }),
  insufficient: reply(403, {
    status: 403,
    err: 'Invalid scope(s): webhooks:write. This endpoint requires the current_user:read scope',
  }),
  signIn: {
    authorize: 'https://www.figma.com/oauth?response_type=code&scope=current_user:read',
    token: 'https://api.figma.com/v1/oauth/token',
    refresh: 'https://api.figma.com/v1/oauth/refresh',
    bodyFormat: 'form',
    clientAuthentication: 'header',
    refreshed: { access_token: '${access_token}', expires_in: 7_776_000, token_type: 'bearer' },
  },
  identity: { id: '7', label: 'ann@acme.test', avatarUrl: 'https://avatars.test/7' },
  types: { Token: { endpoint, sends: 'X-Figma-Token: ${secret}' } },
})
