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
  signIn: {
    authorize:
      'https://accounts.google.com/o/oauth2/v2/auth?access_type=offline&scope=https://www.googleapis.com/auth/drive.file',
    token: 'https://oauth2.googleapis.com/token',
    revocation: 'https://oauth2.googleapis.com/revoke',
    offline: { access_type: 'offline' },
    bodyFormat: 'form',
    clientAuthentication: 'body',
    // The refresh token comes once.
    refreshed: {
      access_token: '${access_token}',
      expires_in: 3920,
      scope: '${scope}',
      token_type: 'Bearer',
    },
  },
  identity: { id: '07', label: 'ann@acme.test', avatarUrl: 'https://photos.test/ann' },
})
