import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://www.googleapis.com/drive/v3/about?fields=user',
  sends: 'Authorization: Bearer ${secret}',
  good: {
    user: {
      kind: 'drive#user',
      displayName: 'Ann',
      me: true,
      permissionId: '07',
      emailAddress: 'ann@acme.test',
      photoLink: 'https://photos.test/ann',
    },
  },
  bad: reply(401, { error: { code: 401, errors: [{ reason: 'authError' }] } }),
  insufficient: reply(403, {
    error: { code: 403, errors: [{ reason: 'insufficientPermissions' }] },
  }),
  limited: reply(403, { error: { code: 403, errors: [{ reason: 'userRateLimitExceeded' }] } }),
  identity: { id: '07', label: 'ann@acme.test', avatarUrl: 'https://photos.test/ann' },
})
