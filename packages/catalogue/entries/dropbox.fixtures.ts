import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'POST https://api.dropboxapi.com/2/users/get_current_account',
  sends: 'Authorization: Bearer ${secret}',
  good: {
    account_id: 'dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc',
    name: { display_name: 'Franz Ferdinand' },
    email: 'franz@acme.test',
    profile_photo_url: 'https://photos.test/franz',
  },
  bad: reply(401, {
    error_summary: 'invalid_access_token/...',
    error: { '.tag': 'invalid_access_token' },
  }),
  insufficient: reply(401, {
    error_summary: 'missing_scope/..',
    error: { '.tag': 'missing_scope', required_scope: 'account_info.read' },
  }),
  signIn: {
    authorize:
      'https://www.dropbox.com/oauth2/authorize?response_type=code&token_access_type=offline&scope=account_info.read',
    token: 'https://api.dropboxapi.com/oauth2/token',
    revocation: {
      endpoint: 'POST https://api.dropboxapi.com/2/auth/token/revoke',
      sends: 'Authorization: Bearer ${token}',
    },
    offline: { token_access_type: 'offline' },
    bodyFormat: 'form',
    refreshed: { access_token: '${access_token}', expires_in: 14_400, token_type: 'bearer' },
  },
  identity: {
    id: 'dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc',
    label: 'franz@acme.test',
    avatarUrl: 'https://photos.test/franz',
  },
})
