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
  identity: { id: '7', label: 'ann@acme.test', avatarUrl: 'https://avatars.test/7' },
  types: { Token: { endpoint, sends: 'X-Figma-Token: ${secret}' } },
})
